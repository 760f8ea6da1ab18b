"""The tokenizer of a text that is prepared: given, trained by an interrupted call, or made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lit_roberta.data.corpus.split import TRAIN
from lit_roberta.data.preparation.reading import ReadText
from lit_roberta.data.tokens.extending import extend
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import must
from lit_roberta.whole_files import write_whole


def make_tokenizer(
    path: Path,
    text: ReadText,
    *,
    config: TokenizerConfig,
    given: Tokenizer | None,
    num_words: int,
    on_progress: Callable[[int], None],
) -> Tokenizer:
    """Take the tokenizer that is given, or that an interrupted call has trained, or train one.

    Args:
        path: Where it is written to, and where an interrupted call has left it.
        text: Its training part alone is read.
        config: The settings of one that is trained, or where a ready one lies.
        given: One that is already there.
        num_words: Words of the text that a ready one gets.
        on_progress: Told when work begins.

    Raises:
        UserError: If it can't be made, or words are asked for and none is ready.
    """
    if given is None and config.path is None and num_words:
        remedy = "Give data.tokenizer.path, or the weights to start from: model.pretrained."
        raise must("data.tokenizer.extend", "have a ready tokenizer", num_words, remedy)
    if given is None and not num_words and path.is_file():
        return Tokenizer.from_json(path.read_text(encoding="utf-8"))
    on_progress(0)
    tokenizer = Tokenizer.train(text.sentences(TRAIN), config) if given is None else given
    if num_words:
        tokenizer = extend(tokenizer, text.sentences(TRAIN), num_words)
    write_whole(path, tokenizer.to_json().encode("utf-8", "surrogatepass"))
    return tokenizer
