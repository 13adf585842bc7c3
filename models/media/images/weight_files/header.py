"""What a safetensors file says of itself, read without its tensors. Torch-free.

Source: https://github.com/huggingface/safetensors, section Format: eight bytes with the length of a
JSON object, little-endian, the object, and the bytes of the tensors without gaps.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any, Final

from models.errors import ModelError

MOST_HEADER: Final = 4 << 20
"""Bytes: networks with thousands of tensors take a tenth of it."""
MOST_TENSORS: Final = 20_000
_MOST_AXES: Final = 8
_METADATA: Final = "__metadata__"
_BITS: Final = {
    **{"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "U16": 16, "I16": 16, "F16": 16},
    **{"BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64},
}
_PICKLED: Final = frozenset({".pth", ".pt", ".bin", ".ckpt", ".pkl", ".pickle", ".tar"})
# A zip, as PyTorch writes now, and a pickle, as it did.
_PICKLE_BEGINNINGS: Final = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_NUMBER: Final = re.compile(r"[0-9.eE+-]+")


@dataclass(frozen=True)
class Header:
    """What a file holds.

    Attributes:
        shapes: Of each tensor by its name.
        metadata: What else the file says.
    """

    shapes: Mapping[str, tuple[int, ...]]
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class Preprocessing:
    """What a network expects of images, as far as its file says so.

    Attributes:
        mean: Of each channel, of pixels in 0..1.
        std: Of each channel.
        input_size: Side, in pixels.
    """

    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    input_size: int | None = None


def require_name(filename: str) -> None:
    """Refuse what its name says is no safetensors file.

    Raises:
        ModelError: With what helps; a pickle is told how to be made into one.
    """
    suffix = Path(filename).suffix.lower()
    if suffix in _PICKLED:
        raise _pickled(filename)
    if suffix != ".safetensors":
        raise ModelError(
            f"{filename or 'A nameless file'} is no .safetensors file; weights are read from "
            "nothing else."
        )


def _pickled(filename: str) -> ModelError:
    stem = Path(filename).stem
    return ModelError(
        f"{filename} is a pickle, which can run code, so it is not read. Make a safetensors file "
        "of it where you trust it: "
        f'python -c "import torch; from safetensors.torch import save_file as s; '
        f"s(torch.load('{filename}', map_location='cpu', weights_only=True), "
        f"'{stem}.safetensors')\""
    )


def read_header(path: Path, filename: str | None = None) -> Header:
    """Read names, shapes and metadata; nothing of it is trusted, and its size is bounded.

    Args:
        path: The file.
        filename: What errors call it; else its name.

    Raises:
        ModelError: It is no whole safetensors file.
    """
    name = filename or path.name
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(8)
        if first.startswith(_PICKLE_BEGINNINGS):
            raise _pickled(name)
        length = int.from_bytes(first, "little")
        if len(first) < 8 or not 2 <= length <= size - 8:
            raise _no_file(name, "it does not begin with a header")
        if length > MOST_HEADER:
            raise _no_file(name, f"its header has {length:,} bytes, and may have {MOST_HEADER:,}")
        text = file.read(length)
    try:
        found = json.loads(text.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise _no_file(name, f"its header is no JSON ({str(error)[:200]})") from error
    if not isinstance(found, dict):
        raise _no_file(name, "its header is no object")
    metadata = found.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(one, str) for one in metadata.values()):
        raise _no_file(name, "its metadata is no table of text")
    if not 1 <= len(found) <= MOST_TENSORS:
        raise _no_file(name, f"it holds {len(found):,} tensors, not 1 to {MOST_TENSORS:,}")
    return Header(_shapes(found, size - 8 - length, name), metadata)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _shapes(tensors: Mapping[str, Any], room: int, name: str) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, once it is sure that their bytes are all there, and no others."""
    places, shapes = [], {}
    for tensor, said in tensors.items():
        told: dict[str, Any] = said if isinstance(said, dict) else {}
        shape, place = told.get("shape"), told.get("data_offsets")
        bits = _BITS.get(str(told.get("dtype")))
        if bits is None:
            raise _no_file(name, f"tensor {tensor[:200]} has no type that is known")
        if not isinstance(shape, list) or not _counts(shape) or len(shape) > _MOST_AXES:
            raise _no_file(name, f"tensor {tensor[:200]} has no shape")
        if not isinstance(place, list) or not _counts(place) or len(place) != 2:
            raise _no_file(name, f"tensor {tensor[:200]} has no place in the file")
        begin, end = place
        if end - begin != prod(shape) * bits // 8:
            raise _no_file(name, f"tensor {tensor[:200]} takes other room than its shape does")
        places.append((begin, end))
        shapes[tensor] = tuple(shape)
    at = 0
    for begin, end in sorted(places):
        if begin != at:
            raise _no_file(name, "its tensors overlap, or leave gaps")
        at = end
    if at != room:
        raise _no_file(
            name, f"its tensors take {at:,} bytes, and it has {room:,} of them; was it cut off?"
        )
    return shapes


def _counts(values: list[Any]) -> bool:
    return all(type(one) is int and one >= 0 for one in values)


def preprocessing_of(metadata: Mapping[str, str]) -> Preprocessing:
    """Read `mean`, `std` and `input_size`, numbers in JSON or divided by commas, if they are given.

    `input_size` may be a side, or channels, height and width, as timm has it.

    Raises:
        ModelError: One of them is something else.
    """
    mean, std = (_numbers(metadata, name, (3,)) for name in ("mean", "std"))
    if std is not None and min(std) <= 0:
        raise ModelError("The file's metadata: std has to be above zero.")
    size = _numbers(metadata, "input_size", (1, 3))
    if size is not None and (size[-1] != size[-1] // 1 or not 8 <= size[-1] <= 1024):
        raise ModelError("The file's metadata: input_size has to be 8 to 1024 px.")
    return Preprocessing(mean, std, None if size is None else int(size[-1]))


def _numbers(
    metadata: Mapping[str, str], name: str, counts: tuple[int, ...]
) -> tuple[float, ...] | None:
    text = metadata.get(name)
    if text is None:
        return None
    try:
        found = tuple(float(one) for one in _NUMBER.findall(text[:200]))
    except ValueError:
        found = ()
    if len(found) not in counts or not all(map(isfinite, found)):
        wanted = " or ".join(map(str, counts))
        raise ModelError(
            f"The file's metadata: {name} has to be {wanted} numbers, not {text[:60]!r}."
        )
    return found


def _no_file(name: str, reason: str) -> ModelError:
    return ModelError(f"{name} is no readable safetensors file: {reason}.")
