"""Questions to a judge about rows: which is best, is it wrong, how good is it. Nothing is guessed.

An answer that has not exactly the form that was asked for is asked for once more, and then it is
none: the rows are unranked, for a reason that is counted.
"""

import asyncio
import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final, Literal, TypeVar

from workers.judges import prompts
from workers.judges.client import Answer, Judge
from workers.judges.errors import Stopped, Unanswered

Reason = Literal["malformed", "refused", "cut_off", "timeout", "failed"]
"""Why there is no answer: not in the form, declined, longer than ``max_tokens``, no answer in time,
or an error of the server."""

_CHECK_SECONDS: Final = 0.5
_GRACE_SECONDS: Final = 20.0
_DECLINED: Final = re.compile(
    r"\s*(?:(?:i['\u2019]m |i am )?sorry|i apologi[sz]e|i (?:can|could|wo)(?:no|n?['\u2019])t\b|"
    r"i (?:can|will) not|i(?: a|['\u2019])m unable|as an ai|죄송|도와드릴 수 없)",
    re.IGNORECASE,
)

Name = TypeVar("Name")
Found = TypeVar("Found")
_Parsed = TypeVar("_Parsed")
_Task = tuple[Name, Callable[[Judge], Awaitable[Found]]]


class Left(Exception):
    """Nobody wants answers any more; what is on its way is awaited for as long as it may take."""


@dataclass(frozen=True)
class Ranked:
    """What a judge says of the order of some rows.

    Attributes:
        orders: One for each permutation that was answered: places of the rows as they were given,
            the best first.
        unranked: Why there is no order at all; None if there is one.
        missing: Permutations without an answer.
        paid: Requests that were paid for now.
    """

    orders: tuple[tuple[int, ...], ...]
    unranked: Reason | None
    missing: int
    paid: int


@dataclass(frozen=True)
class Said:
    """What a judge says of one row.

    Attributes:
        value: Whether it is wrong (0 or 1), or its score in 0 to 5; None if there is no answer.
        reason: Why there is none.
        paid: Requests that were paid for now.
    """

    value: float | None
    reason: Reason | None
    paid: int


def shown_orders(items: Sequence[str], permutations: int, seed: int) -> list[tuple[int, ...]]:
    """Orders to show rows in: at random, each followed by its reverse, the same for the same rows.

    Judges favour places. An order and its reverse favour no row.

    Args:
        items: The rows.
        permutations: How many orders, if there are so many.
        seed: Of the random numbers.
    """
    digest = hashlib.sha256(repr((seed, list(items))).encode("utf-8", "replace")).digest()
    generator = random.Random(digest)
    orders: dict[tuple[int, ...], None] = {}
    # The same order once more would be the same question, whose answer is kept.
    most = min(permutations, factorial(len(items)))
    while len(orders) < most:
        order = list(range(len(items)))
        generator.shuffle(order)
        orders |= dict.fromkeys((tuple(order), tuple(reversed(order))))
    return [*orders][:most]


async def rank(judge: Judge, items: Sequence[str], *, permutations: int = 1, seed: int) -> Ranked:
    """Ask for the order of 2 or more rows, once for each permutation.

    Raises:
        JudgeDown: The judge cannot be asked.
        OverBudget: What may be spent is spent.
    """
    orders: list[tuple[int, ...]] = []
    reasons: list[Reason] = []
    paid = 0
    for shown in shown_orders(items, permutations, seed):
        asked = prompts.ranking_prompt(items, shown)
        found, reason, cost = await _asked(
            judge, asked, lambda text: prompts.parse_ranking(text, len(items)), seed
        )
        paid += cost
        if found is None:
            reasons.append(reason or "malformed")
            continue
        orders.append(tuple(shown[place] for place in found))
        if len(items) > 2:
            judge.tally.ranked += 1
            judge.tally.as_shown += found == tuple(range(len(items)))
    unranked = None if orders else Counter(reasons).most_common(1)[0][0]
    return Ranked(tuple(orders), unranked, len(reasons), paid)


async def is_wrong(judge: Judge, item: str, *, seed: int = 0) -> Said:
    """Ask whether a row holds hallucinated or wrong content: 1 if so, 0 if not.

    Raises:
        JudgeDown: The judge cannot be asked.
        OverBudget: What may be spent is spent.
    """
    asked = prompts.hallucination_prompt(item)
    found, reason, paid = await _asked(judge, asked, prompts.parse_yes_no, seed)
    return Said(None if found is None else float(found), reason, paid)


