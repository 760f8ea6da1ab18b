"""Training that goes on from weights that are there, by the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)
from torch import Tensor

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.tokens.config import TokenizerConfig
from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import read_checkpoint, write_checkpoint
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import sums
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.starting import hash_weights, start_from_pretrained
from tests.training.commands import Command

QUIET = ("--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false")
STILL = "--model.optimizer.lr=1e-30"
"""An update that changes nothing that can be seen."""
WORDPIECE = TokenizerConfig(kind="wordpiece", vocab_size=300)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Pretrained:
    """A random model of the toy's words, with a next-sentence head and three spare rows."""
    tokenizer = PretrainingDataModule("toy", tokenizer=WORDPIECE).tokenizer
    encoder = EncoderConfig(
        vocab_size=tokenizer.vocab_size + 3,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        layer_norm_eps=1e-5,
        hidden_dropout_prob=0.05,
        tanh_pooler=True,
    )
    weights = BertModel(encoder, next_sentence=True, seed=5).state_dict()
    loud = {name: 8 * weight for name, weight in weights.items() if "embeddings" in name}
    model = Pretrained(
        source="here",
        family="bert",
        encoder=encoder,
        weights={**weights, **loud},
        tokenizer=tokenizer,
        config={"model_type": "bert", "language": "toy"},
    )
    return write(model, tmp_path_factory.mktemp("source"))


def write(model: Pretrained, folder: Path, **changes: Any) -> Pretrained:
    """Write a model with changes; give it as it is read again."""
    write_checkpoint(replace(model, **changes), folder / "model.ckpt")
    return read_checkpoint(folder / "model.ckpt")


def without(model: Pretrained, *prefixes: str) -> dict[str, Tensor]:
    return {name: w for name, w in model.weights.items() if not name.startswith(prefixes)}


def assert_unmoved(weights: Mapping[str, Tensor], before: Mapping[str, Tensor]) -> None:
    """Compare what an update at next to no rate has left."""
    for name, weight in weights.items():
        difference = (weight - before[name]).abs().max()
        assert difference < 1e-20, name


def fit(source: Pretrained, *words: str, updates: int = 1, recipe: str = "roberta") -> list[str]:
    start = f"--model.pretrained={source.source}"
    return ["fit", f"--config={recipe}", *QUIET, f"--trainer.max_steps={updates}", start, *words]


def saved(command: Command, run: str = "roberta") -> dict[str, Any]:
    path = command.folder / "runs" / run / "checkpoints" / "last.ckpt"
    return torch.load(path, weights_only=True)


def scores(command: Command, run: str = "roberta") -> dict[str, Any]:
    path = command.folder / "runs" / run / "before_and_after.json"
    return json.loads(path.read_text(encoding="utf-8"))


@torch.no_grad()
def held_out_loss(model: BertModel, data: PretrainingDataModule) -> float:
    """Score validation text without any of what training uses to do so."""
    text = data.evaluation.held_out("validation", draws=1, max_tokens=50_000)
    found = [
        sums(model(*batch.batch[:4]).mlm_logits, batch.batch.labels[:, 1:])
        for batch in (text[index] for index in range(len(text)))
    ]
    total = sum(float(each.loss) for each in found)
    return total / sum(int(each.num_labels) for each in found)


# ---- what a run begins with


