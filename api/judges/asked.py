"""Which judge a job asks that is about to be started."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from core.errors import Conflict, Invalid
from core.tables import Judge
from models.catalog.params.select_instructions import SelectInstructionsParams


async def judge_to_ask(session: AsyncSession, params: Mapping[str, Any]) -> int | None:
    """The judge that a job with these parameters asks; None if it asks none.

    Raises:
        Invalid: ``unknown_judge``.
        Conflict: ``no_judge``, or ``several_judges`` where it is not said which.
    """
    given = SelectInstructionsParams.model_validate(params)
    if not (given.judged or given.embedded_by_judge):
        return given.judge_id
    # Held until the job is there, so that nobody removes the judge in between.
    there = select(Judge.id).order_by(Judge.id).with_for_update(read=True, key_share=True)
    known = (await session.scalars(there)).all()
    if given.judge_id is not None:
        if given.judge_id not in known:
            raise Invalid(
                "unknown_judge",
                f"There is no judge {given.judge_id}; see the page of judges.",
                field="params.judge_id",
            )
        return given.judge_id
    if not known:
        raise Conflict(
            "no_judge",
            "There is no judge to ask: an admin has to enter one on the page of judges, or take a "
            "method that asks none, such as k_means_random.",
            field="params.method",
        )
    if len(known) > 1:
        raise Conflict(
            "several_judges",
            "There are several judges; say which one is asked.",
            field="params.judge_id",
        )
    return known[0]
