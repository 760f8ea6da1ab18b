"""The tables as files for a paper or a spreadsheet, and the numbers of every run.

In: tables and results. Out: `tables/<name>.csv`, `tables/<name>.tex` and `tables/runs.csv`. The
LaTeX needs the package booktabs and nothing else.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run
from lit_roberta.whole_files import write_whole

TABLES = "tables"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+%?( .*)?")
"""A cell of a column that is set to the right."""


def write_tables(tables: Iterable[Table], results: Results, folder: Path) -> None:
    """Write every table in both kinds, and the runs.

    Args:
        tables: Those of the report.
        results: What they are of.
        folder: Of the report; the files lie in a folder in it.
    """
    for table in tables:
        write_table(table, folder)
    write_whole(folder / TABLES / "runs.csv", as_csv(_runs(results)).encode())


def write_table(table: Table, folder: Path) -> None:
    """Write a table in both kinds, into a folder of tables in the one of a report."""
    place = folder / TABLES
    place.mkdir(exist_ok=True)
    write_whole(place / f"{table.name}.csv", as_csv([table.header, *table.rows]).encode())
    write_whole(place / f"{table.name}.tex", latex(table).encode())


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Write rows as RFC 4180 has them, but with plain ends of lines."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def latex(table: Table) -> str:
    r"""Write a table for a paper that uses booktabs.

    Example:
        >>> print(latex(Table(name="t", caption="A 5% cap.", header=["a_b"], rows=[["1 +/- 2"]])))
        \begin{table}
          \centering
          \caption{A 5\% cap.}
          \label{tab:t}
          \begin{tabular}{l}
            \toprule
            a\_b \\
            \midrule
            1 $\pm$ 2 \\
            \bottomrule
          \end{tabular}
        \end{table}
        <BLANKLINE>
    """
    sides = ["l"] + [_side(column) for column in list(zip(*table.rows, strict=True))[1:]]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{escaped(table.caption)}}}",
            rf"  \label{{tab:{table.name}}}",
            rf"  \begin{{tabular}}{{{''.join(sides)}}}",
            r"    \toprule",
            f"    {_line(table.header)}",
            r"    \midrule",
            *(f"    {_line(row)}" for row in table.rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    r"""Write text so that LaTeX sets it as it is.

    Example:
        >>> print(escaped("50% of bert_10 & <b>"))
        50\% of bert\_10 \& \textless{}b\textgreater{}
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text).replace(
        "\N{MINUS SIGN}", "$-$"
    )


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(text: str) -> str:
    """Write a cell: signs as signs of mathematics, line breaks as spaces."""
    plain = escaped(" ".join(text.split())).replace("+/-", r"$\pm$")
    if plain.startswith(("[", "*")):
        plain = f"{{}}{plain}"  # else an option of the line break before it
    return re.sub(r"^-(?=[\d.])", "$-$", plain)


def _side(column: Sequence[str]) -> str:
    """Set a column of numbers to the right."""
    return "r" if all(not cell or _NUMBER.fullmatch(cell) for cell in column) else "l"


def _runs(results: Results) -> list[list[object]]:
    """Give one row a run with all its single numbers, as exact as they are."""
    plain = [
        "updates",
        "sequences",
        "tokens",
        "predictions",
        "text_passes",
        "epochs",
        "flops",
        "seconds",
        "train_mlm_loss",
        "train_mlm_loss_fresh_masks",
        "validation_loss",
        "best_update",
        "nsp_accuracy",
        "nsp_accuracy_b_alone",
    ]
    formats = results.formats
    header = ["recipe", "seed", *plain, *(f"heldout.{format}.mlm_loss" for format in formats)]

    def row(run: Run) -> list[object]:
        numbers = [getattr(run, name) for name in plain]
        losses = [run.heldout[format].mlm_loss for format in formats]
        return [run.recipe, run.seed, *numbers, *losses]

    return [[*header], *map(row, results.runs)]
