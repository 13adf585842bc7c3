"""What each annotator made of the boxes that models proposed."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from anyio import to_thread
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.agreement.schemas import ProposalFates
from core.consensus import holds
from core.states import Source, Verdict
from core.tables import Annotation, Project, Query
from core.tasks.boxes import BOXES
from core.tasks.proposals import Outcome, outcomes

_ROWS = 500


@dataclass(slots=True)
class _Tally:
    """Of one annotator."""

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


async def fates(session: AsyncSession, project: Project) -> dict[int, ProposalFates]:
    """Of each annotator of a project of boxes, by id; reviews propose nothing."""
    statement = (
        select(Annotation.annotator_id, Annotation.label, Annotation.seconds, Query.proposals)
        .join(Query, Query.id == Annotation.query_id)
        .where(
            Annotation.project_id == project.id,
            Annotation.source == Source.ANNOTATOR,
            Annotation.verdict == Verdict.LABEL,
            holds(),
        )
        .execution_options(yield_per=_ROWS)
    )
    tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
    async for rows in (await session.stream(statement)).partitions(_ROWS):
        await to_thread.run_sync(_add, rows, tallies)
    return {who: tally.out() for who, tally in tallies.items()}


def _add(rows: Sequence[Any], tallies: defaultdict[int, _Tally]) -> None:
    for who, stored, seconds, proposals in rows:
        # Most have none; to parse their boxes would take longer than all the rest.
        found = outcomes(BOXES.parse(stored), proposals) if proposals else []
        tallies[who].add(len(stored["boxes"]), found, seconds)
