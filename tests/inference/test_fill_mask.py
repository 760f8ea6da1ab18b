"""What stands behind a mask: the model's own probabilities, in sentences with the right spaces."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.inference.fill_mask_cli import main
from lit_roberta.inference.filling import FilledText, fill_mask
from lit_roberta.inference.masked_text import Sentence
from lit_roberta.inference.text_model import TextModel
from tests.inference.models import KINDS, LENGTH, TEXTS, tiny_model, train_tokenizer, write_model

MASKED = ["I <mask> you.", "<mask> rained", "tea, <mask> and <mask>!", "<mask>", "so <mask>" * 9]


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path, kind=request.param)


def naive(model: TextModel, text: str, cut: slice = slice(None)) -> torch.Tensor:
    """Predict all masks of a text by itself, with logits at all places: [masks, vocab]."""
    ids = model.row(model.tokenizer.encode_around_masks(text.split("<mask>"))[cut])
    logits = model.bert(torch.tensor([ids])).mlm_logits[0].softmax(dim=-1)
    return logits[[number == model.tokenizer.vocabulary.mask_id for number in ids]]


def test_probabilities_are_those_of_each_text_alone(model: TextModel) -> None:
    for text, found in zip(MASKED, fill_mask(model, MASKED, top_k=3), strict=True):
        expected = naive(model, text)
        assert len(found.masks) == text.count("<mask>") == len(expected)
        for candidates, probabilities in zip(found.masks, expected, strict=True):
            ordinary = torch.from_numpy(model.tokenizer.vocabulary.ordinary_ids)
            best = probabilities[ordinary].topk(3)
            assert [one.token_id for one in candidates] == ordinary[best.indices].tolist()
            shares = torch.tensor([one.probability for one in candidates])
            assert_close(shares, best.values, rtol=1e-5, atol=1e-6)


def test_the_best_of_each_mask_fill_the_sentence(model: TextModel) -> None:
    for found in fill_mask(model, MASKED, top_k=2):
        for candidates in found.masks:
            for candidate in candidates:
                assert candidate.sentence.count("<mask>") == len(found.masks) - 1
                assert candidate.token in candidate.sentence
        assert "<mask>" not in found.filled
        if len(found.masks) == 1:
            assert found.filled == found.masks[0][0].sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_put_back_gives_the_sentence_with_all_its_spaces(kind: str) -> None:
    texts = [text.lower() for text in TEXTS]
    tokenizer = train_tokenizer(kind, texts)
    checked = 0
    for text in texts:
        for word in re.finditer(r"\w+|[.,:!?]", text):
            before, behind = text[: word.start()], text[word.end() :]
            sentence = Sentence(f"{before}<mask>{behind}", tokenizer)
            whole = tokenizer.encode(text)
            place = sentence.places[0]
            is_one_token = len(sentence.ids) == len(whole) and "[UNK]" not in tokenizer.decode(
                whole[place : place + 1]
            )
            if is_one_token:
                assert sentence.filled([whole[place]]) == text
                checked += 1
    assert checked > 20


@pytest.mark.parametrize(
    ("kind", "text", "tokens", "filled"),
    [
        ("bytelevel-bpe", "I <mask> you", ["\u0120love"], "I love you"),
        ("bytelevel-bpe", "I<mask> you", ["\u0120love"], "I love you"),
        ("bytelevel-bpe", "<mask> you", ["\u0120love"], "love you"),
        ("bytelevel-bpe", "tea <mask> I", [","], "tea, I"),
        ("bytelevel-bpe", "I  <mask>\tyou", ["\u0120love"], "I  love\tyou"),
        ("bytelevel-bpe", "<mask> <mask>", ["I", "\u0120love"], "I love"),
        ("bytelevel-bpe", "I <mask> <mask>", ["\u0120love", "."], "I love."),
        ("wordpiece", "I <mask> you", ["love"], "I love you"),
        ("wordpiece", "I<mask>you", ["love"], "I love you"),
        ("wordpiece", "THE love <mask>, (<mask>)", ["##s", "so"], "THE loves, (so)"),
        ("word", "tea <mask> I", [","], "tea, I"),
        ("word", "<mask><mask>", ["i", "love"], "i love"),
        ("word", "I  <mask>\tyou", ["love"], "I  love\tyou"),
        ("word", "\u6211<mask>\u4f60", ["love"], "\u6211love\u4f60"),
    ],
)
def test_spaces_are_those_of_the_tokens_or_of_the_user(
    kind: str, text: str, tokens: list[str], filled: str
) -> None:
    tokenizer = train_tokenizer(kind, ["I love tea, s so loves you. I love you, love."] * 30)
    ids = [tokenizer.word_to_id[token] for token in tokens]
    assert Sentence(text, tokenizer).filled(ids) == filled


@pytest.mark.parametrize(
    ("text", "masks"),
    [
        ("a [MASK] b", ["[MASK]"]),
        ("a <mask> b", ["<mask>"]),
        ("a <mask> b [MASK] c", ["[MASK]"]),  # the tokenizer's own, so that the other is text
        ("[MASK][SEP][MASK]", ["[MASK]", "[MASK]"]),
        ("<mask> <MASK> [mask]", ["<mask>"]),
    ],
)
def test_what_is_a_mask(text: str, masks: list[str]) -> None:
    sentence = Sentence(text, train_tokenizer("word"))
    assert sentence.masked.masks == masks
    assert len(sentence.places) == len(masks)
    assert sentence.filled([None] * len(masks)) == text


def is_of_some_cut(model: TextModel, text: str, found: FilledText) -> bool:
    """Tell whether predictions are those for as many tokens as fit, with all masks among them."""
    length = len(model.tokenizer.encode_around_masks(text.split("<mask>")))
    for start in range(length - model.room + 1):
        expected = naive(model, text, slice(start, start + model.room))
        if len(expected) == len(found.masks) and all(
            one[0].probability == pytest.approx(float(row[one[0].token_id]), rel=1e-5)
            for one, row in zip(found.masks, expected, strict=True)
        ):
            return True
    return False


def test_a_long_text_is_cut_around_its_masks(
    model: TextModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    for masked in ("so <mask> so", "so <mask> " + "tea " * 20 + "<mask> so"):
        for before, behind in ((0, 99), (99, 0), (99, 99)):
            text = "it " * before + masked + " it" * behind
            with pytest.raises(UserError, match=f"text 1 must have at most {LENGTH - 2} tokens"):
                fill_mask(model, [text], on_too_long="error")
            caplog.clear()
            found: FilledText = fill_mask(model, [text, "<mask>"], top_k=1)[0]
            assert "1 of 2 texts is longer than the 46 tokens" in caplog.text
            assert len(found.masks) == masked.count("<mask>")
            assert found.filled.count("it") >= max(before, behind)
            assert is_of_some_cut(model, text, found)
    with pytest.raises(UserError, match="the masks must lie within 46 tokens"):
        fill_mask(model, ["<mask>" + " it" * 50 + " <mask>"])


def test_a_text_that_fits_is_not_cut(model: TextModel) -> None:
    text = "so " * (LENGTH - 3) + "<mask>"
    if len(model.tokenizer.encode("so so")) == 2:
        assert fill_mask(model, [text], on_too_long="error")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_gives_a_line_of_json_for_each_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_model(tmp_path / "model.ckpt"))
    status, out, err = run(capsys, path, *MASKED, "--top-k", "2", "--json")
    assert (status, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["text"] for row in rows] == MASKED
    assert [[len(mask) for mask in row["masks"]] for row in rows] == [
        [2] * text.count("<mask>") for text in MASKED
    ]
    status, out, _ = run(capsys, path, MASKED[0], MASKED[2], "--top-k=1")
    assert status == 0
    first = rows[0]["masks"][0][0]
    assert re.search(rf"{first['probability']:.3%} +\S+ +{re.escape(first['sentence'])}\n", out)
    assert "mask 2 of 2" in out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["MODEL", "no mask"], "the text must have a mask, got 'no mask'. Write [MASK] where"),
        (["MODEL", ""], "the text must have a mask, got ''"),
        (["MODEL", "a <mask>", "null"], "got 'null'"),
        (["MODEL", "<mask>", "--top-k", "0"], "--top-k must be 1 or more, got 0"),
        (["MODEL", "<mask>", "--top-k", "1.5"], "--top-k must be a whole number, got '1.5'"),
        (["", "<mask>"], "the model must be a file or a folder, got ''"),
        (["MODEL", "<mask>", "--device", "abacus"], "--device must be a device"),
        (["MODEL", "<mask> \udcff"], "text 1 must be text in UTF-8, got '\\\\udcff'"),
        (["MODEL"], "TEXT must be given. TEXT: With masks"),
        (["MODEL", "<mask>", "--topk", "1"], "--topk"),
        (["/nowhere/model.ckpt", "<mask>"], "the model must be a"),
        (["NAKED", "<mask>"], "the model must have a masked-language-model head"),
        (["MUTE", "<mask>"], "the model must have a tokenizer"),
        (["SMALL", "<mask>"], "the tokenizer must have at most the 40 entries that the model"),
    ],
)
def test_what_can_not_be_done_is_one_line(
    words: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.ckpt"
    tokenizer = train_tokenizer("bytelevel-bpe")
    size = 40 if words[0] == "SMALL" else tokenizer.vocab_size
    write_model(path, tokenizer=tokenizer, vocab_size=size)
    checkpoint = torch.load(path, weights_only=True)
    if words[0] == "NAKED":
        state = checkpoint["state_dict"]
        checkpoint["state_dict"] = {name: state[name] for name in state if "lm_head" not in name}
    if words[0] == "MUTE":
        checkpoint["tokenizer"] = None
    torch.save(checkpoint, path)
    given = [str(path) if word.isupper() else word for word in words]
    status, out, err = run(capsys, *given)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert line in err


def test_one_text_is_no_list_of_texts(model: TextModel) -> None:
    with pytest.raises(TypeError, match="list of texts"):
        fill_mask(model, "a <mask>")
    assert fill_mask(model, []) == []
