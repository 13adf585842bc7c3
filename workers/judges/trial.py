"""Asking a judge once, so that somebody sees whether it answers as it should."""

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session, sessionmaker

from core.settings import Settings
from core.settings.addresses import Allowed
from core.tables import Judge as JudgeRow
from workers.judges import prompts
from workers.judges.client import Judge
from workers.judges.errors import JudgeDown, Unanswered
from workers.judges.settings import JudgeSettings, Patience

logger = logging.getLogger(__name__)

_PATIENCE: Final = Patience(full=5.0, silent=2.0, retries=0, alone=1, refused=2)
_SHOWN: Final = 500
_LOCK: Final = 0x747269616C
_MOST: Final = 16
# Shorter than PostgreSQL lets a transaction wait, as the lock is held by one.
_LONGEST_SECONDS: Final = 45.0
_LONGEST_WAIT: Final = timedelta(seconds=_LONGEST_SECONDS + 15)
_ROWS: Final = (
    "Name the capital of France.\n\nThe capital of France is Paris",
    "Name the capital of France.\n\nThe capital of France is Rome, which lies in Spain",
)
_ORDERS: Final = ((0, 1), (1, 0))


def try_all(sessions: sessionmaker[Session], settings: Settings) -> None:
    """Ask every judge that waits to be tried, all at the same time.

    One worker does so: who comes meanwhile leaves theirs to it, and no other thread is held.
    """
    while _waiting(sessions):
        with sessions.begin() as session:
            if not session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK))):
                # That one looks again when it is done.
                return
            rows = _waiting(sessions)
            asyncio.run(_try(rows, sessions, settings))


def left_untried(session: Session) -> bool:
    """Whether a judge waits for longer than a trial takes, as where its message was lost."""
    now, asked = func.clock_timestamp(), JudgeRow.trial_asked_at
    # What is dated in the future was so by a clock that has been set back.
    left = or_(asked < now - _LONGEST_WAIT, asked > now + _LONGEST_WAIT)
    found = select(JudgeRow.id).where(left, JudgeRow.trial.is_(None)).limit(1)
    return session.scalar(found) is not None


def _waiting(sessions: sessionmaker[Session]) -> Sequence[JudgeRow]:
    """Judges that wait to be tried, without a session."""
    waiting = select(JudgeRow).where(JudgeRow.trial_asked_at.is_not(None), JudgeRow.trial.is_(None))
    with sessions() as session:
        rows = session.scalars(waiting.order_by(JudgeRow.id).limit(_MOST)).all()
        session.expunge_all()
    return rows


async def _try(
    rows: Sequence[JudgeRow], sessions: sessionmaker[Session], settings: Settings
) -> None:
    def note(row: JudgeRow, found: dict[str, Any]) -> None:
        with sessions.begin() as session:
            # Unless it was changed or asked for again meanwhile.
            session.execute(
                update(JudgeRow)
                .where(JudgeRow.id == row.id, JudgeRow.trial_asked_at == row.trial_asked_at)
                .values(trial=found)
            )

    async def work(row: JudgeRow) -> None:
        found = await tried(row, settings)
        await asyncio.to_thread(note, row, found)

    await asyncio.gather(*(work(row) for row in rows))


async def tried(row: JudgeRow, settings: Settings) -> dict[str, Any]:
    """What came of asking a judge to rank two rows in both orders; nothing is kept of it."""
    start = time.monotonic()
    text, problem = None, None
    try:
        async with asyncio.timeout(_LONGEST_SECONDS):
            text, problem = await _ask(JudgeSettings.of(row, settings), settings.judges_allowed)
    except TimeoutError:
        problem = (
            f"It did not rank two rows within {_LONGEST_SECONDS:g} s, for which a trial waits. A "
            "job waits as long as the judge's timeout says."
        )
    except JudgeDown as error:
        problem = error.detail
    except Unanswered as error:
        problem = str(error)
    except Exception as error:
        logger.exception("judge %s could not be tried", row.id)
        problem = f"It could not be tried: {type(error).__name__}."
    return {
        "tried_at": datetime.now(UTC).isoformat(),
        "ok": problem is None,
        "text": text,
        "seconds": round(time.monotonic() - start, 3),
        "problem": problem,
    }


async def _ask(settings: JudgeSettings, allowed: Allowed) -> tuple[str | None, str | None]:
    """What the judge said first, and what is wrong with it or with what it said then."""
    async with Judge.opened(settings, allowed, patience=_PATIENCE) as judge:
        said, places = [], []
        for order in _ORDERS:
            answer = await judge.ask(prompts.ranking_prompt(_ROWS, order))
            said.append(answer.text[:_SHOWN])
            found = prompts.parse_ranking(answer.text, len(_ROWS))
            if found is None:
                return said[-1], _malformed(answer.finish)
            places.append(tuple(order[place] for place in found))
    if places[0] != places[1]:
        return said[0], (
            "It put the same two rows in another order when they were shown the other way round. "
            "It looks at places; ask it for several permutations, or take another model."
        )
    if places[0] != (0, 1):
        return said[0], "It put a wrong row before a right one, twice. Take another model."
    return said[0], None


def _malformed(finish: str | None) -> str:
    if finish == "length":
        return "Its answer was cut off. Raise max_tokens, as models that reason need."
    return (
        "Its answer has not the form that it was asked for, such as [2]>[1]. Rows stay unranked "
        "with such answers; take another model."
    )
