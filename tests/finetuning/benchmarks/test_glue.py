from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.benchmarks.glue import GLUE
from lit_roberta.finetuning.benchmarks.layout import PartName
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.tasks.table import find_task
from tests.finetuning import layouts
from tests.finetuning.layouts import COUNT, PAIRS, write_benchmark, write_tsv
from tests.training.commands import Command

REAL = Path(__file__).parents[4] / "shared" / "data" / "glue"
PARTS: tuple[PartName, ...] = ("train", "validation", "test")
PEERS_ORDERS = {
    "cola": ["unacceptable", "acceptable"],
    "sst2": ["negative", "positive"],
    "mrpc": ["not_equivalent", "equivalent"],
    "stsb": None,
    "qqp": ["not_duplicate", "duplicate"],
    "mnli": ["entailment", "neutral", "contradiction"],
    "qnli": ["entailment", "not_entailment"],
    "rte": ["entailment", "not_entailment"],
    "wnli": ["not_entailment", "entailment"],
}
"""As the features of Hugging Face's `glue` name them, by number."""


def read(
    folder: Path, name: str, part: PartName, notes: list[str] | None = None
) -> Mapping[str, Sequence[TextExample]]:
    spec = find_task(name)
    assert spec.read_part is not None
    assert spec.folder is not None
    return spec.read_part(folder / spec.folder, part, [] if notes is None else notes)


def test_labels_have_the_numbers_that_others_expect() -> None:
    assert {each.name: each.labels and list(each.labels) for each in GLUE} == PEERS_ORDERS


@pytest.mark.parametrize("name", layouts.GLUE)
def test_each_row_is_an_example_with_the_name_of_its_label(tmp_path: Path, name: str) -> None:
    write_benchmark(tmp_path, name)
    labels = find_task(name).labels
    for part in PARTS:
        sets = read(tmp_path, name, part)
        has_two = name == "mnli" and part != "train"
        assert list(sets) == (["", "mismatched"] if has_two else [""])
        for examples in sets.values():
            assert len(examples) == COUNT
            assert all(example.text.strip() in PAIRS[n] for n, example in enumerate(examples))
            found = {example.label for example in examples}
            if part == "test":
                assert found == {None}
            elif labels is None:
                assert found == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}
            else:
                assert found == set(labels)


@pytest.mark.parametrize("name", layouts.GLUE)
def test_pairs_have_a_second_text_and_sentences_have_none(tmp_path: Path, name: str) -> None:
    write_benchmark(tmp_path, name)
    for part in PARTS:
        for example in read(tmp_path, name, part)[""]:
            assert (example.pair is None) == (name in ("cola", "sst2"))


@pytest.mark.skipif(not REAL.is_dir(), reason="GLUE's files are not here")
@pytest.mark.parametrize(
    ("name", "counts", "majority"),
    [
        ("cola", (8551, 1043, 1063), 6023),
        pytest.param("sst2", (67349, 872, 1821), 37569, marks=pytest.mark.slow),
        ("rte", (2490, 277, 3000), 1249),
        ("stsb", (5749, 1500, 1379), 367),
    ],
)
def test_no_row_of_the_real_files_is_lost(
    name: str, counts: tuple[int, ...], majority: int
) -> None:
    sets = [read(REAL, name, part)[""] for part in PARTS]
    assert tuple(map(len, sets)) == counts
    assert Counter(example.label for example in sets[0]).most_common(1)[0][1] == majority
    assert all(example.label is None for example in sets[2])


@pytest.mark.parametrize("spelling", ["SST-2", "sst-2", "sst_2", "Sst2"])
def test_usual_spellings_of_a_name_are_the_name(spelling: str) -> None:
    assert find_task(spelling).name == "sst2"


def test_a_name_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UserError, match=r"data\.task must be one of .*'sst3'.*Did you mean sst2\?"
    ):
        find_task("sst3")


# ---- rows that are not as they should be


@pytest.mark.parametrize("name", [name for name in layouts.GLUE if name != "qqp"])
def test_a_tab_inside_of_a_text_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    write_benchmark(tmp_path, name)
    path = tmp_path / find_task(name).folder / "train.tsv"  # type: ignore[operator]
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[4] = lines[4].replace(" ", "\t", 1)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=r"train\.tsv, line 5, must have \d+ fields"):
        read(tmp_path, name, "train")


def test_malformed_rows_of_qqp_are_left_out_and_counted(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "qqp")
    path = tmp_path / "QQP" / "train.tsv"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[3] = lines[3].replace(" ", "\n", 1)  # two rows of too few fields
    path.write_text("\n".join(lines), encoding="utf-8")
    notes: list[str] = []
    assert len(read(tmp_path, "qqp", "train", notes)[""]) == COUNT - 1
    assert notes == [f"2 malformed rows left out, the first at {path}, line 4."]


@pytest.mark.parametrize("name", layouts.GLUE)
def test_quotes_are_characters(tmp_path: Path, name: str) -> None:
    write_benchmark(tmp_path, name)
    path = tmp_path / find_task(name).folder / "train.tsv"  # type: ignore[operator]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("the rain", '"the rain').replace("tea", "'tea"), encoding="utf-8")
    examples = read(tmp_path, name, "train")[""]
    assert len(examples) == COUNT
    assert any('"the rain' in example.text for example in examples)


