"""How a template becomes a page or a text."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from lit_roberta.comparison.reporting.markdown_text import plain, row, words_of_picture
from lit_roberta.comparison.reporting.table import markdown


def render(template: str, contents: dict[str, Any]) -> str:
    """Fill one of the templates.

    Args:
        template: Its file in `templates/`.
        contents: What it shows, by name; a name that is missing is an error.
    """
    environment = Environment(
        loader=PackageLoader("lit_roberta.comparison.reporting", "templates"),
        autoescape=True,
        finalize=_plain_markdown if template.endswith(".md.j2") else None,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["markdown"] = lambda table: Markup(markdown(table))
    environment.filters["row"] = lambda cells: Markup(row(cells))
    environment.filters["words_of_picture"] = lambda text: Markup(words_of_picture(text))
    environment.filters["evidence"] = _evidence_in_small
    return environment.get_template(template).render(contents)


def _plain_markdown(value: object) -> Markup:
    """Put into a Markdown file what a template shows: as it is, where it is no markup of ours."""
    return value if isinstance(value, Markup) else Markup(plain(str(value)))


def _evidence_in_small(sentence: str) -> Markup:
    """Set the intervals of a sentence back, so that its words can be read first."""
    small = r'<span class="note">\g<0></span>'
    return Markup(re.sub(r"\(95% interval[^)]*\)", small, str(escape(sentence))))
