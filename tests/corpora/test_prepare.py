"""`lit-roberta prepare` and `lit-roberta tokenizer train`, as they are typed."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.corpora import cli, tokenizer_cli
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.manifest import MANIFEST, PARTS
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.errors import UserError
from tests.data.preparation.test_preparing import write_corpus


class Prepare:
    """The command, in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.messages = ""

    def __call__(self, *words: str, main: Callable[[list[str]], int] = cli.main) -> int:
        self._capsys.readouterr()
        status = main([*words, "--workers=0"])
        self.messages = self._capsys.readouterr().err
        return status

    def refuses(self, *words: str, main: Callable[[list[str]], int] = cli.main) -> str:
        """Ask for what can't be done; give the one line that says so, and see what is left."""
        before = names_below(self.folder)
        assert self(*words, main=main) == 2
        (line,) = self.messages.splitlines()
        assert names_below(self.folder) == before
        return line


def names_below(folder: Path) -> set[str]:
    """List all there is, but the empty file by which commands wait for each other."""
    return {str(path) for path in folder.rglob("*") if not path.name.endswith(".lock")}


@pytest.fixture
def prepare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Prepare:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "good.txt")
    write_corpus(tmp_path / "other.txt", rare=1)
    return Prepare(tmp_path, capsys)


BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "a line that is not JSON": (
        "a.jsonl",
        b'{"text": "One."}\n{"text": ',
        "a.jsonl, line 2, must be valid JSON, got",
    ),
    "null": ("a.jsonl", b'{"text": null}\n', "a.jsonl, line 1, must hold text in the column 'te"),
    "a number": ("a.jsonl", b'{"text": 5}\n', "a.jsonl, line 1, must hold text in the column 'te"),
    "no such column": (
        "a.csv",
        b"id,body\n1,One.\n",
        "got the columns id, body. Give one of them",
    ),
    "an open quote": ("a.csv", b'text\n"One.\n', "must be a row of separated values"),
    "no Parquet": ("a.parquet", b"One.", "must be a Parquet file, and can't be read as one"),
    "a cut archive": ("a.txt.gz", gzip.compress(b"One. " * 99)[:-5], "must be a whole .gz file"),
    "no archive": ("a.txt.zst", b"One.", "must be a whole .zst file, got one that is damaged"),
    "no text": ("a.txt", b"\n \n", "It is an empty file: give one with sentences in it."),
    "too little": (
        "a.txt",
        b"One.\n\nTwo.\n",
        "at least half of its text for training, got '2 do",
    ),
}


@pytest.mark.parametrize(("name", "data", "words"), BAD_FILES.values(), ids=list(BAD_FILES))
def test_a_bad_file_is_one_line_and_leaves_nothing(
    prepare: Prepare, name: str, data: bytes, words: str
) -> None:
    (prepare.folder / name).write_bytes(data)
    assert words in prepare.refuses("--corpus", name, "--output", "out")


REFUSED = {
    "--corpus nowhere.txt --output out": "data.corpus must exist, got 'nowhere.txt'.",
    "--corpus empty --output out": "data.corpus must be a folder with files in .csv, .jsonl",
    "--corpus good.txt other.txt --output out": (
        "corpus must give each of several sources a name, got 'good.txt'. Write books=PATH"
    ),
    "--corpus a=good.txt a=other.txt --output out": "corpus must name each source once, got 'a tw",
    "--corpus a=good.txt b=other.txt --output out --weights a=0.5 b=0.6": (
        "data.weights must sum to 1, got '1.1'."
    ),
    "--corpus a=good.txt b=other.txt --output out --weights a=0.5 c=0.5": (
        "data.weights must give a weight to 'b'"
    ),
    "--corpus a=good.txt b=other.txt --output out --weights a=1.5 b=-0.5": (
        "data.weights must be above 0"
    ),
    "--corpus a=good.txt b=other.txt --output out --weights a=nan b=0.5": "data.weights must be",
    "--corpus a=good.txt b=other.txt --output out --weights a=x b=0.5": "weights must be shares",
    "--corpus good.txt --output out --weights a=1": "data.weights must give no weight to 'a'",
    "--corpus good.txt --output good.txt": "output must be a new, an empty or a prepared folder,",
    "--corpus good.txt --output good.txt/out": "output must be writable, got 'good.txt/out'.",
    "--corpus good.txt --output full": "which stays as it is: name another.",
    "--corpus good.txt --output .": "output must be a new, an empty or a prepared folder, got",
    "--corpus good.txt --output /proc/nothing": "output must be writable, got '/proc/nothing'.",
    "--corpus good.txt --output ~nobody-here/out": "output must be a path, got '~nobody-here/out'",
    "--corpus good.txt --output out --tokenizer.path good.txt": "data.tokenizer.path must be",
    "--corpus good.txt --output out --deduplicat true": "Did you mean --deduplicate?",
    "--corpus hub:a:b:c@ --output out": "the dataset must be named as one, got 'hub:a:b:c@'.",
    "--output out": "--corpus must be given. --corpus: ",
}


