"""What asking a judge may cost, and what it has cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from workers.judges.errors import OverBudget


@dataclass(frozen=True)
class Price:
    """What tokens cost, each per million.

    Attributes:
        tokens_in: Of prompts.
        tokens_out: Of answers.
    """

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: one for four ASCII characters, one for each other."""
    plain = sum(character.isascii() for character in text)
    return plain // 4 + (len(text) - plain) + 1


def most_tokens(text: str) -> int:
    """How many tokens a text hardly ever has more than: one for two bytes, and those around it."""
    return len(text.encode("utf-8", "replace")) // 2 + 16


class Budget:
    """A cap that is not passed: what is on its way counts with the most that it can cost."""

    def __init__(self, price: Price, most: float | None = None, spent: float = 0.0) -> None:
        """Begin with what was spent before.

        Args:
            price: Of the judge.
            most: May be spent in all; None for any amount.
            spent: Was spent before, as by a job that was killed.
        """
        self.price, self.most, self.spent = price, most, spent
        self._reserved, self._on_way = 0.0, 0
        self._less = asyncio.Event()

    @asynccontextmanager
    async def reserved(self, tokens_in: int, tokens_out: int) -> AsyncIterator[None]:
        """Hold what a request can cost at most while it is on its way.

        Waits for others where those may leave enough of it.

        Raises:
            OverBudget: That may not be spent.
        """
        cost = self.price.of(tokens_in, tokens_out)
        while self.most is not None and self.spent + self._reserved + cost > self.most:
            if self.spent + cost > self.most or not self._on_way:
                raise OverBudget(self.spent, self.most)
            self._less.clear()
            await self._less.wait()
        self._reserved += cost
        self._on_way += 1
        try:
            yield
        finally:
            self._on_way -= 1
            # What adding and taking away leaves of nothing must not count.
            self._reserved = self._reserved - cost if self._on_way else 0.0
            self._less.set()

    def pay(self, tokens_in: int, tokens_out: int) -> float:
        """Count what an answer has cost, and return it."""
        cost = self.price.of(tokens_in, tokens_out)
        self.spent += cost
        return cost


class Bill:
    """What one question costs each time that it is asked."""

    def __init__(self, budget: Budget, most: int, guess: int, longest: int) -> None:
        """Nothing is paid yet.

        Args:
            budget: What pays.
            most: Tokens of the prompt, at most.
            guess: Tokens of the prompt, about.
            longest: Tokens of the answer, at most.
        """
        self._budget, self._most, self._guess, self._longest = budget, most, guess, longest

    def reserved(self) -> AbstractAsyncContextManager[None]:
        """Hold what one request can cost at most; see ``Budget.reserved``."""
        return self._budget.reserved(self._most, self._longest)

    def lose(self) -> float:
        """Count a request whose answer did not come, and return what it has cost, about.

        The server has worked on it all the same.
        """
        return self._budget.pay(self._guess, self._longest)
