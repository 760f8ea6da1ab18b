"""How far the reading of a corpus has come, so that it can go on after any interruption."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lit_roberta.data.corpus.documents import Sizes
from lit_roberta.whole_files import write_whole

_PROGRESS = "progress.json"


@dataclass
class ReadingProgress:
    """The files that are done, and what was written of them."""

    files: int = 0
    """Files that are read to their ends."""
    sizes: Sizes = field(default_factory=lambda: Sizes(0, 0))
    control_characters: int = 0
    replacement_characters: dict[str, int] = field(default_factory=dict)
    """By the number of the file."""
    boundary_found: bool = False

    @classmethod
    def load(cls, folder: Path) -> ReadingProgress:
        """Load what was saved; a start where nothing was."""
        path = folder / _PROGRESS
        if not path.exists():
            return cls()
        state: dict[str, Any] = json.loads(path.read_text())
        return cls(**state | {"sizes": Sizes(*state["sizes"])})

    def save(self, folder: Path) -> None:
        """Save it beside and rename it; what it tells of has to be on disk by then."""
        write_whole(folder / _PROGRESS, json.dumps(asdict(self)).encode())
