"""What a person asks a comparison for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lit_roberta.comparison.choosing import EVERY, Choice
from lit_roberta.comparison.design.budget import Budget
from lit_roberta.comparison.design.grid import check_grid
from lit_roberta.comparison.design.study_file import Study
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.errors import must

DEFAULT_RECIPES = ("bert", "bert-10", "roberta")
"""The notebook's BERT with one mask for ever, the paper's with ten, and RoBERTa."""

DEFAULT_SEEDS = 5

MOST_SEEDS = 1000
"""Those behind belong to the runs that choose learning rates and to halving, so many of each."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What is compared, and how."""

    recipes: Sequence[str | Variant] = DEFAULT_RECIPES
    """Configuration files, or shipped ones by name, or either with settings of its own."""
    study: Study | None = None
    """The study that asks it, where one does."""
    ladder: Sequence[str] = ()
    """Recipes to walk between, one switch at a time, in place of recipes side by side."""
    order: Sequence[str] = ()
    """Switches in the order to walk in; empty for the usual one."""
    alone: bool = True
    """Whether a ladder tries each switch alone, too."""
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By setting: values, of which every combination is an arm of every recipe."""
    halving: int = 0
    """One of so many points of the grid goes on to a budget so many times as long; 0: all do."""
    seeds: int = DEFAULT_SEEDS
    """Runs of each recipe, with seeds 0, 1, ..."""
    order_seeds: int = 0
    """Orders of the text, each with every seed's initial weights; 0: the order has the seed."""
    budget: Budget = field(default_factory=Budget)
    """What each run may use."""
    output: Path = Path("comparison-report")
    """Folder of the report and the runs."""
    jobs: int | None = None
    """Runs made at once; None for as many as this machine takes well."""
    tune_lr: int = 0
    """Runs at each learning rate of the grid, before the comparison."""
    probes: bool = False
    """Whether the runs answer minimal pairs, too."""
    finetune: Sequence[str] = ()
    """Configuration files of fine-tuning: tasks that every run learns once, too."""
    overlays: Sequence[str] = ()
    """Configuration files for all recipes, read after each one's own."""
    overrides: Sequence[str] = ()
    """Settings for all recipes, as `data.max_length=128`."""
    budgets: Sequence[float] = ()
    """Amounts in the budget's unit, each a comparison of its own; empty for one budget."""
    choice: Choice = EVERY
    """Which of the runs are made now."""
    command: str = "compare_recipes(...)"
    """How the same comparison is started again, for the report."""

    def __post_init__(self) -> None:
        for name, value, least in (
            ("seeds", self.seeds, 0),
            ("order-seeds", self.order_seeds, 0),
            ("tune-lr", self.tune_lr, 0),
            ("jobs", 1 if self.jobs is None else self.jobs, 1),
        ):
            if value < least:
                raise must(f"--{name}", f"be {least} or more", value, "Give a whole number.")
            if value > MOST_SEEDS:
                remedy = "Nobody needs so many."
                raise must(f"--{name}", f"be at most {MOST_SEEDS:,}", value, remedy)
        if not self.recipes:
            raise must("--recipes", "name at least one file", [], "Leave it out for the default.")
        self._check_design()
        if not self.seeds and not self.tune_lr:
            raise must("--seeds", "be 1 or more", 0, "Only with --tune-lr is there a point in 0.")

    def _check_design(self) -> None:
        """Refuse two ways at once to say which arms there are."""
        check_grid(self.grid, halving=self.halving, tune_lr=self.tune_lr)
        for name, other in (("--ladder", self.ladder), ("--order-seeds", self.order_seeds)):
            if self.grid and other:
                raise must(name, "be left out beside --grid", other, "Ask one after the other.")
        if self.order and not self.ladder:
            raise must("--order", "come with --ladder", list(self.order), "Name two recipes.")
        if self.ladder and self.order_seeds:
            remedy = "Ask one thing after the other."
            raise must("--order-seeds", "be left out beside --ladder", self.order_seeds, remedy)
