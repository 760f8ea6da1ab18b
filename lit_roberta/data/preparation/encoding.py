"""Documents on disk to the tokens of each part, on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, UInt8

from lit_roberta.data.corpus.documents import Documents
from lit_roberta.data.corpus.runs import Run
from lit_roberta.data.corpus.split import DROPPED, TEST, TRAIN, VALIDATION
from lit_roberta.data.text.splitting import DIGEST_SIZE
from lit_roberta.data.tokens.encoding import Encoded, concatenate
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.data.tokens.writing import CorpusWriter
from lit_roberta.data.work import ordered_map
from lit_roberta.whole_files import write_whole

_NAMES = {TRAIN: "train", VALIDATION: "validation", TEST: "test"}
_BATCH = 4096
"""Sentences."""
_PROGRESS = "encoded.json"
_BLOCKS_SAVED = 16
"""Blocks after which progress is saved, at the end of a document."""


class Shelf(NamedTuple):
    """Documents of one source, and what each of them is for."""

    documents: Documents
    parts: UInt8[np.ndarray, " documents"]
    source: int


class _Block(NamedTuple):
    shelf: int
    run: Run


class _Progress(NamedTuple):
    """What is done."""

    shelf: int = 0
    document: int = 0
    """Of the shelf: the first that is not done."""
    sizes: dict[str, dict[str, int]] | None = None
    """The bytes of each file by then, by part."""


def encode_shelves(
    shelves: Sequence[Shelf],
    tokenizer: Tokenizer,
    folder: Path,
    *,
    workers: int,
    on_progress: Callable[[int], None],
) -> dict[str, dict[str, int]]:
    """Encode documents into `train`, `validation` and `test` of a folder.

    What an interrupted call has left there is gone on with.

    Args:
        shelves: The documents, in the order of the corpus.
        tokenizer: Encodes them.
        folder: Where to.
        workers: Processes that encode; 0 for none beside this one.
        on_progress: Told the bytes of text that are encoded, now and then.

    Returns:
        The bytes of each file, by part.
    """
    done = _load_progress(folder)
    encode = partial(_encode, tokenizer)
    with ExitStack() as stack:
        writers = {
            part: stack.enter_context(CorpusWriter(folder / name, (done.sizes or {}).get(name)))
            for part, name in _NAMES.items()
        }
        encoded = ordered_map(encode, _blocks(shelves, done), workers=workers)
        unsaved = 0
        for block, result in encoded:
            _distribute(shelves[block.shelf], block.run, result, writers)
            unsaved += 1
            if unsaved >= _BLOCKS_SAVED and block.run.ends:
                _save_progress(folder, block, writers)
                unsaved = 0
            on_progress(block.run.stop)
        final = {_NAMES[part]: writer.sizes() for part, writer in writers.items()}
    (folder / _PROGRESS).unlink(missing_ok=True)
    return final


def _load_progress(folder: Path) -> _Progress:
    path = folder / _PROGRESS
    return _Progress(**json.loads(path.read_text())) if path.exists() else _Progress()


def _save_progress(folder: Path, block: _Block, writers: dict[int, CorpusWriter]) -> None:
    for writer in writers.values():
        writer.sync()
    sizes = {_NAMES[part]: writer.sizes() for part, writer in writers.items()}
    done = _Progress(block.shelf, block.run.documents.stop, sizes)
    write_whole(folder / _PROGRESS, json.dumps(done._asdict()).encode())


def _blocks(shelves: Sequence[Shelf], done: _Progress) -> Iterator[_Block]:
    for number in range(done.shelf, len(shelves)):
        first = done.document if number == done.shelf else 0
        for run in shelves[number].documents.runs(first=first):
            yield _Block(number, run)


def _encode(tokenizer: Tokenizer, block: _Block) -> tuple[_Block, Encoded]:
    sentences = block.run.text.decode().split("\n")[:-1]
    parts = [
        tokenizer.encode_sentences(sentences[first : first + _BATCH])
        for first in range(0, len(sentences), _BATCH)
    ]
    run = block.run._replace(text=b"")
    return block._replace(run=run), concatenate(parts, tokenizer.dtype)


def _distribute(
    shelf: Shelf, run: Run, encoded: Encoded, writers: dict[int, CorpusWriter]
) -> None:
    """Give every document to the part that it is for."""
    parts = shelf.parts[run.documents]
    lengths = shelf.documents.rows["sentences"][run.documents]
    if not (run.begins and run.ends):
        lengths = np.array([len(encoded.lengths)])
    sentence_parts = np.repeat(parts, lengths)
    token_parts = np.repeat(sentence_parts, encoded.lengths)
    for part in np.unique(parts[parts != DROPPED]).tolist():
        chosen = parts == part
        some = (
            encoded
            if chosen.all()
            else _choose(encoded, sentence_parts == part, token_parts == part)
        )
        sources = np.full(int(chosen.sum()), shelf.source, np.uint8)
        writers[part].add(some, lengths[chosen], sources, goes_on=not run.ends)


def _choose(
    encoded: Encoded,
    sentences: Bool[np.ndarray, " sentences"],
    tokens: Bool[np.ndarray, " tokens"],
) -> Encoded:
    return Encoded(encoded.tokens[tokens], encoded.word_starts[tokens], encoded.lengths[sentences])


def text_digest(shelves: Sequence[Shelf]) -> str:
    """Hash the text of the parts, so that no document can change its part without a new hash."""
    hashes = {part: hashlib.blake2b(digest_size=DIGEST_SIZE) for part in (TRAIN, VALIDATION, TEST)}
    for shelf in shelves:
        for run in shelf.documents.runs():
            parts = shelf.parts[run.documents].tolist()
            for part, text in zip(parts, run.texts(behind=b"\n"), strict=True):
                if part != DROPPED:
                    hashes[part].update(text)
    joined = "\n".join(one.hexdigest() for one in hashes.values())
    return hashlib.blake2b(joined.encode() + b"\n\n", digest_size=DIGEST_SIZE).hexdigest()
