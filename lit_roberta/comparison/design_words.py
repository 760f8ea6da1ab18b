"""The words of a command line that say how the arms of a comparison relate to one another.

In: options. Out: the fields of a request. What they come to is for `arranging`.
"""

from __future__ import annotations

from typing import Any

from jsonargparse import Namespace

from lit_roberta.comparison.design.grid import read_grid
from lit_roberta.comparison.request import DEFAULT_RECIPES
from lit_roberta.errors import must
from lit_roberta.training.parser import OneLineParser

GRID_RECIPE = "roberta"
"""The recipe of a grid that names none."""


def add_design_options(parser: OneLineParser) -> None:
    """Add what leads from one recipe to another."""
    parser.add_argument(
        "--ladder",
        nargs="+",
        type=str,
        default=[],
        help="Walk from the first of these recipes to the next, one switch at a time, and try "
        "each switch alone, too. `lit-roberta diff A B` names the switches.",
    )
    parser.add_argument(
        "--order",
        nargs="+",
        type=str,
        default=[],
        help="Switches in the order to walk in: masking-copies nsp format batch ...; a+b for two "
        "at once.",
    )
    parser.add_argument(
        "--walk-only", action="store_true", help="Leave out the switches alone: fewer runs."
    )
    parser.add_argument(
        "--grid",
        nargs="+",
        type=str,
        default=[],
        help="Settings with values, as model.optimizer.lr=1e-4,1e-3 data.batch_size=16,64: every "
        "combination is tried on top of each recipe.",
    )
    parser.add_argument(
        "--halving",
        type=int,
        default=0,
        help="Try all points of the grid shortly; one of so many goes on to a budget so many "
        "times as long, by validation loss.",
    )


def read_design_options(asked: Namespace) -> dict[str, Any]:
    """Give the fields of a request.

    Raises:
        UserError: If two of the options say what is compared.
    """
    if asked.ladder and asked.recipes:
        remedy = "A ladder names its recipes itself."
        raise must("--recipes", "be left out beside --ladder", asked.recipes, remedy)
    return {
        "ladder": tuple(asked.ladder),
        "order": tuple(asked.order),
        "alone": not asked.walk_only,
        "grid": read_grid(asked.grid),
        "halving": asked.halving,
    }


def default_recipes(asked: Namespace) -> tuple[str, ...]:
    """Give the recipes of a command line that names none: one below a grid."""
    return (GRID_RECIPE,) if asked.grid else DEFAULT_RECIPES
