"""The parts that models are judged on."""

from __future__ import annotations

from lit_roberta.finetuning.loaders import HeldOutPart

PARTS: tuple[HeldOutPart, ...] = ("validation", "test")
