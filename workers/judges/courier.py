"""The process that asks a judge for a worker, and outlives it.

It is started by ``workers.judges.dispatch``, which sends an ``Order`` and then what to ask. When
the worker dies or wants no more, nothing new is sent; what is on its way is brought home and kept,
so that nobody pays for it twice. Until its end it holds a lock, for which whoever goes on waits:
see ``docs/adr/0071-paused-jobs-and-couriers.md``.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from core.database.engines import sync_engine, sync_sessions
from core.files import disk
from core.settings import settings
from workers.jobs.locks import turn
from workers.judges.client import Judge
from workers.judges.errors import JudgeDown, OverBudget, Unanswered
from workers.judges.judging import Left, run
from workers.judges.ledger import spent
from workers.judges.orders import Ask, Order, answered

logger = logging.getLogger(__name__)

LOCK: Final = 0x6A756467
"""First number of the lock; the second one is the job's."""
_LOOK_SECONDS: Final = 0.2
# For those that were sent just before the one before was told.
_LONGER: Final = 15.0
# A line holds all texts that are embedded at once, with up to twelve letters of JSON for one. Of
# what waits, twice as much is held.
_LONGEST_LINE: Final = 2**23

Task = tuple[int, Callable[[Judge], Awaitable[dict[str, Any]]]]


class Worker:
    """The one who wants something asked: its questions, and whether it is there.

    Attributes:
        is_gone: It has died, or wants nothing more.
    """

    def __init__(self, life: int) -> None:
        """Watch a worker.

        Args:
            life: End of a pipe that the worker closes, at its own end at the latest.
        """
        self.is_gone = False
        self._parent = os.getppid()
        self._life = life
        self._lines = asyncio.StreamReader(limit=_LONGEST_LINE)
        self._turn = asyncio.Lock()
        self._pipe: asyncio.ReadTransport | None = None

    async def begin(self) -> Order:
        """Listen, and take the order.

        Raises:
            Left: It died before it had sent all of it.
        """
        loop = asyncio.get_running_loop()
        loop.add_reader(self._life, self._leave)
        protocol = asyncio.StreamReaderProtocol(self._lines)
        self._pipe, _ = await loop.connect_read_pipe(lambda: protocol, sys.stdin)
        line = await self._line()
        if line is None:
            raise Left
        return Order.parse(json.loads(line))

    def check(self) -> None:
        """Raise ``Left`` if it is gone."""
        # Others may hold the pipe open that were forked from it.
        if self.is_gone or os.getppid() != self._parent:
            raise Left

    def tell(self, **said: Any) -> None:
        """Tell it something, if it is there."""
        try:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            # What matters is kept.
            self._leave()

    def __aiter__(self) -> AsyncIterator[Task]:
        """What it wants asked, as it comes."""
        return self

    async def __anext__(self) -> Task:
        """The next one; waits for it."""
        async with self._turn:
            line = await self._line()
        if line is None or self.is_gone:
            raise StopAsyncIteration
        ask = Ask(*json.loads(line))
        return ask.number, partial(answered, ask=ask)

    async def _line(self) -> bytes | None:
        line = await self._lines.readline()
        # One without an end was cut off.
        return line if line.endswith(b"\n") else None

    def _leave(self) -> None:
        self.is_gone = True
        asyncio.get_running_loop().remove_reader(self._life)
        if self._pipe is not None:
            # Whoever still sends is not to wait.
            self._pipe.close()
        # Whatever prints at the end of the process must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


async def _serve(worker: Worker, engine: Engine) -> None:
    order = await worker.begin()
    sessions = sync_sessions(engine)
    async with _alone(worker, order, sessions):
        with sessions() as session:
            before = spent(session, order.job_id)
        worker.tell(ready=True)
        async with Judge.opened(
            order.settings,
            settings().judges_allowed,
            sessions,
            job_id=order.job_id,
            spend_at_most=order.spend_at_most,
            spent=before,
        ) as judge:
            try:
                await run(
                    judge,
                    worker,
                    lambda number, found: worker.tell(number=number, found=found),
                    worker.check,
                )
            except OverBudget as error:
                # With what was still on its way.
                raise OverBudget(judge.budget.spent, error.most) from error
            finally:
                if judge.tally.favours_places:
                    worker.tell(favours_places=True)
    worker.tell(end=True)


@asynccontextmanager
async def _alone(
    worker: Worker, order: Order, sessions: sessionmaker[Session]
) -> AsyncIterator[None]:
    """Wait for whoever asks for the same job, as one does whose worker has died."""
    loop = asyncio.get_running_loop()
    until = loop.time() + order.settings.timeout + _LONGER
    told = False
    with turn(sessions, LOCK, order.job_id) as is_mine:
        while not await asyncio.to_thread(is_mine):
            if not told:
                worker.tell(waits=True)
                told = True
            worker.check()
            if loop.time() > until:
                raise JudgeDown(
                    "asked_elsewhere",
                    "Another process still asks this judge for the same job, although its worker "
                    "is gone. Start again in a few minutes.",
                )
            await asyncio.sleep(_LOOK_SECONDS)
        yield


async def _work(life: int) -> None:
    # The worker decides: whatever stops a machine tells both to stop.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker = Worker(life)
    engine = sync_engine(settings())
    try:
        await _serve(worker, engine)
    except Left:
        pass
    except JudgeDown as error:
        worker.tell(error="down", fault=error.fault, detail=error.detail)
    except OverBudget as error:
        worker.tell(error="cap", spent=error.spent, most=error.most)
    except Unanswered as error:
        worker.tell(error="unanswered", reason=error.reason, detail=str(error))
    except Exception as error:
        if disk.is_full(error):
            worker.tell(error="full", detail=str(error))
        elif isinstance(error, OperationalError | InterfaceError):
            worker.tell(error="database", detail=str(error.orig))
        else:
            logger.exception("a judge could not be asked")
            worker.tell(error="internal", detail=f"{type(error).__name__}: {error}")
    finally:
        engine.dispose()


if __name__ == "__main__":
    asyncio.run(_work(int(sys.argv[1])))
