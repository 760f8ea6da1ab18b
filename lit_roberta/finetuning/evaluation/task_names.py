"""Which tasks are meant by a name: one, those of GLUE, or all whose folders are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.tasks.table import TaskSpec, all_tasks, find_task, plain
from lit_roberta.training.arguments import shipped_configs

GLUE = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli", "qnli", "rte", "wnli")
"""Without the hyphens that some write."""
MNLI = "mnli"
FROM_MNLI = ("rte", "mrpc", "stsb")
"""What starts from MNLI's best model (Liu et al. 2019, section 5.1)."""


def task_names(asked: Sequence[str], folder: Path | None) -> tuple[list[str], list[str]]:
    """Find the tasks that names stand for.

    Args:
        asked: Names, with `glue` and `all` among them.
        folder: With the folders of the tasks.

    Returns:
        The tasks, each once; and those of `glue` or `all` whose folder is missing.

    Raises:
        UserError: If there is no such task, it has no folder, or that one is not there.
    """
    found: list[str] = []
    missing: list[str] = []
    for name in asked:
        if name in ("glue", "all"):
            wanted = _of_benchmarks(glue_only=name == "glue")
            here = [spec.name for spec in wanted if _is_there(spec, _required(folder, name))]
            missing += [spec.name for spec in wanted if spec.name not in here]
            if not here:
                remedy = f"Its folders are called {', '.join(s.folder or s.name for s in wanted)}."
                raise must("--data", f"hold a folder of {name}", str(folder), remedy)
            found += here
        else:
            found.append(_one(name, folder).name)
    return list(dict.fromkeys(found)), list(dict.fromkeys(missing))


def config_of(name: str) -> str | None:
    """Find the shipped configuration of a task."""
    for file in sorted((shipped_configs() / "finetune").glob("*.yaml")):
        if plain(file.stem) == plain(name):
            return str(file)
    return None


def _of_benchmarks(*, glue_only: bool) -> list[TaskSpec]:
    specs = [spec for spec in all_tasks().values() if spec.folder is not None]
    if not glue_only:
        return specs
    by_name = {plain(spec.name): spec for spec in specs}
    return [by_name[name] for name in GLUE if name in by_name]


def _one(name: str, folder: Path | None) -> TaskSpec:
    try:
        spec = find_task(name)
    except UserError as error:
        raise UserError(str(error).replace("data.task", "--tasks", 1)) from error
    if spec.folder is None:
        remedy = "Write its settings into a file, and give --task-config FILE."
        raise must("--tasks", "be tasks of benchmarks", name, remedy)
    place = _required(folder, name)
    if not _is_there(spec, place):
        remedy = f"Give --data the folder that holds {spec.folder}."
        raise must(f"the folder of {name}", "be there", str(place / spec.folder), remedy)
    return spec


def _required(folder: Path | None, name: str) -> Path:
    if folder is None:
        remedy = "Give the folder that holds the tasks' folders."
        raise must("--data", f"be there for {name}", None, remedy)
    if not folder.is_dir():
        remedy = "Give the folder that holds the tasks' folders."
        raise must("--data", "be a folder", str(folder), remedy)
    return folder


def _is_there(spec: TaskSpec, folder: Path) -> bool:
    return spec.folder is not None and (folder / spec.folder).is_dir()
