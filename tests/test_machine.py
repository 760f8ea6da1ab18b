from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from lit_roberta import machine
from lit_roberta.machine import (
    available_cores,
    default_jobs,
    only_gpu,
    threads_of_each,
    visible_gpus,
)


def with_gpus(patch: pytest.MonkeyPatch, count: int) -> None:
    patch.setattr(torch.cuda, "device_count", lambda: count)
    patch.setattr(torch.accelerator, "is_available", lambda: count > 0)


def test_cores_are_those_that_may_be_used() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("asked", "count", "names"),
    [
        (None, 0, []),
        (None, 3, ["0", "1", "2"]),
        ("", 0, []),
        ("2, 7", 2, ["2", "7"]),
        ("GPU-8932f937", 1, ["GPU-8932f937"]),
        ("0,-1,1", 1, ["0"]),
    ],
)
def test_gpus_have_the_names_that_they_were_given(
    asked: str | None, count: int, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_gpus(monkeypatch, count)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if asked is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", asked)
    assert visible_gpus() == names


@pytest.mark.parametrize(("gpus", "cores", "jobs"), [(0, 1, 1), (0, 3, 3), (0, 64, 4), (4, 2, 4)])
def test_there_are_as_many_jobs_as_gpus_and_without_them_as_cores(
    gpus: int, cores: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_gpus(monkeypatch, gpus)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(machine, "available_cores", lambda: cores)
    assert default_jobs() == jobs
    assert threads_of_each(jobs) == max(1, cores // jobs)


@pytest.mark.parametrize("before", [None, "2,7"])
def test_one_gpu_is_shown_for_a_while(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if before is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", before)
    with only_gpu("7"):
        assert os.environ["CUDA_VISIBLE_DEVICES"] == "7"
    assert os.environ.get("CUDA_VISIBLE_DEVICES") == before
    with only_gpu(None):
        assert os.environ.get("CUDA_VISIBLE_DEVICES") == before


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t: 1\n", "AuthenticAMD"),
        ("vendor_id\t: GenuineIntel\n\nvendor_id\t: GenuineIntel\n", "GenuineIntel"),
        ("processor\t: 0\nCPU implementer\t: 0x41\n", None),
        (None, None),
    ],
)
def test_the_maker_of_the_processor_is_read_where_it_says_so(
    text: str | None, maker: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "cpuinfo"
    if text is not None:
        place.write_text(text, encoding="ascii")
    monkeypatch.setattr(machine, "_CPU", place)
    assert machine.maker_of_cpu() == maker
