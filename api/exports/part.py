"""A part of a project that leaves by itself: which, and how files say that it is no more."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement

from core.database.among import among
from core.tables import Example

FILTERS: Final = "FILTERS.txt"
_AT_ONCE: Final = 2000
_FEW: Final = 10_000
"""Examples of a part that the database is told of anew with each block."""


@dataclass(frozen=True, eq=False)
class Part:
    """What matched filters of the pool when an export began.

    Attributes:
        filters: As they were given, for JSON.
        pool_indices: (N,) ascending.
    """

    filters: Mapping[str, Any]
    pool_indices: NDArray[np.int64]

    def holds(self, pool_indices: Sequence[int]) -> list[bool]:
        """Whether each of some examples, by their pool indices, is of it."""
        wanted = np.asarray(pool_indices, dtype=np.int64)
        left, right = (
            np.searchsorted(self.pool_indices, wanted, side) for side in ("left", "right")
        )
        found: list[bool] = (left < right).tolist()
        return found

    @property
    def said(self) -> str:
        """The filters as one line of JSON."""
        return json.dumps(dict(self.filters), ensure_ascii=False)

    @property
    def text(self) -> str:
        """What stands in ``FILTERS.txt``."""
        return (
            "This is a part of the project: what matched these filters when the export began.\n\n"
            f"{self.said}\n\n"
            f"As many examples matched, labeled or not: {len(self.pool_indices):,}\n"
            "How many labels of a model may be wrong is promised of all of them together, and so\n"
            "not said of those that are here.\n"
        )


def after(part: Part | None, last: int) -> tuple[ColumnElement[bool], int | None]:
    """A condition on examples that come after a pool index, and how far it looks; None: to the end.

    Args:
        part: What they are of; of the whole project if None.
        last: The pool index; -1 to begin with.
    """
    if part is None:
        return Example.pool_index > last, None
    at = int(np.searchsorted(part.pool_indices, last, side="right"))
    some = part.pool_indices[at : at + _AT_ONCE].tolist()
    return among(Example.pool_index, some), some[-1] if some else None


def among_few(part: Part | None, project_id: int) -> Sequence[ColumnElement[bool]]:
    """Conditions by which the database finds the examples of a small part; none of a larger one.

    Of a larger one there are enough among all others to sort them out block by block.
    """
    if part is None or len(part.pool_indices) > _FEW:
        return ()
    few = among(Example.pool_index, part.pool_indices.tolist())
    return (Example.project_id == project_id, few)
