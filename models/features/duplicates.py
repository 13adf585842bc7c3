"""Which examples of a pool are the same, and how far each is from its nearest others.

The nearest of each image are found by features, which tell what is shown; whether two of them are
one picture, their outlines tell, which are small and grey. So pictures of the same thing are no
duplicates, and what was saved anew, in another size, or brighter, is.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn import functional

from models.device import best_device
from models.media.base import Store
from models.media.images.outlines import image_outlines
from models.media.images.store import images_of
from models.media.texts.outlines import text_outlines
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Progress

CANDIDATES: Final = 24
"""So many of the nearest by the short rows are compared in full."""
_SHORT: Final = 128
_SHORTENED_FROM: Final = 4096
_SAMPLE: Final = 16_384
_ROWS: Final = 1024
_COLUMNS: Final = 16_384
_LEADERS: Final = 256
"""After so many images it is said how far grouping is."""
_APART: Final = 64.0
"""Pictures whose brightness is so far apart, of 255, are not the same, whatever their outlines."""


def nearest_rows(
    embeddings: Any,
    width: int,
    *,
    out: Path,
    done: int = 0,
    progress: Progress | None = None,
    save: Callable[[int], None] | None = None,
) -> None:
    """Find the nearest others of each of N rows, among the best by short rows exactly.

    In a pool of more than a few thousand images rows are shortened to the directions that they
    share most of, and the best `CANDIDATES` of each by these are compared in full.

    Args:
        embeddings: (N, D) float32 or float16, N >= 2, may be memory-mapped.
        width: how many leading columns are compared.
        out: where two .npy files go, from where an earlier call got to: `out`.rows, (N, k) int32,
            the nearest first, and `out`.cosines, (N, k) float32; k = min(CANDIDATES, N - 1).
        done: how many rows an earlier call has written.
        progress: counts rows; may raise `Cancelled`.
        save: is told how many rows are on the disk.
    """
    count = len(embeddings)
    k = min(CANDIDATES, count - 1)
    device = best_device()
    short = _short_rows(embeddings, width).to(device)
    rows, cosines = nearest_files(out)
    mode = "r+" if done else "w+"
    found = open_memmap(rows, mode=mode, dtype=np.int32, shape=(count, k))
    near = open_memmap(cosines, mode=mode, dtype=np.float32, shape=(count, k))
    for start in range(done, count, _ROWS):
        stop = min(start + _ROWS, count)
        if progress is not None:
            progress(start, count)
        candidates = _best(short, start, stop, k).cpu().numpy()
        exact = _cosines(embeddings, width, np.arange(start, stop), candidates)
        order = np.argsort(-exact, axis=1, kind="stable")
        found[start:stop] = np.take_along_axis(candidates, order, 1)
        near[start:stop] = np.take_along_axis(exact, order, 1)
        if save is not None and (start // _ROWS) % 16 == 15:
            found.flush()
            near.flush()
            save(stop)
    found.flush()
    near.flush()
    if progress is not None:
        progress(count, count)


def nearest_files(out: Path) -> tuple[Path, Path]:
    """Return the two files of `nearest_rows`."""
    return out.with_suffix(".rows"), out.with_suffix(".cosines")


def isolation_of(cosines: Float32Array, nearest: int) -> Float32Array:
    """Mean cosine distance to the nearest others.

    Args:
        cosines: (N, k), the highest first.
        nearest: how many of them count; all if there are fewer.

    Returns:
        (N,) float32 in 0..2, higher = more alone.
    """
    mean = 1 - cosines[:, :nearest].mean(axis=1)
    isolation: Float32Array = np.clip(mean, 0, 2).astype(np.float32)
    return isolation


def outlines(pool: Store, progress: Progress | None = None) -> tuple[Any, Float32Array]:
    """Outline the N pictures, or texts, of a store.

    Returns:
        (N, P) float16 of length 1, whose products are correlations, and (N,) mean brightness of
        0..255, which is the same of all texts.
    """
    if pool.medium == "text":
        prints = text_outlines(pool, progress)
        return prints, np.zeros(len(prints), dtype=np.float32)
    return image_outlines(images_of(pool), progress)


def groups_of(
    rows: NDArray[np.int32],
    cosines: Float32Array,
    prints: Any,
    means: Float32Array,
    *,
    similarity: float,
    correlation: float,
    progress: Progress | None = None,
) -> Indices:
    """Group the images that show the same picture.

    Two are linked if one is among the nearest of the other and they pass both thresholds. Whatever
    hangs together by links is looked at once more: each member has to be the same as the one that
    stands for all, so that no chain of small differences, as between the frames of a film, leads
    from one picture to another. What hangs together only by such a chain is not compared.

    Args:
        rows: (N, k) the nearest of each.
        cosines: (N, k) of their features.
        prints: (N, P), see `outlines`.
        means: (N,) likewise.
        similarity: least cosine.
        correlation: least product of outlines.
        progress: counts images, once by their links and once more by their groups; may raise
            `Cancelled`.

    Returns:
        (N,) int64: the image that stands for all that show the same, the first of them; -1 for one
        that is alone.
    """
    count, k = rows.shape
    first = np.repeat(np.arange(count), k)[(cosines >= similarity).ravel()]
    second = rows[cosines >= similarity].astype(np.int64)
    kept = np.zeros(len(first), dtype=np.bool_)
    for start in range(0, len(first), _COLUMNS):
        if progress is not None:
            progress(int(first[start]), count)
        some = slice(start, start + _COLUMNS)
        kept[some] = _same(prints, means, first[some], second[some], correlation)
    links = np.sort(np.stack([first[kept], second[kept]], axis=1), axis=1)
    links = np.unique(links, axis=0) if len(links) else links.reshape(0, 2)
    return _grouped(links, count, prints, means, correlation, progress)


def _grouped(
    links: Indices,
    count: int,
    prints: Any,
    means: Float32Array,
    correlation: float,
    progress: Progress | None,
) -> Indices:
    group = np.full(count, -1, dtype=np.int64)
    both = np.concatenate([links, links[:, ::-1]])
    graph = csr_array((np.ones(len(both), dtype=np.int8), both.T), shape=(count, count))
    linked = np.unique(links)
    # Those with most links first; of equals the first that was imported.
    leaders = linked[np.argsort(-np.diff(graph.indptr)[linked], kind="stable")]
    is_left = np.ones(count, dtype=np.bool_)
    compared_with = np.full(count, -1, dtype=np.int64)
    for place, leader in enumerate(leaders.tolist()):
        if progress is not None and place % _LEADERS == 0:
            progress(place, count)
        if not is_left[leader]:
            continue
        is_left[leader] = False
        members = joined = np.array([leader])
        # From member to member: what only hangs on others is another picture, or a part of a chain.
        while len(joined):
            near = np.unique(np.concatenate([_linked_to(graph, one) for one in joined.tolist()]))
            near = near[is_left[near] & (compared_with[near] != leader)]
            compared_with[near] = leader
            joined = near[_same(prints, means, np.array([leader]), near, correlation)]
            is_left[joined] = False
            members = np.concatenate([members, joined])
        if len(members) > 1:
            group[members] = members.min()
    return group


def _linked_to(graph: csr_array, image: int) -> Indices:
    linked: Indices = graph.indices[graph.indptr[image] : graph.indptr[image + 1]]
    return linked


def _same(
    prints: Any, means: Float32Array, first: Indices, second: Indices, correlation: float
) -> NDArray[np.bool_]:
    """Whether (M,) images are the same as (M,) others, or as the one of a (1,): (M,)."""
    same: NDArray[np.bool_] = np.abs(means[first] - means[second]) <= _APART
    for start in range(0, len(second), _COLUMNS):
        some = slice(start, start + _COLUMNS)
        ones = prints[first if len(first) == 1 else first[some]].astype(np.float32)
        products = np.vecdot(ones, prints[second[some]].astype(np.float32))
        same[some] &= products >= correlation
    return same


def _short_rows(embeddings: Any, width: int) -> Tensor:
    """Return the (N, d) rows of length 1, or their products with the main directions."""
    count = len(embeddings)
    if count <= _SHORTENED_FROM or width <= _SHORT:
        return functional.normalize(torch.from_numpy(_read(embeddings, slice(None), width)))
    drawn = np.sort(np.random.default_rng(0).choice(count, min(count, _SAMPLE), replace=False))
    sample = functional.normalize(torch.from_numpy(_read(embeddings, drawn, width)))
    _, vectors = torch.linalg.eigh(sample.T @ sample)
    basis = vectors[:, -_SHORT:]
    short = torch.empty((count, _SHORT))
    for start in range(0, count, _ROWS):
        some = torch.from_numpy(_read(embeddings, slice(start, start + _ROWS), width))
        short[start : start + _ROWS] = functional.normalize(some) @ basis
    return short


def _read(embeddings: Any, rows: slice | Indices, width: int) -> Float32Array:
    """Take the leading columns of some rows, as float32: detectors keep theirs in half of that."""
    return np.array(embeddings[rows, :width], dtype=np.float32)


def _best(short: Tensor, start: int, stop: int, k: int) -> Tensor:
    """Return the (stop - start, k) rows with the highest products, none with itself."""
    wanted = short[start:stop]
    values = torch.full((stop - start, 0), 0.0, device=short.device)
    found = torch.empty((stop - start, 0), dtype=torch.int64, device=short.device)
    for first in range(0, len(short), _COLUMNS):
        last = min(first + _COLUMNS, len(short))
        products = wanted @ short[first:last].T
        low, high = max(first, start), min(last, stop)
        if low < high:
            own = torch.arange(low, high, device=short.device)
            products[own - start, own - first] = -torch.inf
        here, places = products.topk(min(k, last - first), dim=1)
        values = torch.cat([values, here], dim=1)
        found = torch.cat([found, places + first], dim=1)
        values, places = values.topk(min(k, values.shape[1]), dim=1)
        found = found.gather(1, places)
    return found


def _cosines(
    embeddings: Any, width: int, rows: Indices, candidates: NDArray[np.int64]
) -> Float32Array:
    """Compare (B,) rows with their (B, k) candidates in full."""
    own = unit_rows(_read(embeddings, rows, width))
    exact = np.empty(candidates.shape, dtype=np.float32)
    for place in range(candidates.shape[1]):
        other = unit_rows(_read(embeddings, candidates[:, place], width))
        exact[:, place] = np.vecdot(own, other)
    np.clip(exact, -1, 1, out=exact)
    return exact
