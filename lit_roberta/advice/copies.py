"""Whether the number of differently masked copies can matter to a run at all."""

from __future__ import annotations

import math
from typing import Literal

from lit_roberta.counted import counted


def copies_can_matter(passes: int | float, copies: int | Literal["dynamic"] | None) -> bool:
    """Tell whether static masks with so many copies differ from dynamic ones within a run.

    While a run makes no more passes over its examples than there are copies, no mask comes round
    twice, and the two are the same run.

    Args:
        passes: Over the examples.
        copies: Differently masked copies of the text. None or
            dynamic: masks are dynamic anyway.
    """
    return isinstance(copies, int) and passes > copies


def say_whether_copies_matter(passes: int | float, copies: int | Literal["dynamic"] | None) -> str:
    """Say in a sentence what the number of masking copies means for a run.

    Example:
        >>> say_whether_copies_matter(3, 10)
        'At 3.0 passes over the examples, static masks with 10 copies and dynamic ones are the \
same run: no mask comes round twice.'
    """
    at = f"At {passes:,.1f} passes over the examples"
    if not isinstance(copies, int):
        enough = counted(max(1, math.ceil(passes)), "copy", "copies")
        return f"{at}, dynamic masks and static ones with {enough} or more are the same run."
    known = counted(copies, "copy", "copies")
    if copies_can_matter(passes, copies):
        return f"{at}, each mask of {known} is met some {passes / copies:,.1f} times."
    return (
        f"{at}, static masks with {known} and dynamic ones are the same run: "
        "no mask comes round twice."
    )
