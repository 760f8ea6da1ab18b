from __future__ import annotations

from pathlib import Path

import pytest

from lit_roberta.planning.available import available_memory

GIB = 2**30


def write(root: Path, files: dict[str, object]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="ascii")
    return root


MACHINE = {"proc/meminfo": f"MemTotal: {8 * 2**20} kB\nMemAvailable:    {6 * 2**20} kB"}
V2 = "sys/fs/cgroup"
V1 = "sys/fs/cgroup/memory"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        pytest.param({}, 6, id="no limit"),
        pytest.param({f"{V2}/memory.max": "max", f"{V2}/memory.current": 5}, 6, id="v2 unlimited"),
        pytest.param(
            {f"{V2}/memory.max": 4 * GIB, f"{V2}/memory.current": GIB}, 3, id="v2 in a container"
        ),
        pytest.param(
            {
                f"{V2}/a/memory.max": 2 * GIB,
                f"{V2}/a/memory.current": GIB,
                f"{V2}/a/b/memory.max": "max",
                f"{V2}/a/b/memory.current": GIB,
            },
            1,
            id="v2 further up",
        ),
        pytest.param(
            {
                f"{V2}/memory.max": 4 * GIB,
                f"{V2}/memory.current": 3 * GIB,
                f"{V2}/memory.stat": f"anon 5\ninactive_file {GIB}",
            },
            2,
            id="v2 with a cache",
        ),
        pytest.param(
            {f"{V1}/c/memory.limit_in_bytes": 2 * GIB, f"{V1}/c/memory.usage_in_bytes": GIB},
            1,
            id="v1",
        ),
        pytest.param(
            {f"{V1}/c/memory.limit_in_bytes": 2**63 - 4096, f"{V1}/c/memory.usage_in_bytes": 1},
            6,
            id="v1 unlimited",
        ),
        pytest.param(
            {f"{V2}/memory.max": GIB, f"{V2}/memory.current": 2 * GIB}, 0, id="over the limit"
        ),
    ],
)
def test_the_lowest_limit_counts(groups: dict[str, object], expected: int, tmp_path: Path) -> None:
    own = {"proc/self/cgroup": "7:cpu,memory:/c\n0::/a/b"}
    assert available_memory(write(tmp_path, {**MACHINE, **own, **groups})) == expected * GIB
