"""What was said of images, as files write it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.exports.tables import BY_MODEL
from core.states import ExampleState, Verdict
from core.tables import Annotation, CertificateLot, Round, User
from core.tasks.registry import label_of, written
from core.tasks.spec import Label

SAID: Final = {
    ExampleState.LABELED: Verdict.LABEL,
    ExampleState.OOD: Verdict.OOD,
    ExampleState.UNSURE: Verdict.UNSURE,
}


@dataclass(frozen=True, slots=True)
class Certified:
    """What a label of a model rests on: its probability, the lot, and the share of it at risk."""

    probability: float | None
    lot: int
    bound: float | None


@dataclass(frozen=True, slots=True)
class Vote:
    """A verdict that is part of what an image counts as; ``email`` if its author has an account.

    ``class_name`` is its ``label`` as files write it, of classification the name of the class. One
    of a model is ``certified``. ``note`` stands beside it.
    """

    annotation_id: int
    annotator: str
    email: str | None
    verdict: Verdict
    class_name: str | None
    seconds: float
    created_at: datetime
    round: int | None
    label: Label | None = None
    certified: Certified | None = None
    note: str | None = None


def counts_as(state: ExampleState, verdicts: Collection[Verdict]) -> Verdict | None:
    """What an image of the pool counts as, by verdicts on it: a skip only if nothing else is."""
    is_skipped = verdicts and all(one is Verdict.SKIP for one in verdicts)
    return SAID.get(state) or (Verdict.SKIP if is_skipped else None)


async def votes_of(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[Any]:
    """Rows of annotations, for ``read_votes``."""
    statement = (
        select(
            Annotation.example_id,
            Annotation.id,
            Annotation.source_name,
            User.email,
            Annotation.verdict,
            Annotation.label,
            Annotation.seconds,
            Annotation.created_at,
            Round.number,
            Annotation.probability,
            CertificateLot.id,
            CertificateLot.bound,
            Annotation.note,
        )
        .outerjoin(Round, Round.id == Annotation.round_id)
        .outerjoin(User, User.id == Annotation.annotator_id)
        .outerjoin(CertificateLot, CertificateLot.id == Annotation.lot_id)
        .where(which)
        .order_by(Annotation.id)
    )
    rows: Sequence[Any] = (await session.execute(statement)).all()
    return rows


def read_votes(
    rows: Sequence[Any], classes: Mapping[int, str], *, is_part: bool = False
) -> defaultdict[int, list[Vote]]:
    """Votes of each example; those stay behind of classes that are not among ``classes``.

    Where they are of a part alone nothing bounds what of it is wrong.
    """
    found: defaultdict[int, list[Vote]] = defaultdict(list)
    for row in rows:
        example_id, id_, source, email, verdict, stored, *rest, probability, lot, bound, note = row
        label = label_of(stored)
        text = written(label, classes)
        certified = None
        if lot is not None:
            certified = Certified(probability, lot, None if is_part else bound)
        author = email or source or ("" if certified is None else BY_MODEL)
        if stored is None or text is not None:
            said = (verdict, text, *rest, label, certified, note)
            found[example_id].append(Vote(id_, author, email, *said))
    return found
