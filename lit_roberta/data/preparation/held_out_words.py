"""Sampled words of the test part, kept in a prepared folder, where there is no text any more."""

from __future__ import annotations

import json
from pathlib import Path

from lit_roberta.data.corpus.word_sample import WordSample
from lit_roberta.data.preparation.inputs import hash_text
from lit_roberta.errors import must
from lit_roberta.whole_files import write_whole

WORDS = "test-words.json"
FACT = "test_words"
"""The fact of a manifest that holds the hash of the file. Folders of older versions have none."""


def write_words(folder: Path, sample: WordSample) -> str:
    """Write a sample into a folder, and give its hash."""
    text = json.dumps(sample.as_json(), ensure_ascii=False)
    write_whole(folder / WORDS, text.encode())
    return hash_text(text)


def read_words(folder: Path, expected: str | None) -> WordSample | None:
    """Read the sample of a folder; None where none was written.

    Args:
        folder: A prepared one.
        expected: The hash of the file; None where none was written.

    Raises:
        UserError: If it is not what was written.
    """
    if expected is None:
        return None
    try:
        text = (folder / WORDS).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    if hash_text(text) != expected:
        remedy = "Prepare the text anew, or copy the folder again."
        raise must("data.corpus", f"hold its sampled words in {WORDS}", str(folder), remedy)
    return WordSample.from_json(json.loads(text))
