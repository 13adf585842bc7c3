"""Storing answers.

Every answer needs the lock of its round, because the round must close within one verdict of its
budget. One transaction an answer would therefore run one after the other, each waiting for the
disk. Instead the answers that arrive while a transaction is on its way share the next one (see
``docs/adr/0003-answers-share-a-transaction.md``). A client hears "accepted" only after the commit.
"""

from collections.abc import Sequence

from anyio import to_thread
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.batching import Batcher
from api.labeling.deciding import Submission, Transaction
from api.labeling.schemas import AnswersOut
from core import queue
from core.errors import NotFound


class AnswerWriter:
    """Stores the answers to each project, one transaction at a time."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession]) -> None:
        self._sessions = sessions
        self._batcher = Batcher(self._write)

    async def submit(self, project_id: int, submission: Submission) -> AnswersOut:
        """Store the answers; returns after they are committed.

        Raises:
            NotFound: There is no such project, or the annotator is not a member of it.
        """
        stored = await self._batcher.submit(project_id, submission)
        if stored is None:
            raise NotFound("project")
        return stored

    async def _write(
        self, project_id: int, submissions: Sequence[Submission]
    ) -> list[AnswersOut | None]:
        async with self._sessions() as session:
            transaction = await Transaction.begin(session, project_id, submissions)
            results = [await transaction.decide_all(submission) for submission in submissions]
            state = await transaction.commit()
            if queue.pending(session.info):
                await to_thread.run_sync(queue.deliver, session.info)
        return [
            None if result is None else AnswersOut(results=result, status=state)
            for result in results
        ]
