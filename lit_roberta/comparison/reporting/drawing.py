"""How every chart looks, and how a figure becomes a picture that a page can hold.

A chart is drawn once. As SVG its colours become CSS variables, so that one picture serves light
and dark, and its text stays text; as PNG it has the light colours.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lit_roberta.whole_files import write_whole

PICTURES = "pictures"
"""Their folder, beside the page."""

WIDTH = 5.2
"""Inches. At 72 points an inch this is about the width of a phone, where letters are smallest."""

INK, MUTED, FAINT, PAPER = "#1b1f24", "#57606a", "#d0d7de", "#fefefe"

ARM_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8a6d00", "#4b8bbe")
"""Told apart with any colour vision (Okabe and Ito 2008, darkened); the markers differ as well."""
ARM_MARKERS = ("o", "s", "^", "D", "v", "P")
ARM_LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 2)))

BEHIND_TEXT = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}
"""What keeps a number readable where a line runs through it."""

_POINTS_PER_INCH = 72
"""Of an SVG, so that a place in the figure is a place in the picture."""

_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    FAINT: "--faint",
    PAPER: "--paper",
    **{colour: f"--arm-{place}" for place, colour in enumerate(ARM_COLOURS)},
}

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.labelcolor": MUTED,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.size": 10.5,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "lit_roberta",
    "text.color": INK,
    "text.parse_math": False,  # names are names, whatever stands between dollar signs
    # Where names at the left leave little room, the words below have that room, too.
    "xaxis.labellocation": "right",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
}


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A drawn chart with its words."""

    name: str
    """Of the file, and of the place in the page."""
    title: str
    description: str
    """What it shows, for whoever can't see it: with the numbers."""
    svg: str
    """To be put into a page as it is."""
    file: str
    """The same as a file of its own, with the light colours."""
    png: bytes
    origin: str
    """Which numbers of which files it is drawn from."""
    hover: dict[str, Any] | None = None
    """Where its points lie and what they are, for a page that shows values on touch."""


@contextmanager
def chart_style() -> Iterator[None]:
    """Draw in the common style, and leave matplotlib's own settings as they were."""
    with mpl.rc_context(_STYLE):
        yield


def new_figure(*, rows: int, height: float, ratios: Sequence[float] | None = None) -> Figure:
    """Make an empty figure of the common width, with its panels above each other."""
    figure = Figure(figsize=(WIDTH, height), dpi=_POINTS_PER_INCH, layout="constrained")
    figure.subplots(rows, 1, squeeze=False, height_ratios=ratios)
    return figure


def arm_style(place: int) -> dict[str, Any]:
    """Give colour, dashes and marker of an arm: no two of the first 36 arms have the same."""
    return {
        "color": ARM_COLOURS[place % 6],
        "linestyle": ARM_LINES[(place + place // 6) % 6],
        "marker": ARM_MARKERS[(place + place // 6) % 6],
    }


def colour_variable(colour: str) -> str:
    """Give the CSS variable that stands for a colour of the charts in a page."""
    return _VARIABLES[colour]


def finish(
    figure: Figure,
    *,
    name: str,
    title: str,
    description: str,
    origin: str,
    hover: Callable[[], dict[str, Any]] | None = None,
) -> Chart:
    """Turn a figure into both kinds of picture.

    Args:
        figure: The figure.
        name: Of the chart, its files, and its place in a page.
        title: Of the chart.
        description: What it shows, with the numbers.
        origin: Which numbers of which files it is drawn from.
        hover: Tells where the points lie, once everything has its place.
    """
    vector, pixels = io.StringIO(), io.BytesIO()
    with warnings.catch_warnings():  # a box stands for such a letter; SVGs have other fonts
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        figure.savefig(vector, format="svg", metadata={"Date": None, "Creator": None})
        places = None if hover is None else hover()
        figure.set_layout_engine("none")  # everything has its place, which takes long to find
        figure.savefig(pixels, format="png", dpi=160, metadata={"Software": None, "Title": title})
    svg = _shortened(vector.getvalue())
    return Chart(
        name=name,
        title=title,
        description=description,
        svg=_embed(svg, name=name, title=title, description=description),
        file=svg,
        png=pixels.getvalue(),
        origin=origin,
        hover=places,
    )


def save_pictures(charts: Sequence[Chart], folder: Path) -> None:
    """Write each chart as a PNG and as an SVG file, in a folder of their own."""
    place = folder / PICTURES
    place.mkdir(exist_ok=True)
    for chart in charts:
        write_whole(place / f"{chart.name}.png", chart.png)
        write_whole(place / f"{chart.name}.svg", chart.file.encode())


def _shortened(svg: str) -> str:
    """Round the numbers in the tags of an SVG to hundredths of a point, which nobody sees."""

    def rounded(tag: re.Match[str]) -> str:
        return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found.group()):.2f}", tag.group())

    return re.sub(r"<[^>]+>", rounded, svg)


def reference_line(axes: Axes, value: float, text: str, *, dashes: str, side: str) -> None:
    """Draw a line across a chart at a loss, with its name above and to one side."""
    axes.axvline(value, color=MUTED, linestyle=dashes, linewidth=1.2, zorder=1)
    axes.annotate(
        text,
        (value, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(3 if side == "left" else -3, 3),
        textcoords="offset points",
        ha=side,
        va="bottom",
        color=MUTED,
        fontsize=9,
    )


def write_beside(
    axes: Axes, place: tuple[int | float, int | float], text: str, *, gap: int = 6
) -> None:
    """Write a number to the right of a mark or a bar, readable where a line runs through it."""
    axes.annotate(
        text,
        place,
        xytext=(gap, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        bbox=BEHIND_TEXT,
        zorder=4,
    )


def _embed(svg: str, *, name: str, title: str, description: str) -> str:
    """Make a stand-alone SVG one that can live in a page beside others."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # Ids are made unique, since a page has only one name space for all of its pictures.
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    view = re.search(r'viewBox="[^"]+"', svg)
    assert view is not None, "matplotlib writes a view box"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {view.group()} role="img" class="chart" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
    return re.sub(r"<svg[^>]*>", lambda _: head, svg, count=1)
