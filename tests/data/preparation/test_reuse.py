from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.preparation import making
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.inputs import files_of, inputs_of, key_of
from lit_roberta.data.preparation.making import Making
from lit_roberta.data.preparation.manifest import MANIFEST, read_manifest
from lit_roberta.data.preparation.preparing import prepare_into, prepare_text
from lit_roberta.data.text.files import FileState
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import UserError
from tests.data.preparation.killing import command, snapshot
from tests.data.preparation.test_preparing import write_corpus


@pytest.fixture
def config(tmp_path: Path) -> TextConfig:
    (tmp_path / "text").mkdir()
    write_corpus(tmp_path / "text/a.txt")
    write_corpus(tmp_path / "text/b.txt", rare=1)
    return TextConfig(corpus=str(tmp_path / "text"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every folder that is made."""
    made: list[Path] = []
    fill = making._fill

    def note(part: Path, *arguments: Any, **options: Any) -> object:
        made.append(part)
        return fill(part, *arguments, **options)

    monkeypatch.setattr(making, "_fill", note)
    return made


def test_the_same_again_is_not_made_again(
    config: TextConfig, made: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    prepare_into(folder, Making(config=config))
    before = (folder / MANIFEST).stat()
    again = prepare_into(folder, Making(config=config))
    assert len(made) == 1
    assert (folder / MANIFEST).stat() == before
    assert again.notes == read_manifest(folder).notes


def _touch(config: TextConfig) -> None:
    path = Path(str(config.corpus)) / "a.txt"
    text = path.read_bytes()
    path.write_bytes(text)


def test_a_file_that_was_touched_and_not_changed_is_the_same(
    config: TextConfig, made: list[Path], tmp_path: Path
) -> None:
    prepare_into(tmp_path / "out", Making(config=config))
    _touch(config)
    prepare_into(tmp_path / "out", Making(config=config))
    assert len(made) == 1


CHANGES: dict[str, Callable[[TextConfig], TextConfig]] = {
    "kind": lambda text: replace(text, tokenizer=TokenizerConfig(kind="wordpiece")),
    "size": lambda text: replace(text, tokenizer=TokenizerConfig(vocab_size=30)),
    "case": lambda text: replace(text, tokenizer=TokenizerConfig(lowercase=False)),
    "splitter": lambda text: replace(text, reading=ReadingConfig(sentence_splitter="sentencex")),
    "language": lambda text: replace(text, reading=ReadingConfig(language="de")),
    "boundary": lambda text: replace(text, reading=ReadingConfig(document_boundary="row")),
    "encoding": lambda text: replace(text, reading=ReadingConfig(encoding="latin-1")),
    "deduplicate": lambda text: replace(text, deduplicate=True),
    "own validation": lambda text: replace(
        text, validation_corpus=str(Path(str(text.corpus)) / "b.txt")
    ),
    "by name": lambda text: replace(text, corpus={"books": str(text.corpus)}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_another_setting_is_made_anew(
    config: TextConfig,
    made: list[Path],
    tmp_path: Path,
    change: Callable[[TextConfig], TextConfig],
) -> None:
    prepare_into(tmp_path / "out", Making(config=config))
    prepare_into(tmp_path / "out", Making(config=change(config)))
    assert len(made) == 2
    assert key_of(inputs_of(config, None)) != key_of(inputs_of(change(config), None))


def _edit(folder: Path) -> None:
    path = folder / "a.txt"
    before = path.stat()
    path.write_text(path.read_text().replace("dog", "fox"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


EDITS: dict[str, Callable[[Path], object]] = {
    "edited at equal size and time": _edit,
    "replaced by another inode": lambda folder: (folder / "b.txt").replace(folder / "a.txt"),
    "added": lambda folder: (folder / "c.jsonl").write_text('{"text": "One more."}\n'),
    "taken away": lambda folder: (folder / "b.txt").unlink(),
    "renamed": lambda folder: (folder / "a.txt").rename(folder / "z.txt"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=list(EDITS))
def test_another_file_is_made_anew(
    config: TextConfig, made: list[Path], tmp_path: Path, edit: Callable[[Path], object]
) -> None:
    prepare_into(tmp_path / "out", Making(config=config))
    edit(tmp_path / "text")
    text = prepare_into(tmp_path / "out", Making(config=config))
    assert len(made) == 2
    fresh = prepare_into(tmp_path / "fresh", Making(config=config))
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "fresh")
    assert text.digest == fresh.digest


def test_another_tokenizer_at_the_same_path_is_made_anew(
    config: TextConfig, made: list[Path], tmp_path: Path
) -> None:
    place = tmp_path / "tokenizer"
    config = replace(config, tokenizer=TokenizerConfig(path=str(place)))
    for sentence, expected in (("the cat saw", 1), ("the dog and the hill", 2)):
        Tokenizer.train([sentence], TokenizerConfig(min_frequency=1)).save(place)
        prepare_into(tmp_path / "out", Making(config=config))
        assert len(made) == expected
        for file in place.iterdir():
            file.unlink()
        place.rmdir()


def test_a_folder_that_was_cut_is_made_anew(
    config: TextConfig, made: list[Path], tmp_path: Path
) -> None:
    prepare_into(tmp_path / "out", Making(config=config))
    whole = snapshot(tmp_path / "out")
    with (tmp_path / "out/train/tokens").open("r+b") as file:
        file.truncate(10)
    prepare_into(tmp_path / "out", Making(config=config))
    assert len(made) == 2
    assert snapshot(tmp_path / "out") == whole


def test_a_file_that_is_edited_while_it_is_read_is_refused(
    config: TextConfig, tmp_path: Path
) -> None:
    def edit(stage: str, size: int) -> None:
        if stage == "encoding":
            _edit(tmp_path / "text")

    with pytest.raises(UserError, match=r"a\.txt must stay as it is while it is read"):
        prepare_into(tmp_path / "out", Making(config=config, on_progress=edit))
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"text", ".out.lock"}


def test_the_order_in_which_sources_are_named_does_not_matter(tmp_path: Path) -> None:
    paths = {name: write_corpus(tmp_path / f"{name}.txt", rare=n) for n, name in enumerate("ab")}
    one = prepare_into(tmp_path / "one", Making(config=TextConfig(corpus=paths)))
    backwards = dict(reversed(paths.items()))
    other = prepare_into(tmp_path / "other", Making(config=TextConfig(corpus=backwards)))
    assert one.sources == other.sources == ["a", "b"]
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "other")


def test_a_name_that_is_no_text_is_taken(tmp_path: Path, made: list[Path]) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    config = TextConfig(corpus=write_corpus(tmp_path / name))
    for _ in range(2):
        prepare_into(tmp_path / "out", Making(config=config))
    assert len(made) == 1


def test_a_file_of_a_local_dataset_is_noticed(tmp_path: Path) -> None:
    config = TextConfig(corpus=f"hub:{tmp_path}")
    (tmp_path / "a.jsonl").write_text("x" * (17 << 20))
    states = list(map(FileState.of, files_of(config)))
    assert making.workers_for(Making(config=config), states) > 0


def test_two_commands_at_once_make_a_folder_once(config: TextConfig, tmp_path: Path) -> None:
    words = ["--corpus", str(config.corpus), "--output", str(tmp_path / "out"), "--workers=0"]
    processes = [subprocess.Popen(command(*words), stderr=subprocess.PIPE) for _ in range(2)]
    messages = [process.communicate(timeout=120)[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], messages
    alone = prepare_into(tmp_path / "alone", Making(config=config))
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "alone")
    assert alone.parts.train.num_tokens > 0


def test_the_cache_is_asked_by_what_decides_the_tokens(
    config: TextConfig, made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(tmp_path / "cache"))
    first = prepare_text(config)
    prepare_text(config)
    prepare_text(replace(config, deduplicate=True))
    again = prepare_text(config)
    assert len(made) == 2
    assert again.digest == first.digest


def test_a_cache_that_can_not_be_written_is_done_without(
    config: TextConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(tmp_path / "file/cache"))
    text = prepare_text(config)
    assert text.parts.train.num_tokens > 0
    assert Path(text.kept_alive[0].name).is_dir()
    text.kept_alive[0].cleanup()
