"""What annotators made of what models proposed: each annotator, and of each model."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from anyio import to_thread
from sqlalchemy import BigInteger, ColumnElement, and_, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.agreement.schemas import ProposalFates, ProposerAgreement
from core.states import Source, Verdict
from core.tables import Annotation, Project, Query
from core.tasks.boxes import BOXES
from core.tasks.proposals import Outcome, outcomes
from core.verdicts.consensus import holds

_ROWS = 500


@dataclass(slots=True)
class _Tally:
    """Of one annotator, or of what one model proposed."""

    answers: int = 0
    found: list[Outcome] = field(default_factory=list)
    paces: list[float] = field(default_factory=list)

    def add(self, boxes: int, found: list[Outcome], seconds: float) -> None:
        if boxes:
            self.paces.append(seconds / boxes)
        if found:
            self.answers += 1
            self.found += found

    def out(self) -> ProposalFates:
        fates = [one.fate for one in self.found]
        adjusted = [one.iou for one in self.found if one.fate == "adjusted" and one.iou is not None]
        shifted = [one for one in self.found if one.is_shifted]
        return ProposalFates(
            answers=self.answers,
            proposals=len(fates),
            kept=fates.count("kept"),
            adjusted=len(adjusted),
            rejected=fates.count("rejected"),
            iou=fmean(adjusted) if adjusted else None,
            seconds_per_box=median(self.paces) if self.paces else None,
            shifted=len(shifted),
            shifted_kept=sum(one.fate == "kept" for one in shifted),
        )


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of proposals.

    Attributes:
        by_annotator: Of boxes, by the id of who answered.
        by_model: By model.
    """

    by_annotator: dict[int, ProposalFates]
    by_model: list[ProposerAgreement]


async def of_boxes(session: AsyncSession, project: Project) -> Made:
    """Of a project of boxes; reviews propose nothing."""
    statement = (
        select(
            Annotation.annotator_id,
            Annotation.label,
            Annotation.seconds,
            Query.proposals,
            Query.proposed_by,
        )
        .join(Query, Query.id == Annotation.query_id)
        .where(_answered(project), Annotation.verdict == Verdict.LABEL)
        .execution_options(yield_per=_ROWS)
    )
    tallies: _Tallies = defaultdict(_Tally), defaultdict(_Tally)
    async for rows in (await session.stream(statement)).partitions(_ROWS):
        await to_thread.run_sync(_add, rows, tallies)
    by_annotator, by_model = tallies
    sums = {model: tally.out() for model, tally in by_model.items()}
    return Made(
        {who: tally.out() for who, tally in by_annotator.items()},
        [
            ProposerAgreement(model=model, answers=found.answers, agreed=None, proposals=found)
            for model, found in _sorted(sums)
        ],
    )


async def of_classes(session: AsyncSession, project: Project) -> list[ProposerAgreement]:
    """By model, of a project of classes."""
    class_id = cast(Query.proposals[0]["class_id"], BigInteger)
    is_same = and_(Annotation.verdict == Verdict.LABEL, Annotation.class_id == class_id)
    statement = (
        select(Query.proposed_by, func.count(), func.count().filter(is_same))
        .join(Query, Query.id == Annotation.query_id)
        .where(
            _answered(project),
            Annotation.verdict.in_((Verdict.LABEL, Verdict.OOD)),
            Query.proposed_by.is_not(None),
        )
        .group_by(Query.proposed_by)
        .order_by(Query.proposed_by)
    )
    return [
        ProposerAgreement(model=model, answers=count, agreed=agreed, proposals=None)
        for model, count, agreed in await session.execute(statement)
    ]


def _answered(project: Project) -> ColumnElement[bool]:
    """Condition: what an annotator has said to a query, and has not corrected."""
    return and_(Annotation.project_id == project.id, Annotation.source == Source.ANNOTATOR, holds())


def _sorted(found: dict[str | None, ProposalFates]) -> list[tuple[str | None, ProposalFates]]:
    return sorted(found.items(), key=lambda one: (one[0] is None, one[0] or ""))


_Tallies = tuple[defaultdict[int, _Tally], defaultdict[str | None, _Tally]]


def _add(rows: Sequence[Any], tallies: _Tallies) -> None:
    by_annotator, by_model = tallies
    for who, stored, seconds, proposals, model in rows:
        # Most have none; to parse their boxes would take longer than all the rest.
        found = outcomes(BOXES.parse(stored), proposals) if proposals else []
        by_annotator[who].add(len(stored["boxes"]), found, seconds)
        if found:
            by_model[model].add(len(stored["boxes"]), found, seconds)
