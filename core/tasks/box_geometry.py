"""Which boxes of one list are those of another: overlap and matching. Pure."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float64]
"""(N, 4) left, top, right, bottom in pixels; right > left, bottom > top."""

Classes = NDArray[np.int64]
Pair = tuple[int, int, float]
"""Position in one list, position in the other, and their IoU."""

BLOCK: Final = 1 << 20
"""The most overlaps that are worked out at once."""
CANDIDATES: Final = 64
"""The most partners that are considered of one box where boxes lie by the thousand."""
EXACT: Final = 100_000
"""Up to so many candidates the matching is the largest that there is."""


def iou(one: Corners, other: Corners) -> NDArray[np.float64]:
    """Intersection over union of each pair.

    Args:
        one: (A, 4).
        other: (B, 4).

    Returns:
        (A, B) in 0..1; 1 is the same box.
    """
    left_top = np.maximum(one[:, None, :2], other[None, :, :2])
    right_bottom = np.minimum(one[:, None, 2:], other[None, :, 2:])
    sides = np.clip(right_bottom - left_top, 0.0, None)
    inside = sides[..., 0] * sides[..., 1]
    union = areas(one)[:, None] + areas(other)[None, :] - inside
    found: NDArray[np.float64] = inside / union
    return found


def areas(corners: Corners) -> NDArray[np.float64]:
    """(N,) square pixels."""
    found: NDArray[np.float64] = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    return found


def matched(
    one: Corners,
    other: Corners,
    *,
    classes: tuple[Classes, Classes] | None = None,
    at_least: float = 0.5,
) -> list[Pair]:
    """One-to-one pairs of boxes, those that overlap most first.

    First each pair that overlaps most among those that are free; then, as far as there are
    no crowds of candidates, partners change as long as that makes one pair more. So the number of
    pairs is the largest possible, and the same whichever list comes first.

    Args:
        one: (A, 4).
        other: (B, 4).
        classes: Of both, (A,) and (B,): only boxes of the same class are paired. All are if None.
        at_least: The smallest IoU of a pair, in (0, 1].

    Returns:
        Pairs in order of their position in ``one``.
    """
    rows, columns, overlaps = _candidates(one, other, classes, at_least)
    # Ties by position, lexsort's last key is its first.
    order = np.lexsort((columns, rows, -overlaps))
    partner: dict[int, int] = {}
    taken: dict[int, int] = {}
    overlap: dict[tuple[int, int], float] = {}
    of = list(zip(*(it[order].tolist() for it in (rows, columns, overlaps)), strict=True))
    for row, column, value in of:
        overlap[row, column] = value
        if row not in partner and column not in taken:
            partner[row], taken[column] = column, row
    if len(of) <= EXACT:
        _augment(of, partner, taken)
    return [(row, column, overlap[row, column]) for row, column in sorted(partner.items())]


def _candidates(
    one: Corners, other: Corners, classes: tuple[Classes, Classes] | None, at_least: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs that overlap enough: rows, columns, IoU."""
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    for rows, columns in _blocks(one, other):
        overlaps = iou(one[rows], other[columns])
        if classes is not None:
            overlaps[classes[0][rows][:, None] != classes[1][columns][None, :]] = 0.0
        if len(one) * len(other) > BLOCK and len(columns) > CANDIDATES:
            fewest = np.partition(overlaps, -CANDIDATES, axis=1)[:, -CANDIDATES, None]
            overlaps[overlaps < fewest] = 0.0
            # Of crowds of equals the first ones, so that memory has a bound.
            overlaps[np.cumsum(overlaps > 0, axis=1) > CANDIDATES] = 0.0
        row, column = np.nonzero(overlaps >= at_least)
        found.append((rows[row], columns[column], overlaps[row, column]))
    if not found:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, np.zeros(0)
    joined = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    return joined[0], joined[1], joined[2]


def _blocks(one: Corners, other: Corners) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Positions to compare with each other: all at once, or strips of a crowded picture."""
    if not len(one) or not len(other):
        return
    if len(one) * len(other) <= BLOCK:
        yield np.arange(len(one)), np.arange(len(other))
        return
    rows, columns = np.argsort(one[:, 0], kind="stable"), np.argsort(other[:, 0], kind="stable")
    lefts = other[columns, 0]
    widest = float((other[:, 2] - other[:, 0]).max())
    step = max(BLOCK // len(other), 1)
    for start in range(0, len(rows), step):
        strip = rows[start : start + step]
        first = int(np.searchsorted(lefts, one[strip, 0].min() - widest))
        last = int(np.searchsorted(lefts, one[strip, 2].max()))
        if last > first:
            yield strip, np.sort(columns[first:last])


def _augment(of: Sequence[Pair], partner: dict[int, int], taken: dict[int, int]) -> None:
    """Let pairs change partners as long as one box more finds one (Kuhn 1955).

    What a search in vain has seen leads to no free column later either, and is not seen again: so
    all of those together take as long as one.
    """
    wanted: dict[int, list[int]] = defaultdict(list)
    for row, column, _ in of:
        wanted[row].append(column)
    in_vain: set[int] = set()
    for free in sorted(wanted.keys() - partner.keys()):
        came: dict[int, int] = {}
        waiting, found = deque([free]), False
        while waiting:
            row = waiting.popleft()
            for column in wanted[row]:
                if column in came or column in in_vain:
                    continue
                came[column] = row
                if column in taken:
                    waiting.append(taken[column])
                    continue
                _rewire(column, came, partner, taken)
                waiting.clear()
                found = True
                break
        if not found:
            in_vain.update(came)


def _rewire(
    column: int, came: dict[int, int], partner: dict[int, int], taken: dict[int, int]
) -> None:
    """Give a free column to the row that came for it, and that row's own to the one before."""
    end: int | None = column
    while end is not None:
        row = came[end]
        before = partner.get(row)
        partner[row], taken[end] = end, row
        end = before
