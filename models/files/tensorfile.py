"""Atomic safetensors files whose metadata says what they are."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from models.errors import ModelError
from models.files.atomic import write_atomically


def write(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write tensors and metadata so that a reader sees the old file or the new one, never half."""
    path = Path(path)
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    stored = dict(metadata)
    write_atomically(path, lambda partial: save_file(contiguous, partial, metadata=stored))


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read tensors (on the CPU) and metadata.

    Raises:
        ModelError: the file is missing or no safetensors file.
    """
    with _opened(path) as file:
        # Clone: the tensors would otherwise keep the mapped file alive.
        tensors = {name: torch.clone(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
        return tensors, dict(file.metadata() or {})


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Take those whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def read_metadata(path: Path) -> dict[str, str]:
    """Read the metadata alone, which takes no time however large the tensors are.

    Raises:
        ModelError: the file is missing or no safetensors file.
    """
    with _opened(path) as file:
        return dict(file.metadata() or {})


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    if not Path(path).is_file():
        raise ModelError(f"No such file: {path}.")
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            yield file
    except SafetensorError as error:
        raise ModelError(f"{path} is not a readable safetensors file: {error}.") from error


def describe(name: str, params: Mapping[str, Any], **facts: object) -> dict[str, str]:
    """Build the metadata of a model file: catalog name, params, and further facts as strings."""
    stored = {"name": name, "params": json.dumps(dict(params), sort_keys=True)}
    return stored | {key: str(value) for key, value in facts.items()}
