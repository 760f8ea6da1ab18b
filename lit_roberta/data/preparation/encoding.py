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
from lit_roberta.data.corpus.progress import write_whole
from lit_roberta.data.corpus.split import DROPPED, TEST, TRAIN, VALIDATION
from lit_roberta.data.text.splitting import DIGEST_SIZE
from lit_roberta.data.tokens.encoding import Encoded, concatenate
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.data.tokens.writing import CorpusWriter
from lit_roberta.data.work import ordered_map

_BATCH = 4096
"""Sentences."""
_PROGRESS = "encoded.json"
_BLOCKS_SAVED = 16
"""Blocks after which progress is saved."""


class Shelf(NamedTuple):
    """Documents of one source, and what each of them is for."""

    documents: Documents
    parts: UInt8[np.ndarray, " documents"]
    source: int


class _Block(NamedTuple):
    shelf: int
    documents: slice
    text: bytes


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
    done, sizes = _load_progress(folder)
    names = {TRAIN: "train", VALIDATION: "validation", TEST: "test"}
    encode = partial(_encode, tokenizer)
    with ExitStack() as stack:
        writers = {
            part: stack.enter_context(CorpusWriter(folder / name, sizes[name] if sizes else None))
            for part, name in names.items()
        }
        encoded = ordered_map(encode, _blocks(shelves, first=done), workers=workers)
        for number, (block, result) in enumerate(encoded, start=done + 1):
            _distribute(shelves[block.shelf], block.documents, result, writers)
            if number % _BLOCKS_SAVED == 0:
                for writer in writers.values():
                    writer.sync()
                found = {names[part]: writer.sizes() for part, writer in writers.items()}
                state = {"done": number, "sizes": found}
                write_whole(folder / _PROGRESS, json.dumps(state).encode())
            on_progress(int(shelves[block.shelf].documents.stops[block.documents.stop - 1]))
        final = {names[part]: writer.sizes() for part, writer in writers.items()}
    (folder / _PROGRESS).unlink(missing_ok=True)
    return final


def _load_progress(folder: Path) -> tuple[int, dict[str, dict[str, int]]]:
    path = folder / _PROGRESS
    if not path.exists():
        return 0, {}
    state = json.loads(path.read_text())
    return state["done"], state["sizes"]


def _blocks(shelves: Sequence[Shelf], *, first: int) -> Iterator[_Block]:
    runs = ((n, run) for n, shelf in enumerate(shelves) for run in shelf.documents.blocks())
    for number, (shelf, run) in enumerate(runs):
        if number >= first:
            yield _Block(shelf, run, shelves[shelf].documents.read(run))


def _encode(tokenizer: Tokenizer, block: _Block) -> tuple[_Block, Encoded]:
    sentences = block.text.decode().split("\n")[:-1]
    parts = [
        tokenizer.encode_sentences(sentences[first : first + _BATCH])
        for first in range(0, len(sentences), _BATCH)
    ]
    return block._replace(text=b""), concatenate(parts, tokenizer.dtype)


def _distribute(
    shelf: Shelf, run: slice, encoded: Encoded, writers: dict[int, CorpusWriter]
) -> None:
    """Give every document to the part that it is for."""
    lengths = shelf.documents.rows["sentences"][run]
    parts = shelf.parts[run]
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
        writers[part].add(some, lengths[chosen], sources)


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
        for run in shelf.documents.blocks():
            text = shelf.documents.read(run)
            starts = shelf.documents.rows["start"][run].tolist()
            bounds = [start - starts[0] for start in starts] + [len(text)]
            for number, part in enumerate(shelf.parts[run].tolist()):
                if part != DROPPED:
                    hashes[part].update(text[bounds[number] : bounds[number + 1]] + b"\n")
    parts = "\n".join(one.hexdigest() for one in hashes.values())
    return hashlib.blake2b(parts.encode() + b"\n\n", digest_size=DIGEST_SIZE).hexdigest()
