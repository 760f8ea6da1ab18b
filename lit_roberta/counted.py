"""How many there are of something, in words."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Write a number with what it counts.

    Args:
        count: How many.
        noun: One of them.
        plural: Several of them, where that is not the noun with an s.

    Example:
        >>> counted(1, "text"), counted(2000, "text"), counted(0, "copy", "copies")
        ('1 text', '2,000 texts', '0 copies')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