def test_a_label_that_is_none_of_the_task_is_named_with_its_line(tmp_path: Path) -> None:
    write_tsv(
        tmp_path / "RTE" / "train.tsv", "index sentence1 sentence2 label", [(0, "a", "b", "no")]
    )
    with pytest.raises(UserError, match=r"train\.tsv, line 2 must be one of entailment \(0\)"):
        read(tmp_path, "rte", "train")


def test_a_number_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    write_tsv(tmp_path / "STS-B" / "train.tsv", "sentence1 sentence2 score", [("a", "b", "high")])
    with pytest.raises(UserError, match=r"train\.tsv, line 2 must be a number, got 'high'"):
        read(tmp_path, "stsb", "train")


def test_the_file_of_another_task_is_refused(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "rte")
    (tmp_path / "RTE").rename(tmp_path / "QNLI")
    with pytest.raises(UserError, match="line 2, must have the column 'question'"):
        read(tmp_path, "qnli", "train")


def test_a_training_part_without_labels_is_refused(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "rte")
    (tmp_path / "RTE/test.tsv").rename(tmp_path / "RTE/dev.tsv")
    with pytest.raises(UserError, match=r"dev\.tsv, line 2, must have the column 'label'"):
        read(tmp_path, "rte", "validation")


def test_a_folder_without_the_files_says_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "RTE").mkdir()
    (tmp_path / "RTE" / "notes.txt").touch()
    with pytest.raises(
        UserError,
        match=r"must hold train\.tsv or train\.jsonl, got 'notes\.txt'\. Give the folder",
    ):
        read(tmp_path, "rte", "train")


def test_the_matched_set_is_needed_where_there_is_a_mismatched_one(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "mnli")
    (tmp_path / "MNLI/dev_matched.tsv").unlink()
    with pytest.raises(UserError, match=r"must hold dev_matched\.tsv"):
        read(tmp_path, "mnli", "validation")


# ---- MRPC of Microsoft


@pytest.mark.parametrize("has_ids", [True, False])
def test_mrpc_of_microsoft_is_split_by_the_ids_of_glue(tmp_path: Path, has_ids: bool) -> None:
    folder = tmp_path / "MRPC"
    header = "\ufeffQuality #1~ID #2~ID #1~String #2~String"
    rows = [(n % 2, n, n + 100, *pair) for n, pair in enumerate(PAIRS)]
    write_tsv(folder / "msr_paraphrase_train.txt", header, rows)
    write_tsv(folder / "msr_paraphrase_test.txt", header, rows[:3])
    if has_ids:
        write_tsv(folder / "dev_ids.tsv", "", [(2, 102), (5, 105), (0, 999)])
    validation = read(tmp_path, "mrpc", "validation")
    train = read(tmp_path, "mrpc", "train")[""]
    assert len(train) == (COUNT - 2 if has_ids else COUNT)
    assert (len(validation[""]) == 2) if has_ids else not validation
    test = read(tmp_path, "mrpc", "test")[""]
    assert [example.label for example in test] == [
        "not_equivalent",
        "equivalent",
        "not_equivalent",
    ]


# ---- through the command line


@pytest.mark.parametrize("name", ["mnli", "stsb"])
def test_a_folder_is_learned_and_judged(command: Command, pretrained: Path, name: str) -> None:
    write_benchmark(command.folder / "glue", name)
    words = [f"--data.task={name}", "--data.folder=glue", f"--model.pretrained={pretrained}"]
    words += ["--data.max_length=32", "--trainer.accelerator=cpu"]
    words += ["--trainer.enable_progress_bar=false"]
    assert command("fit", *words, "--trainer.max_steps=2") == 0, command.messages
    assert "8 examples to learn from, " in command.messages
    assert command("validate", *words) == 0, command.messages
    tags = ["val/accuracy", "val_mismatched/accuracy"]
    for tag in tags if name == "mnli" else ["val/pearson", "val/spearmanr"]:
        assert tag in command.messages
    assert command("predict", *words) == 0, command.messages
    folder = command.folder / "runs" / "finetuning"
    count = len((folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines())
    assert count == (2 * COUNT if name == "mnli" else COUNT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--data.reading.encoding=latin-1"], "data.reading must be left out with data.folder"),
        (["--data.train=own.csv"], "data.folder must be left out beside data.train, got 'glue'"),
    ],
)
def test_what_a_folder_has_no_use_for_is_not_ignored(
    command: Command, pretrained: Path, words: list[str], message: str
) -> None:
    write_benchmark(command.folder / "glue", "rte")
    base = ["--data.task=rte", "--data.folder=glue", f"--model.pretrained={pretrained}"]
    assert message in command.refuses("fit", *base, "--data.max_length=16", *words)


def test_a_task_of_ones_own_files_has_no_folder(command: Command, pretrained: Path) -> None:
    base = ["--data.task=classification", "--data.folder=.", f"--model.pretrained={pretrained}"]
    line = command.refuses("fit", *base, "--data.max_length=16")
    assert "data.folder must be left out for classification, got '.'" in line
