"""How much memory an import takes, over what the same command takes for a tiny model.

The model is of RoBERTa's base size, with random weights, in every form that is read. The peak is
the system's own count, mapped files included.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from lit_roberta.exchange.names import their_names, with_trunk
from lit_roberta.exchange.shapes import their_shape
from lit_roberta.model.config import EncoderConfig

GOAL = 1.2
"""The most that an import may take, in times of the weights."""

BASE = EncoderConfig(
    vocab_size=50265,
    hidden_size=768,
    num_hidden_layers=12,
    num_attention_heads=12,
    intermediate_size=3072,
    type_vocab_size=1,
)
TINY = EncoderConfig(vocab_size=99, hidden_size=16, num_attention_heads=2, intermediate_size=32)


def draw(encoder: EncoderConfig) -> dict[str, Tensor]:
    """Draw the weights of a RoBERTa with its masked-LM head."""
    table = their_names("roberta", num_layers=encoder.num_hidden_layers)
    names = [name for parts in table.values() for name in parts if not name.startswith("pooler")]
    return {
        with_trunk(name, "roberta"): torch.randn(their_shape(name, encoder, padding_rows=2))
        for name in names
    }


def write_settings(encoder: EncoderConfig, folder: Path) -> None:
    """Write the settings beside the weights."""
    sizes = {name: value for name, value in vars(encoder).items() if name != "tanh_pooler"}
    sizes["max_position_embeddings"] += 2
    (folder / "config.json").write_text(json.dumps({"model_type": "roberta", **sizes}))


def _safetensors(weights: dict[str, Tensor], folder: Path) -> None:
    save_file(weights, folder / "model.safetensors")


def _archive(weights: dict[str, Tensor], folder: Path) -> None:
    torch.save(weights, folder / "pytorch_model.bin")


def _before_torch_1_6(weights: dict[str, Tensor], folder: Path) -> None:
    path = folder / "pytorch_model.bin"
    torch.save(weights, path, _use_new_zipfile_serialization=False)


FORMS: dict[str, Callable[[dict[str, Tensor], Path], None]] = {
    "model.safetensors": _safetensors,
    "pytorch_model.bin": _archive,
    "the same, older": _before_torch_1_6,
}


_IMPORT = """
import sys
from pathlib import Path
from lit_roberta.__main__ import main
status = main(["import", *sys.argv[1:]])
lines = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
sys.exit(status)
"""
"""An import that says its own peak: what the system says of a child begins with its parent's."""


def peak(folder: Path) -> int:
    """Import a model in a process of its own, and give its largest resident memory in bytes."""
    target = folder / "it.ckpt"
    command = [sys.executable, "-c", _IMPORT, str(folder), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    target.unlink()
    return 1024 * int(done.stdout)


def measure(encoder: EncoderConfig, form: str, place: Path) -> tuple[int, int]:
    """Give the bytes of a model's weights, and the peak of its import."""
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        weights = draw(encoder)
        size = sum(weight.nbytes for weight in weights.values())
        write_settings(encoder, folder)
        FORMS[form](weights, folder)
        del weights
        return size, peak(folder)


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("importing", description=__doc__, allow_abbrev=False)
    parser.parse_args(arguments)
    print("Peak memory of `lit-roberta import`, over that of a tiny model, in MB")
    print(f"{'form':<20} {'weights':>8} {'peak':>8} {'times':>6}")
    with tempfile.TemporaryDirectory() as place:
        for form in FORMS:
            size, large = measure(BASE, form, Path(place))
            _, small = measure(TINY, form, Path(place))
            times = (large - small) / size
            line = f"{form:<20} {size / 1e6:8.0f} {(large - small) / 1e6:8.0f} {times:6.2f}"
            print(line, flush=True)
    print(f"(goal: at most {GOAL} times the weights)")


if __name__ == "__main__":
    main(sys.argv[1:])
