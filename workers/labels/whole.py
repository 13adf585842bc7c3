"""The whole that random draws are a sample of: see ``docs/adr``, 0055."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Float, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from core.states import Source, Split
from core.tables import Annotation, Audit, Example, Query
from models.guarantee.estimates import Part
from workers.labels.draws import Array, Batch, Draws
from workers.labels.snapshot import Snapshot

_MOST_GONE: Final = 0.05
"""Share of what was drawn from that may have left it otherwise, and the draws still count.

Of so few estimates take that all may have been right, or none.
"""
_ROWS: Final = 10_000


@dataclass(frozen=True)
class Departures:
    """What has left what is drawn from, or come back, but by strategies and by draws.

    Attributes:
        indices: (E,) int64 pool indices; -1 where it is not known which.
        times: (E,) float64, in seconds since 1970.
    """

    indices: Array
    times: NDArray[np.float64]

    def count(self, since: float, end: float, first: int = 0) -> int:
        """How many since then, with pool indices from ``first`` to before ``end``."""
        there = (self.indices >= first) & (self.indices < end)
        return int(((there | (self.indices < 0)) & (self.times >= since)).sum())


def departures(session: Session, project_id: int, batches: Sequence[Batch]) -> Departures:
    """What has left since the first of the batches was drawn.

    That is what was labeled first by hand, by an import of labels, on request, by a model, or as a
    check for a certificate, and what was held out, or is no longer. What was taken so was taken
    from all but the draws, which had been answered: what they tell of is no longer what is left.
    """
    if not batches:
        return Departures(np.empty(0, dtype=np.int64), np.empty(0))
    labeled, held_out = _departures(project_id, batches)
    rows = session.execute(labeled.execution_options(yield_per=_ROWS))
    found = np.fromiter(
        map(tuple, rows), dtype=np.dtype([("index", np.int64), ("time", np.float64)])
    )
    held = session.execute(held_out).all()
    times = np.repeat([at.timestamp() for _, at in held], [images for images, _ in held])
    return Departures(
        np.concatenate([found["index"], np.full(len(times), -1)]),
        np.concatenate([found["time"], times]),
    )


def has_departures(session: Session, project_id: int, batches: Sequence[Batch]) -> bool:
    """Whether anything has left since the first of one or more batches was drawn."""
    return any(
        session.execute(one.limit(1)).first() is not None
        for one in _departures(project_id, batches)
    )


def _departures(
    project_id: int, batches: Sequence[Batch]
) -> tuple[Select[int, float], Select[int, datetime]]:
    """What was labeled, by pool index and second, and how many were held out or no longer, when."""
    since = datetime.fromtimestamp(min(one.since for one in batches), UTC)
    before = aliased(Annotation)
    is_first = ~exists().where(
        before.example_id == Annotation.example_id, before.id < Annotation.id
    )
    labeled = (
        select(Example.pool_index, func.extract("epoch", Annotation.created_at).cast(Float))
        .join(Example, Example.id == Annotation.example_id)
        .outerjoin(Query, Query.id == Annotation.query_id)
        .where(
            Annotation.project_id == project_id,
            Annotation.created_at >= since,
            Example.split == Split.POOL,
            or_(
                Annotation.source == Source.MODEL,
                and_(is_first, or_(Query.id.is_(None), and_(Query.requested, ~_is_fair()))),
            ),
        )
    )
    held_out = select(Audit.detail["images"].as_integer(), Audit.at).where(
        Audit.project_id == project_id,
        Audit.object_type == "examples",
        Audit.verb.in_(("hold_out", "release")),
        Audit.at >= since,
    )
    return labeled, held_out


def _is_fair() -> ColumnElement[bool]:
    """Condition: a query was drawn uniformly."""
    return and_(Query.audit, Query.audit_probability.is_not(None))


@dataclass(frozen=True)
class Whole:
    """What random draws are a sample of, in K parts: within each all were as likely to be drawn.

    Attributes:
        places: (n,) int64, which of the draws count, in the order of their answers.
        part: (n,) int64, 0..K-1, which part each is of.
        parts: K.
        beyond: How many are left that no draw speaks of, as they came later.
        past: How many draws were answered that count no more, as too much has left what they were
            drawn from.
    """

    places: Array
    part: Array
    parts: list[Part]
    beyond: int
    past: int


def whole_of(draws: Draws, snapshot: Snapshot, gone: Departures, *, skipped: bool) -> Whole:
    """Find out which draws tell of what is left, and of what of it.

    Args:
        draws: Of a project, as of the snapshot.
        snapshot: What is known.
        gone: What has left since the first of the draws.
        skipped: Whether those count, too, that were shown, and of which nobody has said anything.
    """
    stands = np.array(
        [gone.count(one.since, one.of) <= _MOST_GONE * one.free for one in draws.batches] + [False]
    )
    said, shown = np.isin(draws.indices, snapshot.audited), draws.answered > 0
    answered = shown & (np.isin(draws.indices, snapshot.candidates) if skipped else said)
    # What somebody judged by hand, drawn or not, has left what the others are a sample of.
    counts = stands[draws.batch] & ~(said & ~shown)
    order = np.argsort(draws.answered, kind="stable")
    places = order[(answered & counts)[order]]
    left = np.setdiff1d(snapshot.candidates, draws.indices[~counts])
    taken = np.intersect1d(snapshot.unlabeled, draws.indices[~counts])
    batch = draws.batch[places]
    ends = np.unique([draws.batches[one].of for one in np.unique(batch)])
    part, parts, others = (
        np.searchsorted(ends, of, "right") for of in (draws.indices[places], left, taken)
    )
    # Of a part of which nothing was drawn nothing is known.
    known, at = np.unique(part, return_inverse=True)
    found = []
    for one in known.tolist():
        since = min(draws.batches[mine].since for mine in np.unique(batch[part == one]))
        left_it = gone.count(since, ends[one], ends[one - 1] if one else 0)
        found.append(Part(int((parts == one).sum()), left_it + int((others == one).sum())))
    return Whole(
        places=places,
        part=at,
        parts=found,
        beyond=len(left) - sum(one.size for one in found),
        past=int((answered & (draws.batch >= 0) & ~stands[draws.batch]).sum()),
    )
