"""Embeddings of a pool in one .npy file, which goes on where it was cut off."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from models.errors import ModelError
from models.files.atomic import write_atomically
from models.media.base import Batch, Store
from models.media.texts.store import TextStore
from models.protocols import Extractor, Indices, Progress

_BLOCK = 256
_BLOCKS_PER_SAVE = 16
_COPIED_VALUES = 2**25


def write_embeddings(
    store: Store,
    make_extractor: Callable[[], Extractor],
    *,
    out: Path,
    progress: Progress | None = None,
    rows: tuple[int, int] | None = None,
) -> None:
    """Write embeddings of the pool to `out`, a float32 .npy file of shape (N, D).

    `out` appears, or grows, in one rename; a killed call resumes where it stopped.

    Args:
        store: the pool, N images or texts.
        make_extractor: called when there is anything to embed.
        out: where the embeddings go.
        progress: counts examples; may raise `Cancelled`.
        rows: compute only rows start..stop-1 and keep the others; default: the missing ones.

    Raises:
        ModelError: `rows` leaves a gap.
    """
    present = int(np.load(out, mmap_mode="r").shape[0]) if out.exists() else 0
    start, stop = rows if rows is not None else (min(present, len(store)), len(store))
    if not 0 <= start <= stop <= len(store) or start > present:
        raise ModelError(
            f"Cannot embed rows {start}..{stop} of {len(store)}: {present} are embedded; start "
            "at or before the first missing row."
        )
    if start == stop and present:
        discard_work(out)
        return
    extractor = make_extractor()
    work = _Work(start, stop, max(present, stop), extractor.dimension)
    array, done = _resume(out, work, getattr(extractor, "dtype", np.float32))
    blocks = _blocks(store, extractor, done, stop)
    while done < stop:
        if progress is not None:
            progress(done, stop)
        for end, batch in islice(blocks, _BLOCKS_PER_SAVE):
            array[done:end] = extractor.extract(batch)
            done = end
        _note_progress(out, array, work, done)
    os.replace(_partial(out), out)
    discard_work(out)
    if progress is not None:
        progress(stop, stop)


def _blocks(
    store: Store, extractor: Extractor, start: int, stop: int
) -> Iterator[tuple[int, Batch]]:
    """Examples start..stop-1 in parts that fit into memory, each with where the next begins."""
    if isinstance(store, TextStore):
        yield from store.beginnings(getattr(extractor, "characters", None), start, stop)
        return
    block: int = getattr(extractor, "block", _BLOCK)
    for first in range(start, stop, block):
        end = min(first + block, stop)
        yield end, store[slice(first, end)]


@dataclass(frozen=True)
class _Work:
    """What a resumable call is about; a call about something else starts over."""

    start: int
    stop: int
    total: int
    dimension: int


def _partial(out: Path) -> Path:
    return out.with_name(out.name + ".partial")


def _state(out: Path) -> Path:
    return out.with_name(out.name + ".partial.json")


def _resume(out: Path, work: _Work, dtype: type[np.floating]) -> tuple[NDArray[Any], int]:
    """Open the unfinished file of the same work, or start one with the rows there already are."""
    with suppress(FileNotFoundError, ValueError):
        noted = json.loads(_state(out).read_text())
        if noted["work"] == asdict(work):
            return open_memmap(_partial(out), mode="r+"), int(noted["done"])
    out.parent.mkdir(parents=True, exist_ok=True)
    _state(out).unlink(missing_ok=True)
    array: NDArray[Any] = open_memmap(
        _partial(out), mode="w+", dtype=dtype, shape=(work.total, work.dimension)
    )
    if out.exists():
        old = np.load(out, mmap_mode="r")
        rows = max(1, _COPIED_VALUES // work.dimension)
        for first in range(0, len(old), rows):
            array[first : min(first + rows, len(old))] = old[first : first + rows]
    _note_progress(out, array, work, work.start)
    return array, work.start


def _note_progress(out: Path, array: NDArray[Any], work: _Work, done: int) -> None:
    # The rows must be on disk before the note that says they are.
    if isinstance(array, np.memmap):
        array.flush()
    noted = json.dumps({"work": asdict(work), "done": done})
    write_atomically(_state(out), lambda part: part.write_text(noted))


def discard_work(out: Path) -> None:
    """Forget what a call that was cut off has written."""
    _state(out).unlink(missing_ok=True)
    _partial(out).unlink(missing_ok=True)


def write_over(path: Path, rows: Indices) -> None:
    """Put noise in the place of (n,) rows of a file of embeddings, those that it has of them.

    They are as long as its first rows on the average, and point anywhere: zeros would be like each
    other, and have no direction at all.
    """
    array: NDArray[Any] = open_memmap(path, mode="r+")
    rows = rows[rows < len(array)]
    if array.ndim != 2 or not len(rows):
        return
    length = float(np.linalg.norm(array[:_BLOCK].astype(np.float64), axis=1).mean())
    generator = np.random.default_rng(len(array))
    width = array.shape[1]
    for start in range(0, len(rows), _BLOCK):
        some = rows[start : start + _BLOCK]
        noise = generator.standard_normal((len(some), width)) * (length / np.sqrt(width))
        array[some] = noise.astype(array.dtype)
    if isinstance(array, np.memmap):
        array.flush()