def test_a_run_begins_with_the_sources_loss_and_keeps_where_it_is_from(
    command: Command, source: Pretrained
) -> None:
    words = ("--data.general_corpus=toy", "--data.max_length=40")
    assert command(*fit(source, *words)) == 0, command.messages
    data = PretrainingDataModule("toy", max_length=40)
    assert source.tokenizer is not None
    data.use_tokenizer(source.tokenizer)
    loss = held_out_loss(source.build(), data)
    found = scores(command)
    assert found["pretrained"] == source.source
    assert found["before"]["val/masked_lm_loss"] == pytest.approx(loss, rel=1e-5)
    assert found["before"]["general/masked_lm_loss"] == pytest.approx(loss, rel=1e-5)
    assert found["update"] == 1
    assert found["after"]["val/masked_lm_loss"] != found["before"]["val/masked_lm_loss"]
    rate = found["before"]["val/nats_per_word"] / found["before"]["val/masked_lm_loss"]
    assert rate == pytest.approx(data_tokens_per_word(data), rel=1e-6)
    assert (
        "Left out, because the recipe does not train it: the next-sentence head, its pooler."
        in (command.messages)
    )
    for line in ("your text, nats a token", "general text, nats a word"):
        assert line in command.messages

    events = EventAccumulator(str(command.folder / "runs" / "roberta"))
    events.Reload()
    for name in ("val/masked_lm_loss", "general/masked_lm_loss", "general/nats_per_word"):
        logged = {event.step: event.value for event in events.Scalars(name)}
        assert logged.keys() == {0, 1}
        assert logged[0] == pytest.approx(found["before"][name], rel=1e-6)

    checkpoint = saved(command)
    assert checkpoint["family"] == "bert"
    assert checkpoint["config"]["language"] == "toy"
    assert checkpoint["origin"]["source"] == source.source
    assert checkpoint["origin"]["digest"] == hash_weights(source.weights)
    encoder = checkpoint["hyper_parameters"]["encoder"]
    assert encoder == asdict(source.encoder) | {"tanh_pooler": False}
    trained = read_checkpoint(command.folder / "runs/roberta/checkpoints/last.ckpt")
    assert trained.tokenizer is not None
    assert trained.tokenizer.to_json() == source.tokenizer.to_json()
    moved = trained.weights["encoder.layers.0.feed_forward.inner.weight"]
    old = source.weights["encoder.layers.0.feed_forward.inner.weight"]
    assert 0 < (moved - old).abs().max() < 0.05


def data_tokens_per_word(data: PretrainingDataModule) -> float:
    """Count on the arrays themselves."""
    part = data.parts.validation
    maskable = data.vocabulary.maskable[part.tokens]
    return float(maskable.sum() / part.word_starts.sum())


def test_a_pair_recipe_takes_the_head_and_its_pooler(command: Command, source: Pretrained) -> None:
    words = fit(source, STILL, recipe="bert")
    assert command(*words) == 0, command.messages
    weights = read_checkpoint(command.folder / "runs/bert/checkpoints/last.ckpt").weights
    assert weights.keys() == source.weights.keys()
    assert_unmoved(weights, source.weights)
    assert "Fresh" not in command.messages


def test_parts_that_the_weights_lack_are_drawn_from_the_seed(
    command: Command, source: Pretrained, tmp_path: Path
) -> None:
    bare = write(source, tmp_path, weights=without(source, "masked_lm_head", "next_sentence_head"))
    words = fit(bare, STILL, "--seed_everything=3", recipe="bert")
    assert command(*words) == 0, command.messages
    heads = "the masked-language-model head, the next-sentence head"
    assert f"Fresh, because the weights have none: {heads}." in command.messages
    weights = read_checkpoint(tmp_path / "runs/bert/checkpoints/last.ckpt").weights
    encoder = replace(source.encoder, tanh_pooler=False)
    drawn = BertModel(encoder, next_sentence=True, seed=3).state_dict()
    assert weights.keys() == drawn.keys()
    assert_unmoved(weights, {**drawn, **bare.weights})


