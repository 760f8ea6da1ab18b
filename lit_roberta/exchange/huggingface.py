"""A model in a Hugging Face folder to ours.

In: a folder as `save_pretrained` writes it. Out: settings, weights under our names, tokenizer. It
neither needs `transformers` nor runs any code of the model's author.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.settings import read_settings
from lit_roberta.exchange.shapes import check_shapes
from lit_roberta.exchange.task_settings import read_task
from lit_roberta.exchange.weight_files import open_weights, read_json
from lit_roberta.exchange.weights import require_numbers, short_names, to_ours

CONFIG = "config.json"
_FEWEST = 2
"""Tokens that every text has: at its beginning and at its end."""
_CLASSIFIER, _POOLER = "next_sentence_head.classifier.bias", "next_sentence_head.pooler.bias"
_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json")
_OTHER_TOKENIZERS = ("sentencepiece.bpe.model", "spiece.model", "tokenizer.model")


def read_folder(folder: Path, *, source: str | None = None) -> Pretrained:
    """Read a model of the Hugging Face world.

    Args:
        folder: Where it lies.
        source: What the user called it. None: as the folder.

    Raises:
        UserError: If something is missing or damaged, if the parts do not fit each other, or if
            the model is one that we would compute otherwise.
    """
    if not (folder / CONFIG).is_file():
        remedy = "Take the whole folder that save_pretrained writes."
        raise must("the model's folder", f"hold {CONFIG}", str(folder), remedy)
    config = read_json(folder / CONFIG)
    theirs = open_weights(folder)
    settings = read_settings(config, theirs, str(folder / CONFIG))
    family, encoder, pad_id = settings.family, settings.encoder, settings.pad_id
    shapes = {short: theirs.shape(name) for short, name in short_names(theirs, family).items()}
    task = read_task(config, str(folder / CONFIG))
    check_shapes(shapes, encoder, family=family, pad_id=pad_id, task=task)
    weights, unused = to_ours(
        theirs,
        family=family,
        num_layers=encoder.num_hidden_layers,
        pad_id=pad_id,
        task=None if task is None else task.kind,
    )
    require_numbers(weights)
    judges_pairs = _CLASSIFIER in weights
    if judges_pairs and _POOLER not in weights:
        remedy = "The next-sentence head reads it, and transformers would draw one."
        raise must("the weights", "hold pooler.dense.weight", "none", remedy)
    tokenizer, notices = _tokenizer(folder, encoder.vocab_size)
    if tokenizer is not None and family == "roberta":
        _require_pad(tokenizer, pad_id)
    return Pretrained(
        source=source or str(folder),
        family=family,
        encoder=replace(encoder, tanh_pooler=judges_pairs),
        weights=weights,
        tokenizer=tokenizer,
        pad_id=pad_id,
        unused=unused,
        config=config,
        cut_at=_cut_at(folder),
        notices=notices,
        task=task,
    )


def _tokenizer(folder: Path, rows: int) -> tuple[Tokenizer | None, list[str]]:
    """Read the tokenizer beside a model, and check it against the embedding's rows."""
    if not any((folder / name).is_file() for name in _TOKENIZER_FILES):
        others = [name for name in _OTHER_TOKENIZERS if (folder / name).is_file()]
        if others:
            remedy = "Save it with transformers' AutoTokenizer, which writes tokenizer.json."
            raise must("the tokenizer", "be in tokenizer.json", others[0], remedy)
        return None, [f"no tokenizer: {folder} has none"]
    try:
        tokenizer = Tokenizer.from_path(str(folder))
    except UserError as error:  # it names a setting that nobody gave here
        line = str(error).replace("data.tokenizer.path", "the model's tokenizer", 1)
        raise UserError(line) from error
    size = tokenizer.vocab_size
    if size > rows:
        remedy = f"Its last {size - rows} ids have no embedding: the two are not of one model."
        raise must("the tokenizer", f"have at most {rows} entries", size, remedy)
    notices = list(tokenizer.notices)
    if size < rows:
        notices.append(
            f"{rows - size} of {rows} rows of the embedding have no token: they are kept, and "
            "never drawn as a random token"
        )
    return tokenizer, notices


def _cut_at(folder: Path) -> int | None:
    """Tell where the tokenizer beside a model cuts a text, if it does."""
    place = folder / "tokenizer_config.json"
    named = read_json(place).get("model_max_length") if place.is_file() else None
    return named if isinstance(named, int) and named > _FEWEST else None


def _require_pad(tokenizer: Tokenizer, pad_id: int) -> None:
    """Refuse a padding that is a word of the tokenizer's: positions would pass over that word."""
    if pad_id < tokenizer.vocab_size and pad_id not in tokenizer.vocabulary.special_ids:
        rule = f"be the tokenizer's {tokenizer.vocabulary.pad_id}"
        remedy = f"There it is {tokenizer.id_to_word[pad_id]!r}, an ordinary token."
        raise must(f"pad_token_id in {CONFIG}", rule, pad_id, remedy)
