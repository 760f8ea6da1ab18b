from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and unpack it where no checkout is near."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run([sys.executable, *build], check=True, capture_output=True, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run_installed(site: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    # -P and the path: what is imported is the wheel's, not this checkout's.
    environment = {**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "lit_roberta", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


@pytest.mark.slow
def test_every_folder_of_the_package_is_in_the_wheel(installed: Path) -> None:
    here = {path.relative_to(ROOT) for path in ROOT.glob("lit_roberta/**/*.py")}
    there = {path.relative_to(installed) for path in installed.glob("lit_roberta/**/*.py")}
    assert here == there


@pytest.mark.slow
def test_wheel_trains_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    done = run_installed(
        installed,
        *("train", "fit", "--config", "roberta.yaml", "--trainer.fast_dev_run", "true"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_wheel_compares_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    done = run_installed(
        installed,
        *("compare", "--seeds", "1", "--budget.unit", "updates", "--budget.amount", "2"),
        *("--output", "report"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report" / "report.html").is_file()