def test_words_and_positions_are_added_everywhere(command: Command, source: Pretrained) -> None:
    corpus = command.folder / "corpus.txt"
    documents = [
        f"The zyzzyva saw a xylophone {number}.\nIt was a zyzzyva of the {number} {word}.\n"
        for number in range(10)
        for word in ("house", "garden", "river", "road", "school")
    ]
    corpus.write_text("\n".join(documents), encoding="utf-8")
    words = (
        f"--data.corpus={corpus}",
        "--data.tokenizer.extend=2",
        "--model.extend_positions=80",
        "--data.max_length=80",
        STILL,
    )
    assert command(*fit(source, *words)) == 0, command.messages
    assert "2 words of the training part" in command.messages
    assert "zyzzyva (" in command.messages
    assert "16 new positions" in command.messages
    assert source.tokenizer is not None
    trained = read_checkpoint(command.folder / "runs/roberta/checkpoints/last.ckpt")
    assert trained.tokenizer is not None
    size = source.tokenizer.vocab_size
    assert trained.tokenizer.vocab_size == size + 2
    # Two of the three rows that the source had to spare.
    assert trained.encoder.vocab_size == source.encoder.vocab_size == size + 3
    assert trained.encoder.max_position_embeddings == 80
    assert trained.tokenizer.encode("a zyzzyva")[-1] == size
    table, old = (model.weights["embeddings.token.weight"] for model in (trained, source))
    pieces = source.tokenizer.encode("zyzzyva")
    torch.testing.assert_close(table[size], old[pieces].mean(0))
    assert_unmoved({"table": table[:size]}, {"table": old[:size]})
    positions = trained.weights["embeddings.position.weight"]
    first = source.weights["embeddings.position.weight"][:16]
    assert_unmoved({"positions": positions[64:]}, {"positions": first})

    # What was saved is judged, and gone on with, as any other: nothing is added twice.
    config = yaml.safe_load((command.folder / "runs/roberta/config.yaml").read_text())
    assert config["data"]["tokenizer"]["extend"] == 2
    assert command(*fit(source, *words, "--ckpt_path=last", updates=2)) == 0, command.messages
    assert saved(command)["tokenizer"] == trained.tokenizer.to_json()
    own = ("validate", "--config=roberta", "--ckpt_path=last", *QUIET)
    assert command(*own) == 0, command.messages


def test_a_start_in_python_is_that_of_the_command_line(source: Pretrained) -> None:
    data = PretrainingDataModule("toy", max_length=40)
    module = start_from_pretrained(source.source, data, extend_positions=70, seed=1)
    assert module.model.config.max_position_embeddings == 70
    assert held_out_loss(module.model.eval(), data) == pytest.approx(
        held_out_loss(source.build(), data), rel=1e-6
    )


def test_weights_that_are_noted_and_not_read_are_refused() -> None:
    module = PretrainingModule(EncoderConfig(vocab_size=9, hidden_size=8), pretrained="weights")
    with pytest.raises(UserError, match="start_from_pretrained"):
        module.on_train_start()


# ---- going on with it


@pytest.mark.slow
@pytest.mark.parametrize("again", [True, False])
def test_a_run_goes_on_bit_by_bit_whether_or_not_the_start_is_named_again(
    command: Command, source: Pretrained, again: bool
) -> None:
    steady = ("--model.schedule.kind=constant", "--model.schedule.warmup_updates=0")
    words = (*steady, "--data.general_corpus=toy", "--trainer.val_check_interval=1")
    straight, twice = (f"--trainer.default_root_dir=runs/{run}" for run in ("straight", "twice"))
    assert command(*fit(source, *words, straight, updates=2)) == 0, command.messages
    assert command(*fit(source, *words, twice, updates=1)) == 0, command.messages
    on = fit(source, *words, twice, "--ckpt_path=last", updates=2)
    if not again:
        on = [word for word in on if not word.startswith("--model.pretrained")]
    assert command(*on) == 0, command.messages
    one, other = saved(command, "straight"), saved(command, "twice")
    for name, weight in one["state_dict"].items():
        assert torch.equal(weight, other["state_dict"][name]), name
    assert one["origin"] == other["origin"]
    assert one["history"] == other["history"]
    assert scores(command, "straight") == scores(command, "twice")
    config = yaml.safe_load((command.folder / "runs/twice/config.yaml").read_text())
    assert config["model"]["pretrained"] == source.source


@pytest.mark.slow
def test_a_run_does_not_go_on_from_other_weights(
    command: Command, source: Pretrained, tmp_path: Path
) -> None:
    assert command(*fit(source)) == 0, command.messages
    weights = {name: weight + 1e-3 for name, weight in source.weights.items()}
    other = write(source, tmp_path, weights=weights)
    line = command.refuses(*fit(other, "--ckpt_path=last", updates=2))
    assert line.startswith(f"model.pretrained must be {source.source!r}, got '{other.source}'.")
    (tmp_path / "copy").mkdir()
    copy = write(source, tmp_path / "copy")
    assert command(*fit(copy, "--ckpt_path=last")) == 0, command.messages  # the same weights
    line = command.refuses(*fit(source, "--ckpt_path=last", "--model.extend_positions=99"))
    assert line.startswith("model.extend_positions must be the checkpoint's None, got 99.")