@pytest.mark.parametrize(("words", "line"), REFUSED.items(), ids=list(REFUSED))
def test_what_can_not_be_done_is_one_line_and_leaves_nothing(
    prepare: Prepare, words: str, line: str
) -> None:
    (prepare.folder / "empty").mkdir()
    (prepare.folder / "full").mkdir()
    (prepare.folder / "full/kept").write_text("x")
    assert line in prepare.refuses(*words.split())


def test_what_an_error_names_is_taken_as_it_is_named(prepare: Prepare) -> None:
    rows = [{"body": f"The cat saw the dog {number} times."} for number in range(60)]
    (prepare.folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    words = ["--corpus", "rows.jsonl", "--output", "out"]
    assert "Give one of them as data.reading.text_column." in prepare.refuses(*words)
    words += ["--data.reading.text_column", "body"]
    pieces = ("--data.tokenizer.kind=bytelevel-bpe", "--tokenizer.vocab_size=300")
    assert prepare(*words, *pieces) == 0
    assert "Train on it: lit-roberta train fit --config roberta --data.corpus " in prepare.messages
    words[words.index("out")] = "vocabulary"
    assert prepare("train", *words, *pieces, main=tokenizer_cli.main) == 0


def test_a_number_of_processes_is_0_or_more(prepare: Prepare) -> None:
    assert cli.main(["--corpus=good.txt", "--output=out", "--workers=-1"]) == 2


def test_an_empty_and_a_prepared_folder_are_taken(prepare: Prepare) -> None:
    (prepare.folder / "out").mkdir()
    for corpus in ("good.txt", "other.txt"):
        assert prepare("--corpus", corpus, "--output", "out") == 0
        manifest = json.loads((prepare.folder / "out" / MANIFEST).read_text())
        assert [Path(state[0]).name for state in manifest["files"]] == [corpus]
    left = {path.name for path in prepare.folder.iterdir()}
    assert left == {"good.txt", "other.txt", "out", ".out.lock"}


def test_folders_above_the_output_are_made(prepare: Prepare) -> None:
    assert prepare("--corpus", "good.txt", "--output", "new/deep/out") == 0
    assert prepare.messages.splitlines()[-1].endswith("new/deep/out")


def test_other_weights_are_kept_without_new_tokens(prepare: Prepare) -> None:
    sources = ["--corpus", "a=good.txt", "b=other.txt", "--output", "out", "--weights"]
    states = []
    for share in (0.5, 0.25):
        assert prepare(*sources, f"a={share}", f"b={1 - share}") == 0
        found = json.loads((prepare.folder / "out" / MANIFEST).read_text())
        assert found["weights"] == {"a": share, "b": 1 - share}
        states.append((prepare.folder / "out/train/tokens").stat().st_ino)
    assert states[0] == states[1]


def test_a_local_dataset_is_streamed_without_a_network(
    prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HOME", str(prepare.folder.parent / "hf"))
    (prepare.folder / "set").mkdir()
    text = (prepare.folder / "good.txt").read_text().split("\n\n")
    rows = "".join(json.dumps({"text": document}) + "\n" for document in text)
    (prepare.folder / "set/train.jsonl").write_text(rows)
    datasets.disable_progress_bars()
    for source in ("hub:set", "set"):
        output = source.replace(":", "-") + "-out"
        assert prepare("--corpus", source, "--output", output) == 0
    one, other = (prepare.folder / name / "train/tokens" for name in ("hub-set-out", "set-out"))
    assert one.read_bytes() == other.read_bytes()


NO_NETWORK = """
import os, sys
os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
from lit_roberta.corpora.cli import main
sys.exit(main(["--corpus=hub:nobody/nothing", "--output=out", "--workers=0"]))
"""


@pytest.mark.slow
def test_a_dataset_out_of_reach_is_one_line(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", NO_NETWORK],
        cwd=tmp_path,
        env=os.environ | {"HF_HOME": str(tmp_path / "hf")},
        capture_output=True,
        timeout=120,
    )
    assert found.returncode == 2, found.stderr
    (line,) = found.stderr.decode().splitlines()
    assert line.startswith("the dataset must be within reach, got 'hub:nobody/nothing'.")


# ---- a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(place)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_line_and_can_be_gone_on_with(
    prepare: Prepare, small_disk: Path
) -> None:
    write_corpus(prepare.folder / "large.txt", rare=60)
    words = ["--corpus", "large.txt", "--output", str(small_disk / "out")]
    assert prepare(*words) == 2
    (line,) = prepare.messages.splitlines()
    assert line.startswith("The disk must hold the prepared text, and is full: ")
    assert not (small_disk / "out").exists()
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert prepare(*words) == 0
    assert "Going on with what an interrupted preparation has left" in prepare.messages


# ---- damage to a prepared folder


def _edit_manifest(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        state = json.loads((folder / MANIFEST).read_text())
        change(state)
        (folder / MANIFEST).write_text(json.dumps(state))

    return edit


def _cut(name: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, (folder / name).stat().st_size - 1)


DAMAGED: dict[str, tuple[Callable[[Path], Any], str]] = {
    **{
        f"{part}/{name} cut": (_cut(f"{part}/{name}"), f"{part}/{name} of ")
        for part in PARTS
        for name in ("tokens", "word_starts", "sentence_offsets", "document_offsets")
    },
    "tokens missing": (lambda folder: (folder / "train/tokens").unlink(), "is missing"),
    "part missing": (lambda folder: (folder / "test").rename(folder / "tost"), "is missing"),
    "tokens longer": (
        lambda folder: os.truncate(folder / "train/tokens", 10**6),
        "has 1,000,000 bytes",
    ),
    "newer": (
        _edit_manifest(lambda state: state.update(format=99, package="9.9", surprise=1)),
        "of format 99'. lit_roberta 9.9 wrote it: install that version, or prepare the text anew",
    ),
    "tokenizer missing": (
        lambda folder: (folder / "tokenizer.json").unlink(),
        "must hold the tokenizer that its tokens are of in tokenizer.json",
    ),
    "tokenizer of another": (
        lambda folder: (folder / "tokenizer.json").write_text("{}"),
        "must hold the tokenizer that its tokens are of in tokenizer.json",
    ),
    "manifest cut": (
        lambda folder: os.truncate(folder / MANIFEST, 500),
        "its manifest.json can't be read",
    ),
    "manifest empty": (lambda folder: os.truncate(folder / MANIFEST, 0), "can't be read"),
    "manifest of a list": (
        lambda folder: (folder / MANIFEST).write_text("[]"),
        "its manifest.json can't be read",
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    corpus = write_corpus(folder / "good.txt")
    assert cli.main(["--corpus", corpus, "--output", str(folder / "out"), "--workers=0"]) == 0
    return folder / "out"


@pytest.mark.parametrize(("damage", "words"), DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_folder_is_said_before_it_is_used(
    made: Path, tmp_path: Path, damage: Callable[[Path], Any], words: str
) -> None:
    folder = copy_of(made, tmp_path)
    damage(folder)
    with pytest.raises(UserError) as caught:
        prepare_text(TextConfig(corpus=str(folder)))
    assert str(caught.value).startswith("data.corpus must ")
    assert words[1:] in str(caught.value)
    assert "\n" not in str(caught.value)


def copy_of(folder: Path, place: Path) -> Path:
    return Path(shutil.copytree(folder, place / "copy"))


@pytest.mark.parametrize("value", [None, 0, "x", [], {}, {"train": 1}, [1]])
def test_a_manifest_that_lacks_anything_is_said(made: Path, tmp_path: Path, value: Any) -> None:
    folder = copy_of(made, tmp_path)
    whole = json.loads((folder / MANIFEST).read_text())
    decisive = ("inputs", "parts", "digest", "tokenizer", "vocab_size", "notes", "format")
    for name in decisive:
        for state in (whole | {name: value}, {k: v for k, v in whole.items() if k != name}):
            (folder / MANIFEST).write_text(json.dumps(state))
            with contextlib.suppress(UserError):
                prepared = prepare_text(TextConfig(corpus=str(folder)))
                assert all(isinstance(note, str) for note in prepared.notes)


# ---- tokenizers alone


def test_a_tokenizer_is_trained_and_leaves_nothing_else(prepare: Prepare) -> None:
    words = ["train", "--corpus", "good.txt", "--output", "new/tokenizer", "--kind", "wordpiece"]
    assert prepare(*words, "--vocab_size", "60", main=tokenizer_cli.main) == 0
    names = {path.name for path in (prepare.folder / "new").rglob("*") if path.is_file()}
    assert names == {"tokenizer.json", "tokenizer_config.json"}
    made_with = ["--corpus", "good.txt", "--output", "out", "--tokenizer.path", "new/tokenizer"]
    assert prepare(*made_with) == 0
    assert "which stays as it is" in prepare.refuses(*words, main=tokenizer_cli.main)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", "tokenizer must be told to train"),
        ("train --corpus nowhere.txt --output t", "data.corpus must exist, got 'nowhere.txt'"),
        ("train --corpus good.txt --output good.txt/t", "output must be writable"),
        ("train --corpus good.txt --output t --kind words", "kind"),
        ("train --corpus good.txt --output t --vocab_size 3", "must be 6 or more, got 3"),
    ],
)
def test_a_tokenizer_that_can_not_be_is_one_line(prepare: Prepare, words: str, line: str) -> None:
    assert line in prepare.refuses(*words.split(), main=tokenizer_cli.main)
