from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.errors import UserError


def write_corpus(path: Path, *, rare: int = 0) -> str:
    """Write sixty documents of three sentences, each sentence with `rare` words of its own."""
    lines = []
    for number in range(60):
        for sentence in range(3):
            own = [f"x{number}y{sentence}z{word}" for word in range(rare)]
            place = f"{number // 10} {number % 10}"
            lines.append(" ".join(["The cat saw", *own, "a dog and the hill", place, "times."]))
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(tmp_path / "cache"))


def prepare(corpus: str, **tokenizer: Any) -> list[str]:
    return prepare_text(TextConfig(corpus=corpus, tokenizer=TokenizerConfig(**tokenizer))).notes


def test_a_vocabulary_that_knows_nothing_of_the_text_is_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "a.txt", rare=1)
    with pytest.raises(UserError) as caught:
        prepare(corpus, kind="wordpiece", vocab_size=6)
    message = str(caught.value)
    assert message.startswith(
        "data.tokenizer.vocab_size must leave tokens of the train part to predict, got 6. "
        "With 6 entries 100.0% of "
    )
    assert message.endswith("or --data.tokenizer.kind bytelevel-bpe, which spells any text.")


@pytest.mark.parametrize("part", ["validation", "test"])
def test_a_part_that_the_vocabulary_knows_nothing_of_is_refused(tmp_path: Path, part: str) -> None:
    other = tmp_path / "other.txt"
    other.write_text("\u041a\u043e\u0442 \u0441\u043f\u0438\u0442\n", encoding="utf-8")
    corpora: dict[str, Any] = {
        "corpus": write_corpus(tmp_path / "a.txt"),
        f"{part}_corpus": str(other),
    }
    with pytest.raises(UserError, match=f"vocab_size must leave tokens of the {part} part to pre"):
        prepare_text(TextConfig(**corpora))
    bytes_ = TokenizerConfig(kind="bytelevel-bpe", vocab_size=300)
    assert prepare_text(TextConfig(**corpora, tokenizer=bytes_)).tokenizer.vocab_size > 261


def test_a_given_tokenizer_that_knows_nothing_is_named_by_its_path(tmp_path: Path) -> None:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "\u041a\u043e\u0442"]
    (tmp_path / "vocab.txt").write_text("\n".join(special) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"^data\.tokenizer\.path must leave tokens of the train "):
        prepare(write_corpus(tmp_path / "a.txt"), path=str(tmp_path))


def test_the_share_of_unknown_tokens_says_of_what_it_is(tmp_path: Path) -> None:
    notes = prepare(write_corpus(tmp_path / "a.txt"))
    assert notes[-1].endswith(", unknown 0.0% of test tokens")


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"kind": "word"}, "--data.tokenizer.kind wordpiece"),
        ({"kind": "wordpiece", "vocab_size": 20}, "--data.tokenizer.kind bytelevel-bpe"),
    ],
)
def test_much_that_is_unknown_is_said(
    tmp_path: Path, settings: dict[str, Any], remedy: str
) -> None:
    config = TokenizerConfig(**settings)
    text = prepare_text(
        TextConfig(corpus=write_corpus(tmp_path / "a.txt", rare=3), tokenizer=config)
    )
    share = text.unknown_share(text.parts.train)
    assert share > 0.05
    assert text.notes[-1] == (
        f"the vocabulary can't spell {share:.1%} of the training tokens: try {remedy} or a "
        "larger text"
    )


def test_a_tokenizer_that_came_with_weights_is_not_to_be_changed(tmp_path: Path) -> None:
    own = prepare_text(TextConfig(corpus=write_corpus(tmp_path / "a.txt"))).tokenizer
    other = TextConfig(corpus=write_corpus(tmp_path / "b.txt", rare=3))
    note = prepare_text(other, tokenizer=own).notes[-1]
    assert note.endswith("of the training tokens: try a model of another vocabulary")


def test_bytes_have_no_unknowns_and_no_note(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "a.txt", rare=3)
    notes = prepare(corpus, kind="bytelevel-bpe", vocab_size=300)
    assert notes[-1].endswith("of test tokens")
    assert not any("can't spell" in note for note in notes)


@pytest.mark.parametrize("part", ["validation", "test"])
def test_a_fault_of_a_held_out_corpus_is_laid_to_its_own_setting(
    tmp_path: Path, part: str
) -> None:
    (tmp_path / "blank.txt").touch()
    corpus = write_corpus(tmp_path / "a.txt")
    for name in ("missing.txt", "blank.txt", "*.nothing"):
        held_out: dict[str, Any] = {f"{part}_corpus": str(tmp_path / name)}
        with pytest.raises(UserError, match=rf"^data\.{part}_corpus must "):
            prepare_text(TextConfig(corpus=corpus, **held_out))
