"""A prepared folder, made stage by stage: read, hold out, train a tokenizer, encode, describe.

It gets its manifest when all else is on disk. After an interruption it is gone on with, if what it
is made from is the same; reading goes on at the file, and encoding at the block of documents, at
which it stood.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lit_roberta.data.corpus.overlap import Overlap, measure_overlap
from lit_roberta.data.corpus.split import TEST, TRAIN, VALIDATION, Parts
from lit_roberta.data.corpus.word_sample import sample_words
from lit_roberta.data.preparation.concerns import find_concerns
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.describing import (
    describe_parts,
    note_unknown,
    require_known_tokens,
)
from lit_roberta.data.preparation.encoding import encode_shelves, text_digest
from lit_roberta.data.preparation.facts import gather_facts
from lit_roberta.data.preparation.formats import check_max_length, measure_formats
from lit_roberta.data.preparation.held_out_words import FACT, write_words
from lit_roberta.data.preparation.inputs import files_of, hash_text, inputs_of
from lit_roberta.data.preparation.manifest import PARTS, TOKENIZER, Manifest
from lit_roberta.data.preparation.place import sync_files
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.reading import ReadText, read_text
from lit_roberta.data.preparation.tokenizing import make_tokenizer
from lit_roberta.data.text.files import FileState
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.data.work import num_processors
from lit_roberta.errors import UserError
from lit_roberta.whole_files import write_whole

logger = logging.getLogger(__name__)

Stage = Literal["reading", "comparing", "training the tokenizer", "encoding"]
OnProgress = Callable[[Stage, int], None]
"""Told the stage, and the bytes of text that it is through with."""

_WORTH_PROCESSES = 16 << 20
"""Bytes of files from which on more than one process is started; each takes half a second."""

_INPUTS, _TEXT = "inputs.json", "text"


@dataclass(frozen=True, kw_only=True)
class Making:
    """What is made, where, and with how many hands."""

    config: TextConfig
    tokenizer: Tokenizer | None = None
    """One that is already there; None trains one on the training part."""
    extends: bool = False
    """Whether that one gets the words that the settings ask for. A checkpoint's has them."""
    workers: int | None = None
    """Processes beside this one. None: as many as there are processors, and none for a small
    text."""
    on_progress: OnProgress = lambda stage, size: None
    max_length: int = 128
    """Tokens of an example for which the manifest tells what each format would give."""

    def __post_init__(self) -> None:
        check_max_length(self.max_length)

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """Every setting that decides the tokens, as plain data."""
        return inputs_of(self.config, self.tokenizer, num_words=self.num_words)

    @property
    def num_words(self) -> int:
        """Words that a ready tokenizer gets."""
        is_made = self.tokenizer is None or self.extends
        return self.config.tokenizer.extend if is_made else 0


def make_folder(making: Making, part: Path) -> None:
    """Make a prepared folder.

    Args:
        making: What is made.
        part: Where to; not its final place, which nothing unfinished may stand in.

    Raises:
        UserError: If the text can't be prepared as asked, or a file changed meanwhile. Then
            nothing is left; after any other interruption, what was done is kept.
    """
    with _no_half_measures(part):
        states = [FileState.of(path.resolve()) for path in files_of(making.config)]
        _begin(part, making, states)
        manifest = _fill(part, making, states, workers=workers_for(making, states))
        for state in states:
            if not state.still_holds():
                raise UserError(
                    f"{state.path} must stay as it is while it is read, and was changed. Start "
                    "again."
                )
        sync_files(part)
        shutil.rmtree(part / _TEXT)
        (part / _INPUTS).unlink()
        manifest.write(part)


@contextmanager
def _no_half_measures(part: Path) -> Iterator[None]:
    """Leave nothing behind after a user's error; say what a full disk means."""
    try:
        yield
    except UserError:
        shutil.rmtree(part, ignore_errors=True)
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(
                f"The disk must hold the prepared text, and is full: {part.parent}. Make room and "
                "start again, which goes on from there; or name another folder."
            ) from error
        raise