# ---- what can't be done


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--model.encoder.hidden_size=32"],
            "model.encoder.hidden_size must be the weights' 16, got 32.",
        ),
        (
            ["--model.encoder.layer_norm_eps=1e-12"],
            "model.encoder.layer_norm_eps must be the weights' 1e-05, got 1e-12.",
        ),
        (
            ["--data.tokenizer.kind=bytelevel-bpe"],
            "data.tokenizer.kind must be the weights' 'wordpiece', got 'bytelevel-bpe'.",
        ),
        (
            ["--data.tokenizer.vocab_size=400"],
            "data.tokenizer.vocab_size must be the weights' 300, got 400.",
        ),
        (["--data.max_length=65"], "Shorten the examples, or give --model.extend_positions 65."),
        (
            ["--model.extend_positions=63", "--data.max_length=60"],
            "model.extend_positions must be 64 or more, got 63.",
        ),
        (["--model.extend_positions=10000000"], "model.extend_positions must be at most 1,048"),
        (["--model.extend_positions=0"], "model.extend_positions must be 64 or more, got 0."),
        (["--model.pretrained=./nowhere.ckpt"], "got './nowhere.ckpt'."),
        (["--data.general_corpus=nowhere.txt"], "data.general_corpus must"),
        (["--data.tokenizer.extend=-1"], "data.tokenizer.extend must lie from 0"),
    ],
)
def test_what_the_weights_do_not_allow_is_one_line(
    command: Command, source: Pretrained, words: list[str], line: str
) -> None:
    assert line in command.refuses(*fit(source, *words))
    assert not list(command.folder.glob("runs/*/checkpoints"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--data.tokenizer.extend=5"],
            "data.tokenizer.extend must have a ready tokenizer, got 5",
        ),
        (["--model.extend_positions=99"], "model.extend_positions must have weights to extend"),
    ],
)
def test_nothing_is_extended_without_weights(
    command: Command, words: list[str], line: str
) -> None:
    assert line in command.refuses("fit", "--config=roberta", *QUIET, *words)


def test_dropout_is_the_weights_unless_given(command: Command, source: Pretrained) -> None:
    words = ("--model.encoder.attention_probs_dropout_prob=0.2", "--trainer.fast_dev_run=1")
    assert command(*fit(source, *words)) == 0, command.messages


def test_weights_that_know_one_segment_take_no_pairs(
    command: Command, source: Pretrained, tmp_path: Path
) -> None:
    name = "embeddings.segment.weight"
    weights = {**without(source, "next_sentence_head"), name: source.weights[name][:1]}
    encoder = replace(source.encoder, type_vocab_size=1, tanh_pooler=False)
    roberta = write(source, tmp_path, weights=weights, encoder=encoder, family="roberta")
    line = command.refuses(*fit(roberta, recipe="bert"))
    assert line.startswith("data.format must have single texts, as doc-sentences, for weights")
    assert command(*fit(roberta, "--trainer.fast_dev_run=1")) == 0, command.messages


def test_a_tokenizer_with_more_entries_than_rows_is_refused(
    command: Command, source: Pretrained, tmp_path: Path
) -> None:
    assert source.tokenizer is not None
    rows = source.tokenizer.vocab_size - 1
    few = {
        name: weight[:rows]
        if name in ("embeddings.token.weight", "masked_lm_head.bias")
        else weight
        for name, weight in source.weights.items()
    }
    short = write(source, tmp_path, weights=few, encoder=replace(source.encoder, vocab_size=rows))
    line = command.refuses(*fit(short))
    assert f"at most {rows} entries, one for each row of its weights, got '{rows + 1}'." in line


@pytest.mark.slow
def test_weights_without_a_tokenizer_ask_for_one(
    command: Command, source: Pretrained, tmp_path: Path
) -> None:
    alone = write(source, tmp_path, tokenizer=None)
    line = command.refuses(*fit(alone))
    assert line.startswith("model.pretrained must come with a tokenizer")
    assert source.tokenizer is not None
    source.tokenizer.save(tmp_path / "tokenizer")
    words = fit(alone, f"--data.tokenizer.path={tmp_path}/tokenizer", "--trainer.fast_dev_run=1")
    assert command(*words) == 0, command.messages
