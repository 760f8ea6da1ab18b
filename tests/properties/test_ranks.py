"""Two processes that train together, by every strategy, against one."""

from __future__ import annotations

import signal
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from tests.properties.hits import Hit
from tests.properties.remains import read_last, validations
from tests.properties.running import WORDS, Run, train_in_processes
from tests.properties.witness import (
    Witness,
    assert_same_gradients,
    read_witnesses,
    rows_by_update,
)

Way = Literal["one", "ddp", "fsdp2"]
UPDATES = 6


def run_of(folder: Path, way: Way, *, part: int = 0, **settings: Any) -> Run:
    """Describe a run whose ranks have 6 and 7 sequences, in micro-batches of 3, 3 and 0 or 1."""
    run = Run(
        folder=folder,
        updates=UPDATES,
        batch_size=13,
        micro_batch_size=3,
        pairs=True,
        dropout=0.0,
        ranks=1 if way == "one" else 2,
        strategy="ddp" if way == "one" else way,
        callbacks=(partial(Witness, folder / f"seen-{part}"),),
    )
    return replace(run, **settings)


def train(folder: Path, way: Way, **settings: Any) -> list[dict[str, Any]]:
    """Train to the end; give what the ranks saw."""
    assert not any(train_in_processes(run_of(folder, way, **settings)))
    return read_witnesses(folder / "seen-0")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranks")
    # Sentences of 2 to 12 words.
    documents = (
        "".join(
            f"The {' '.join(WORDS[: (number * step) % 9])} {WORDS[step]} saw {number}.\n"
            for step in range(1, 5)
        )
        for number in range(60)
    )
    (folder / "corpus.txt").write_text("\n".join(documents), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def one(top: Path) -> Path:
    train(top / "one", "one")
    return top / "one"


def assert_same_end(folder: Path, one: Path) -> None:
    """Compare all that a run leaves, up to the rounding of sums in another order."""
    left, right = read_last(folder), read_last(one)
    assert left["num_tokens"] == right["num_tokens"]
    assert left["history"]["counts"] == right["history"]["counts"]
    assert left["history"]["sums"] == pytest.approx(right["history"]["sums"], rel=1e-5)
    assert left["state_dict"].keys() == right["state_dict"].keys()
    for name, weight in left["state_dict"].items():
        torch.testing.assert_close(weight, right["state_dict"][name], msg=name)
    moments, others = left["optimizer_states"][0], right["optimizer_states"][0]
    assert moments["param_groups"] == others["param_groups"]
    assert moments["state"].keys() == others["state"].keys()
    for number, values in moments["state"].items():
        torch.testing.assert_close(values, others["state"][number])
    assert validations(folder) == pytest.approx(validations(one), rel=1e-6)


@pytest.mark.parametrize("way", ["ddp", "fsdp2"])
def test_two_processes_make_the_updates_of_one(top: Path, one: Path, way: Way) -> None:
    ranks = train(top / way, way)
    (alone,) = read_witnesses(one / "seen-0")
    for number, gradients in alone["gradients"].items():
        for rank in ranks:
            assert_same_gradients(gradients, rank["gradients"][number])
    assert rows_by_update(ranks) == rows_by_update([alone])
    assert [len(rank["rows"][0]) for rank in ranks] == [6, 7]
    # One that runs fewer would leave the others waiting for ever.
    assert all(rank["micro_batches"] == dict.fromkeys(range(UPDATES), 3) for rank in ranks)
    assert_sent_once(*(rank["norms"][0] for rank in ranks))
    torch.testing.assert_close(ranks[0]["weights"], ranks[1]["weights"], rtol=0, atol=0)
    assert_same_end(top / way, one)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["ddp", "fsdp2"])