def _begin(part: Path, making: Making, states: list[FileState]) -> None:
    """Go on with what an interrupted call left, if it was made from the same."""
    inputs = json.dumps(
        [making.inputs, [list(state) for state in states]],
        sort_keys=True,
    )
    path = part / _INPUTS
    if path.is_file() and path.read_text(encoding="utf-8") == inputs:
        logger.info("Going on with what an interrupted preparation has left in %s.", part)
        return
    if part.exists():
        shutil.rmtree(part)
    part.mkdir(parents=True)
    write_whole(path, inputs.encode("utf-8", "surrogatepass"))


def workers_for(making: Making, states: list[FileState]) -> int:
    """Tell how many processes a text is made with, where the files are in the states given."""
    if making.workers is not None:
        return making.workers
    return num_processors() if sum(state.size for state in states) >= _WORTH_PROCESSES else 0


def _fill(part: Path, making: Making, states: list[FileState], *, workers: int) -> Manifest:
    """Go through all stages."""

    def telling(stage: Stage) -> Callable[[int], None]:
        return lambda size: making.on_progress(stage, size)

    text = read_text(making.config, part / _TEXT, workers=workers, on_progress=telling("reading"))
    making.on_progress("comparing", 0)
    notes = [*text.notes, str(_overlap(text, workers=workers))]
    tokenizer = make_tokenizer(
        part / TOKENIZER,
        text,
        config=making.config.tokenizer,
        given=making.tokenizer,
        num_words=making.num_words,
        on_progress=telling("training the tokenizer"),
    )
    sizes = encode_shelves(
        text.shelves, tokenizer, part, workers=workers, on_progress=telling("encoding")
    )
    _drop_empty_sources(part, text, sizes)
    prepared = PreparedText(
        parts=Parts(**{name: _open(part / name, tokenizer) for name in PARTS}),
        tokenizer=tokenizer,
        notes=[*notes, *tokenizer.notices],
        digest=text_digest(text.shelves),
    )
    require_known_tokens(prepared, making.config)
    words = {FACT: write_words(part, sample_words(text.passages(TEST)))}
    return _describe(text, prepared, making, states, sizes, words)


def _describe(
    text: ReadText,
    prepared: PreparedText,
    making: Making,
    states: list[FileState],
    sizes: dict[str, dict[str, int]],
    facts: dict[str, Any],
) -> Manifest:
    """Look at what was made, and say it beside the facts that are known already."""
    facts |= gather_facts(text, prepared)
    test_documents = prepared.parts.test.num_documents
    concerns = find_concerns(facts, making.config, test_documents=test_documents)
    given = making.tokenizer is not None
    unknown = note_unknown(prepared, making.config.tokenizer, given=given)
    prepared.notes.extend([*concerns, describe_parts(prepared), *unknown])
    facts |= {"concerns": [*concerns, *unknown]} | facts_at_length(prepared, making.max_length)
    return Manifest(
        inputs=making.inputs,
        files=[list(state) for state in states],
        digest=prepared.digest,
        tokenizer=hash_text(prepared.tokenizer.to_json()),
        vocab_size=prepared.tokenizer.vocab_size,
        token_bits=8 * prepared.parts.train.tokens.itemsize,
        parts={
            name: {
                "documents": corpus.num_documents,
                "sentences": corpus.num_sentences,
                "tokens": corpus.num_tokens,
                "bytes": sizes[name],
            }
            for name, corpus in vars(prepared.parts).items()
        },
        notes=prepared.notes,
        facts=facts,
        weights=making.config.weights,
    )


def facts_at_length(text: PreparedText, max_length: int) -> dict[str, Any]:
    """Tell what training at a length would see, as facts of a manifest."""
    return {"training": measure_formats(text.parts.train, max_length=max_length)}


def _overlap(text: ReadText, *, workers: int) -> Overlap:
    held_out = chain(text.passages(VALIDATION), text.passages(TEST))
    return measure_overlap(text.passages(TRAIN), held_out, workers=workers)


def _drop_empty_sources(part: Path, text: ReadText, sizes: dict[str, dict[str, int]]) -> None:
    """Leave out what says nothing: which source a document is of, where there is one."""
    if len({shelf.source for shelf in text.shelves}) == 1:
        for name, files in sizes.items():
            del files["sources"]
            (part / name / "sources").unlink()


def _open(folder: Path, tokenizer: Tokenizer) -> TokenizedCorpus:
    return TokenizedCorpus.open(folder, np.dtype(tokenizer.dtype))
