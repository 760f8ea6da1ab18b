"""Training of the three kinds of tokenizers.

In: sentences and settings. Out: a tokenizer of the `tokenizers` library. The same text always
gives the same vocabulary with the same ids, in any process and with any number of threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
)

from lit_roberta.data.text.words import UNSPACED
from lit_roberta.data.tokens.config import (
    DEFAULT_VOCAB_SIZE,
    SPECIAL_TOKENS,
    TokenizerConfig,
    TokenizerKind,
)
from lit_roberta.data.tokens.counting import count_words
from lit_roberta.data.tokens.merging import Words, learn_merges
from lit_roberta.errors import UserError

# The blocks that BERT splits (google-research/bert tokenization.py, _is_chinese_char).
_CJK = (
    "[\u4e00-\u9fff\u3400-\u4dbf\\x{20000}-\\x{2a6df}\\x{2a700}-\\x{2b73f}\\x{2b740}-\\x{2b81f}"
    "\\x{2b820}-\\x{2ceaf}\uf900-\ufaff\\x{2f800}-\\x{2fa1f}]"
)
_LONGEST_MEAN_WORD = 30
# Two private planes of Unicode: a character that begins a word goes into one, any other into the
# next.
_FIRST_PLANE, _INNER_PLANE, _PLANE_SIZE = 0xF0000, 0x100000, 0xFFFE
_PREFIX = "##"


def train_backend(sentences: Iterable[str], config: TokenizerConfig) -> Tokenizer:
    """Train a tokenizer of the kind that the settings name.

    Args:
        sentences: The text, read once.
        config: The settings.

    Returns:
        The tokenizer; ids 0 to 4 are the special tokens.

    Raises:
        UserError: If the kind is word and the text is written without spaces between words.
        TypeError: If documents are given in place of their sentences.
    """
    return _TRAINERS[config.kind](_checked(sentences), config)


def _checked(sentences: Iterable[str]) -> Iterator[str]:
    """Pass sentences on, and refuse what is none: documents above all, and one whole text."""
    if isinstance(sentences, str):
        raise TypeError("sentences must be a list of strings, got one string. Put it in a list.")
    return map(_require_string, sentences)


def _require_string(sentence: object) -> str:
    if not isinstance(sentence, str):
        raise TypeError(
            f"sentences must be strings, got a {type(sentence).__name__}. For documents, give "
            "itertools.chain.from_iterable(documents)."
        )
    return sentence


def _train_word(sentences: Iterable[str], config: TokenizerConfig) -> Tokenizer:
    """Take the words that are seen often enough, by frequency, then by code points.

    Raises:
        UserError: If the text is written without spaces between words.
    """
    backend = _pipeline(config)
    counts = count_words(sentences, backend, vocab_size=config.vocab_size)
    _require_spaces(counts, config)
    known = [word for word in _ranked(counts) if counts[word] >= config.min_frequency]
    known = [word for word in known if word not in SPECIAL_TOKENS]
    if config.vocab_size is not None:
        known = known[: config.vocab_size - len(SPECIAL_TOKENS)]
    vocabulary = {word: number for number, word in enumerate([*SPECIAL_TOKENS, *known])}
    backend.model = models.WordLevel(vocabulary, unk_token="[UNK]")
    return _with_special_tokens(backend)


def _train_wordpiece(sentences: Iterable[str], config: TokenizerConfig) -> Tokenizer:
    """Merge characters to pieces by frequency, pieces inside of words marked by `##`.

    The library's own trainer numbers pieces in the order of a hash table, so that two runs
    differ in ids and even in pieces. Its plain BPE trainer does not; so the two kinds of
    characters (first, inner) are written as two private alphabets, and read back afterwards.
    """
    backend = _pipeline(config)
    counts = count_words(sentences, backend, vocab_size=config.vocab_size)
    size = (config.vocab_size or DEFAULT_VOCAB_SIZE) - len(SPECIAL_TOKENS)
    letters = _most_frequent_letters(counts, size=size, min_frequency=config.min_frequency)
    alphabet = sorted(letters.values())
    bpe = learn_merges(Words(_spell(counts, letters), size, config.min_frequency, alphabet))
    originals = {private: letter for letter, private in letters.items()}
    merged = bpe.get_vocab()
    pieces = [_read_back(token, originals) for token in sorted(merged, key=merged.__getitem__)]
    # A word such as [SEP] or ##a can only be spelled like this where punctuation is not split off.
    ordered = dict.fromkeys([*SPECIAL_TOKENS, *pieces])
    vocabulary = {piece: number for number, piece in enumerate(ordered)}
    backend.model = models.WordPiece(vocabulary, unk_token="[UNK]")
    backend.decoder = decoders.WordPiece(_PREFIX, cleanup=True)
    return _with_special_tokens(backend)


def _train_bytelevel_bpe(sentences: Iterable[str], config: TokenizerConfig) -> Tokenizer:
    """Merge bytes by frequency (Radford et al. 2019, section 2.2), as RoBERTa does.

    The library sees each word as the letters that its bytes are written as, which are never white
    space.
    """
    backend = _pipeline(config)
    words = Words(
        count_words(sentences, backend, vocab_size=config.vocab_size),
        config.vocab_size or DEFAULT_VOCAB_SIZE,
        config.min_frequency,
        pre_tokenizers.ByteLevel.alphabet(),
        SPECIAL_TOKENS,
    )
    backend.model = learn_merges(words).model
    backend.decoder = decoders.ByteLevel()
    return _with_special_tokens(backend)


def _pipeline(config: TokenizerConfig) -> Tokenizer:
    """Build what comes before the vocabulary: normalization, and the split into words."""
    backend = Tokenizer(models.BPE() if config.kind == "bytelevel-bpe" else models.WordLevel())
    steps: list[normalizers.Normalizer] = []
    if config.normalization != "none":
        steps.append(getattr(normalizers, config.normalization)())
    if config.lowercases:
        steps.append(normalizers.Lowercase())
    if config.strip_accents:
        steps += [normalizers.NFD(), normalizers.StripAccents(), normalizers.NFC()]
    if steps:
        backend.normalizer = normalizers.Sequence(steps)
    splits: list[pre_tokenizers.PreTokenizer] = []
    if config.splits_cjk:
        splits.append(pre_tokenizers.Split(Regex(_CJK), "isolated"))
    if config.kind == "bytelevel-bpe":
        splits.append(pre_tokenizers.ByteLevel(add_prefix_space=False))
    else:
        splits.append(pre_tokenizers.WhitespaceSplit())
        if config.split_punctuation:
            splits.append(pre_tokenizers.Punctuation())
    backend.pre_tokenizer = pre_tokenizers.Sequence(splits)
    return backend


def _with_special_tokens(backend: Tokenizer) -> Tokenizer:
    backend.add_special_tokens(list(SPECIAL_TOKENS))
    return backend


def _ranked(counts: Mapping[str, int]) -> list[str]:
    """Sort by frequency, and by code points where that is equal."""
    return sorted(counts, key=lambda item: (-counts[item], item))


def _require_spaces(counts: Mapping[str, int], config: TokenizerConfig) -> None:
    """Refuse text in which white space does not separate words, as in Chinese, Thai or DNA."""
    words = sum(counts.values())
    letters = sum(count * len(word) for word, count in counts.items())
    glued = sum(
        count * len(UNSPACED.findall(word))
        for word, count in counts.items()
        if len(word) > 1 and not word.isascii()
    )
    if 2 * glued > letters or letters > _LONGEST_MEAN_WORD * words > 0:
        cjk = "" if config.splits_cjk else ", or for Chinese data.tokenizer.split_cjk: true"
        raise UserError(
            "data.tokenizer.kind must fit the text, got 'word' for text without spaces between "
            f"words ({letters / words:.0f} characters a word). "
            f"Give wordpiece or bytelevel-bpe{cjk}."
        )


def _most_frequent_letters(
    counts: Mapping[str, int], *, size: int, min_frequency: int
) -> dict[str, str]:
    """Choose the letters that words are spelled with, and a private character for each."""
    letters: Counter[str] = Counter()
    for word, count in counts.items():
        letters[word[0]] += count
        for letter in word[1:]:
            letters[_PREFIX + letter] += count
    chosen = [letter for letter in _ranked(letters) if letters[letter] >= min_frequency][:size]
    first = [letter for letter in chosen if len(letter) == 1][:_PLANE_SIZE]
    inner = [letter for letter in chosen if len(letter) > 1][:_PLANE_SIZE]
    return {letter: chr(_FIRST_PLANE + number) for number, letter in enumerate(first)} | {
        letter: chr(_INNER_PLANE + number) for number, letter in enumerate(inner)
    }


def _spell(counts: Mapping[str, int], letters: Mapping[str, str]) -> Counter[str]:
    """Write each word in the private alphabets, if all of its letters were chosen."""
    spelled = Counter[str]()
    for word, count in counts.items():
        keys = [word[0], *(_PREFIX + letter for letter in word[1:])]
        if all(key in letters for key in keys):
            spelled["".join(letters[key] for key in keys)] = count
    return spelled


def _read_back(token: str, originals: Mapping[str, str]) -> str:
    first, *inner = (originals[character] for character in token)
    return first + "".join(letter.removeprefix(_PREFIX) for letter in inner)


_TRAINERS: dict[TokenizerKind, Callable[[Iterable[str], TokenizerConfig], Tokenizer]] = {
    "word": _train_word,
    "wordpiece": _train_wordpiece,
    "bytelevel-bpe": _train_bytelevel_bpe,
}