def test_two_processes_make_updates_that_grow(top: Path, way: Way) -> None:
    grown: dict[Way, list[dict[str, Any]]] = {
        each: train(top / f"grown-{each}", each, grows=True) for each in ("one", way)
    }
    order = rows_by_update(grown["one"])
    assert rows_by_update(grown[way]) == order
    assert len(order[0]) < len(order[UPDATES - 1])
    for number, gradients in grown["one"][0]["gradients"].items():
        assert_same_gradients(gradients, grown[way][0]["gradients"][number])
    ours, others = (rank["micro_batches"] for rank in grown[way])
    assert ours == others
    assert_same_end(top / f"grown-{way}", top / "grown-one")


def assert_sent_once(one: list[list[float]], other: list[list[float]]) -> None:
    """Hold that gradients are the process's own, or not there yet, up to the last micro-batch."""
    *before, last = zip(one, other, strict=True)
    assert last[0] == last[1] != []
    for left, right in before:
        assert left != right or left == right == []


def go_through(folder: Path, *ways: Way) -> None:
    """Train two updates in each way, each a start of one run; compare what is trained on."""
    for part, way in enumerate(ways):
        hit = Hit(signal=signal.SIGUSR1, update=2 * (part + 1), moment="after the step")
        stop = hit if part + 1 < len(ways) else None
        run = run_of(folder, way, part=part, updates=2 * len(ways), hit=stop)
        assert not any(train_in_processes(run))
        assert read_last(folder)["global_step"] == 2 * (part + 1)


def assert_same_order(folder: Path, one: Path) -> None:
    (alone,) = read_witnesses(one / "seen-0")
    order = rows_by_update([alone])
    for seen in sorted(folder.glob("seen-*")):
        for number, rows in rows_by_update(read_witnesses(seen)).items():
            assert rows == order[number]


def test_a_run_goes_on_under_another_strategy_and_with_fewer_processes(
    top: Path, one: Path
) -> None:
    folder = top / "changing"
    go_through(folder, "ddp", "fsdp2", "one")
    assert_same_order(folder, one)
    assert_same_end(folder, one)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ways",
    [("one", "fsdp2", "ddp"), ("one", "ddp", "one"), ("fsdp2", "ddp", "fsdp2")],
    ids="-".join,
)
def test_a_run_goes_on_in_any_way(top: Path, one: Path, ways: tuple[Way, ...]) -> None:
    folder = top / "-".join(ways)
    go_through(folder, *ways)
    assert_same_order(folder, one)
    assert_same_end(folder, one)


def test_dropout_differs_between_processes_and_updates(top: Path) -> None:
    ranks = train(top / "dropout", "ddp", updates=3, dropout=0.1)
    seeds = [seed for rank in ranks for seed in rank["dropout_seeds"].values()]
    assert len(set(seeds)) == 6


@pytest.mark.parametrize("way", ["ddp", "fsdp2"])
def test_a_signal_to_one_process_stops_all_after_the_same_update(top: Path, way: Way) -> None:
    folder = top / f"stopped-{way}"
    hit = Hit(signal=signal.SIGTERM, update=2, rank=1)
    assert train_in_processes(run_of(folder, way, hit=hit, save_every=100)) == [143, 143]
    # The update was under way, and is finished: the others could not know in its middle.
    assert read_last(folder)["global_step"] == 3
    steps = [len(rank["gradients"]) for rank in read_witnesses(folder / "seen-0")]
    assert steps == [3, 3]


def test_an_update_of_shards_whose_gradient_is_not_finite_is_left_out(top: Path) -> None:
    folder = top / "spoilt"
    spoilt = partial(Witness, folder / "seen-0", spoil=1)
    ranks = train(folder, "fsdp2", updates=2, callbacks=(spoilt,), action="skip")
    for number, values in read_last(folder)["optimizer_states"][0]["state"].items():
        assert values["step"] == 1, number
    assert all(weight.isfinite().all() for rank in ranks for weight in rank["weights"].values())
    assert read_last(folder)["divergence"]["in_a_row"] == 1
