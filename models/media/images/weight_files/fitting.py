"""Whether the tensors of a file are those of a network, and putting them into it."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from models.errors import ModelError
from models.media.images.weight_files.header import (
    Header,
    Preprocessing,
    preprocessing_of,
    read_header,
)
from models.media.images.weight_files.whole import digest_of

_DIGEST: Final = re.compile("[0-9a-f]{64}")
# What normalisation counts, and nothing is computed from; older files have none.
_COUNTER: Final = "num_batches_tracked"
_NAMED: Final = 3


def digest(file: str) -> str:
    """Return the SHA-256 of a file of weights, in hexadecimal; the name may be it already."""
    stem = Path(file).stem
    return stem if _DIGEST.fullmatch(stem) else digest_of(Path(file))


def left_aside(
    header: Header, model: nn.Module, heads: Collection[str], architecture: str
) -> tuple[str, ...]:
    """Say which tensors of a file are of no use to a network without its head.

    Args:
        header: of the file.
        model: the network, pooled, its own head removed.
        heads: names of the parts that were removed.
        architecture: what the file is said to be of, for errors.

    Returns:
        Names of tensors of removed parts, in the order of the file.

    Raises:
        ModelError: a tensor is missing, of another shape, or of another network.
    """
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    shapes = header.shapes
    is_it = f"is this file of {architecture}?"
    missing = [one for one in wanted if one not in shapes and not one.endswith(_COUNTER)]
    if missing:
        raise ModelError(
            f"{_tensors(missing)} missing; {is_it} What it holds begins with {next(iter(shapes))}."
        )
    for name, shape in wanted.items():
        if shapes.get(name, shape) != shape:
            raise ModelError(
                f"Tensor {name} is {_by(shapes[name])} and would have to be {_by(shape)}; {is_it}"
            )
    others = [name for name in shapes if name not in wanted]
    strange = [one for one in others if not any(one.startswith(f"{head}.") for head in heads)]
    if strange:
        raise ModelError(f"{_tensors(strange)} not part of this network; {is_it}")
    return tuple(others)


def _tensors(names: list[str]) -> str:
    listed = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED} more are" if len(names) > _NAMED else ""
    is_ = "" if more else " is" if len(names) == 1 else " are"
    return f"Tensor{'s' if len(names) > 1 else ''} {listed}{more}{is_}"


def _by(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "a number"


def fill(model: nn.Module, file: Path, heads: Collection[str], architecture: str) -> Preprocessing:
    """Put the tensors of a file into a network.

    Args:
        model: as for `left_aside`.
        file: a safetensors file; one that is named by its SHA-256 has to have it.
        heads: as for `left_aside`.
        architecture: as for `left_aside`.

    Returns:
        What the file says that the network expects of images.

    Raises:
        ModelError: as `left_aside`, or the file is missing, unreadable or another than it was.
    """
    if not file.is_file():
        raise ModelError(f"The file of weights {file} is missing; upload it again.")
    if _DIGEST.fullmatch(file.stem) and file.stem != digest_of(file):
        raise ModelError(f"The file of weights {file} has changed; upload it again.")
    header = read_header(file)
    aside = left_aside(header, model, heads, architecture)
    state = model.state_dict()
    state |= read_finite(file, [name for name in header.shapes if name not in aside])
    model.load_state_dict(state)
    return preprocessing_of(header.metadata)


def read_finite(file: Path, names: Collection[str]) -> Mapping[str, torch.Tensor]:
    """Read tensors by name.

    Raises:
        ModelError: one has numbers that are none (infinite, or NaN), or the file cannot be read.
    """
    found = {}
    try:
        with safe_open(file, framework="pt", device="cpu") as content:
            for name in names:
                tensor = torch.clone(content.get_tensor(name))
                if tensor.is_floating_point() and not bool(torch.isfinite(tensor.float()).all()):
                    raise ModelError(f"Tensor {name} holds numbers that are infinite or none.")
                found[name] = tensor
    except SafetensorError as error:
        raise ModelError(f"{file.name} is not a readable safetensors file: {error}.") from error
    return found


def require_finite(file: Path, header: Header) -> None:
    """Read every tensor, one at a time: a file may be larger than what is free of the memory.

    Raises:
        ModelError: as `read_finite`.
    """
    for name in header.shapes:
        read_finite(file, [name])