async def score(judge: Judge, item: str, *, seed: int = 0) -> Said:
    """Ask for a score of a row, of 0 (worst) to 5.

    Raises:
        JudgeDown: The judge cannot be asked.
        OverBudget: What may be spent is spent.
    """
    found, reason, paid = await _asked(judge, prompts.score_prompt(item), prompts.parse_score, seed)
    return Said(found, reason, paid)


async def run(
    judge: Judge,
    tasks: Iterable[_Task[Name, Found]] | AsyncIterator[_Task[Name, Found]],
    on_done: Callable[[Name, Found], None],
    check: Callable[[], None] = lambda: None,
) -> None:
    """Keep as many tasks on their way as the judge takes; no more than that are in memory.

    Args:
        judge: Whom to ask.
        tasks: A name and what to ask, such as ``lambda judge: rank(judge, items, seed=0)``; taken
            one by one, when there is room.
        on_done: Told of each that is done, in the order in which they are.
        check: Asked twice a second whether to go on; what it raises stops everything, and what is
            on its way then is waited for, for some seconds. After the first error of a task, or of
            ``on_done``, it is waited for as long as a request may take, unless ``check`` raises
            anything but ``Left``.
    """
    left = tasks if isinstance(tasks, AsyncIterator) else _OneByOne(tasks)

    async def work() -> None:
        while not judge.stopped:
            try:
                name, ask = await anext(left)
            except StopAsyncIteration:
                return
            try:
                found = await ask(judge)
            except Stopped:
                return
            on_done(name, found)

    workers = {asyncio.create_task(work()) for _ in range(judge.settings.concurrency)}
    going = workers
    grace = judge.settings.timeout
    try:
        while going:
            try:
                check()
            except Left:
                raise
            except BaseException:
                grace = min(_GRACE_SECONDS, grace)
                raise
            done, going = await asyncio.wait(
                going, timeout=_CHECK_SECONDS, return_when=asyncio.FIRST_EXCEPTION
            )
            for one in done:
                one.result()
    except asyncio.CancelledError:
        grace = min(_GRACE_SECONDS, grace)
        raise
    finally:
        # What is on its way is paid for: its answer is waited for, and kept.
        judge.stop()
        await _landed(judge, going, grace, check)
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _OneByOne(AsyncIterator[Found]):
    """Of which several may take at a time, as of no asynchronous generator."""

    def __init__(self, some: Iterable[Found]) -> None:
        self._left = iter(some)

    async def __anext__(self) -> Found:
        for one in self._left:
            return one
        raise StopAsyncIteration


async def _landed(
    judge: Judge, going: Collection["asyncio.Task[None]"], grace: float, check: Callable[[], None]
) -> None:
    """Wait until nothing is on its way, for ``grace`` seconds or until it has to be left."""
    until = time.monotonic() + grace
    left: set[asyncio.Task[None]] = {*going}
    while left and judge.on_way and (pause := until - time.monotonic()) > 0:
        _, left = await asyncio.wait(
            left, timeout=min(_CHECK_SECONDS, pause), return_when=asyncio.FIRST_COMPLETED
        )
        try:
            check()
        except Left:
            pass
        except Exception:
            # The end is known already; this one only shortens it.
            until = min(until, time.monotonic() + _GRACE_SECONDS)


async def _asked(
    judge: Judge,
    messages: Sequence[prompts.Message],
    parse: Callable[[str], _Parsed | None],
    seed: int,
) -> tuple[_Parsed | None, Reason | None, int]:
    """What was answered, or why nothing was; and how many requests were paid for.

    Where what is kept has not the form, it was asked by somebody who went before, of a judge that
    may have been mended since: then it is asked for anew, once.
    """
    paid, stale, anew = 0, False, 0
    asked = messages
    while True:
        try:
            answer = await judge.ask(asked, seed=seed, anew=anew)
        except Unanswered as error:
            reason: Reason = "failed"
            if error.reason in ("refused", "timeout"):
                reason = "refused" if error.reason == "refused" else "timeout"
            break
        paid += not answer.was_kept
        found = parse(answer.text)
        if found is not None:
            return found, None, paid
        reason = _why(answer)
        if reason == "cut_off":
            break
        if asked is messages and not anew:
            stale = answer.was_kept
            asked = prompts.once_more(messages, answer.text)
        elif stale and answer.was_kept and reason == "malformed":
            asked, anew = messages, anew + 1
        else:
            break
        judge.tally.malformed += 1
    judge.tally.without[reason] += 1
    return None, reason, paid


def _why(answer: Answer) -> Reason:
    if answer.finish == "length":
        return "cut_off"
    declined = answer.finish in ("refusal", "content_filter")
    return "refused" if declined or _DECLINED.match(prompts.answered(answer.text)) else "malformed"
