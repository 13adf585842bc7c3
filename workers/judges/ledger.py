"""Answers that are kept: each is committed before anybody works with it.

Many requests are on their way at once, so what waits to be read or written goes together, in one
statement by one thread, as soon as the one before is done.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, sessionmaker

from core.tables import Job, Judge, JudgeAnswer

_MOST: Final = 500


@dataclass(frozen=True)
class Kept:
    """An answer as it is kept.

    Attributes:
        content: What the judge said.
        finish: Why it ended, as the server says: ``stop``, ``length``, ``content_filter``.
        tokens_in: Of the prompt.
        tokens_out: Of the answer.
        cost: What was paid for it.
    """

    content: str
    finish: str | None
    tokens_in: int
    tokens_out: int
    cost: float = 0.0


@dataclass
class _Wanted:
    key: bytes
    answer: Kept | None
    done: "asyncio.Future[Kept | None]" = field(repr=False)


def spent(session: Session, job_id: int) -> float:
    """What a job has paid for answers so far."""
    statement = select(func.coalesce(func.sum(JudgeAnswer.cost), 0.0))
    return float(session.scalar(statement.where(JudgeAnswer.job_id == job_id)) or 0.0)


class Ledger:
    """The kept answers of a judge, for one event loop.

    Args:
        sessions: Of the worker.
        judge_id: Whose answers.
        job_id: What pays for new ones, if it is a job.
    """

    def __init__(
        self, sessions: sessionmaker[Session], judge_id: int, job_id: int | None = None
    ) -> None:
        """Remember the places; nothing is read or written yet."""
        self._sessions, self._judge_id, self._job_id = sessions, judge_id, job_id
        self._waiting: list[_Wanted] = []
        self._task: asyncio.Task[None] | None = None

    async def find(self, key: bytes) -> Kept | None:
        """The answer that is kept under ``key`` (32 bytes), if there is one."""
        return await self._queued(key, None)

    async def keep(self, key: bytes, answer: Kept) -> None:
        """Commit an answer; the one that was kept first stays.

        Answers are a judge's. One that comes home after its job was deleted, with its project, is
        kept as the others of that job are: without a job, for whoever asks the same. One whose
        judge was deleted is not, as they were deleted with it.
        """
        await asyncio.shield(self._queued(key, answer))

    async def settle(self) -> None:
        """Wait until nothing waits to be written."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def _queued(self, key: bytes, answer: Kept | None) -> "asyncio.Future[Kept | None]":
        loop = asyncio.get_running_loop()
        wanted = _Wanted(key, answer, loop.create_future())
        self._waiting.append(wanted)
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._drain())
        return wanted.done

    async def _drain(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            try:
                found = await asyncio.to_thread(self._work, batch)
            except Exception as error:
                for one in batch:
                    if not one.done.done():
                        one.done.set_exception(error)
                continue
            for one in batch:
                if not one.done.done():
                    one.done.set_result(one.answer or found.get(one.key))

    def _work(self, batch: Sequence[_Wanted]) -> dict[bytes, Kept]:
        new = {one.key: one.answer for one in batch if one.answer is not None}
        asked = [one.key for one in batch if one.answer is None]
        with self._sessions.begin() as session:
            if new and self._is_there(session, Judge, self._judge_id):
                job_id = self._job_id
                if job_id is not None and not self._is_there(session, Job, job_id):
                    job_id = None
                rows = [self._row(key, answer, job_id) for key, answer in new.items()]
                session.execute(insert(JudgeAnswer).on_conflict_do_nothing(), rows)
            if not asked:
                return {}
            statement = select(
                JudgeAnswer.key, JudgeAnswer.content, JudgeAnswer.finish,
                JudgeAnswer.tokens_in, JudgeAnswer.tokens_out, JudgeAnswer.cost,
            ).where(JudgeAnswer.key.in_(asked))  # fmt: skip
            return {row[0]: Kept(*row[1:]) for row in session.execute(statement)}

    @staticmethod
    def _is_there(session: Session, table: type[Judge] | type[Job], id_: int) -> bool:
        """Whether it is, and stays until the end of the transaction."""
        statement = select(table.id).where(table.id == id_)
        return session.scalar(statement.with_for_update(read=True, key_share=True)) is not None

    def _row(self, key: bytes, answer: Kept, job_id: int | None) -> dict[str, object]:
        return {
            "key": key,
            "judge_id": self._judge_id,
            "job_id": job_id,
            "content": answer.content,
            "finish": answer.finish,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "cost": answer.cost,
        }
