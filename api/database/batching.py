"""Work that arrives while the same kind of work is on its way goes together with the next turn.

Nobody waits for a batch to fill: the first item starts a turn at once, and whoever comes
during it shares the one after. Under load turns grow by themselves; without load there are none.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

from core.errors import DomainError

logger = logging.getLogger(__name__)

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")

_MOST = 512


class Batcher(Generic[Key, Item, Result]):
    """Runs ``run(key, items)`` for one turn a key at a time.

    Args:
        run: Returns one result for each item, in order.
    """

    def __init__(self, run: Callable[[Key, Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._run = run
        self._waiting: dict[Key, list[tuple[Item, asyncio.Future[Result]]]] = defaultdict(list)
        self._turning: dict[Key, asyncio.Task[None]] = {}

    async def submit(self, key: Key, item: Item) -> Result:
        """The result of ``item``; raises what its turn raised."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting[key].append((item, future))
        if key not in self._turning:
            self._turning[key] = asyncio.create_task(self._turn(key))
        return await future

    async def _turn(self, key: Key) -> None:
        try:
            while waiting := self._waiting.pop(key, None):
                for start in range(0, len(waiting), _MOST):
                    await self._settle(key, waiting[start : start + _MOST])
        finally:
            del self._turning[key]

    async def _settle(
        self, key: Key, batch: Sequence[tuple[Item, "asyncio.Future[Result]"]]
    ) -> None:
        try:
            results = await self._run(key, [item for item, _ in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, DomainError):
                # Nobody's item may fail because of somebody else's.
                logger.warning("a shared turn failed, going one by one: %s", error)
                for single in batch:
                    await self._settle(key, [single])
                return
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
