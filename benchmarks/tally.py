"""Who was handed what, and what became of the answers."""

import asyncio
from collections import Counter
from collections.abc import Hashable, Iterable

_PAUSE = 0.05


class Tally:
    """Counts tasks handed out twice and answers lost.

    A task is handed out twice when it goes to a second client, or to anybody after it was
    answered. To be shown a task again that one has not answered is no fault.
    """

    def __init__(self) -> None:
        self.errors: Counter[str] = Counter()
        self.acknowledged: list[Hashable] = []
        self._holders: dict[int, int] = {}
        self._answered: set[int] = set()
        self._twice: set[int] = set()

    @property
    def duplicates(self) -> int:
        """Tasks handed out twice or more."""
        return len(self._twice)

    def handed(self, client: int, task: int) -> None:
        holder = self._holders.setdefault(task, client)
        if holder != client or task in self._answered:
            self._twice.add(task)

    def answered(self, task: int, key: Hashable) -> None:
        """Note that the server has acknowledged an answer, stored under ``key``."""
        self._answered.add(task)
        self.acknowledged.append(key)

    async def failed(self, what: str, status: int) -> None:
        """Note a request that was refused, and pause: who is refused must not ask faster."""
        self.errors[f"{what} {status}"] += 1
        await asyncio.sleep(_PAUSE)

    def lost(self, stored: Iterable[Hashable]) -> int:
        """Acknowledged answers that are not stored exactly once."""
        counts = Counter(stored)
        return sum(counts[key] != 1 for key in self.acknowledged)
