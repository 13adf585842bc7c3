"""Asking a judge: an OpenAI-compatible server that may be slow, full, hostile or gone.

Every answer is committed under the hash of what was asked before it is given to anybody, and found
there when the same is asked again: who is killed pays for nothing twice.
"""

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

import httpx
from sqlalchemy.orm import Session, sessionmaker

from core.settings.addresses import Allowed
from core.tables import UNANSWERED
from workers import outgoing
from workers.judges import faults
from workers.judges.budget import Bill, Budget, estimated_tokens, most_tokens
from workers.judges.errors import JudgeDown, Stopped, Unanswered
from workers.judges.ledger import Kept, Ledger
from workers.judges.limits import Gate
from workers.judges.prompts import Message
from workers.judges.replies import (
    BadReply,
    Reply,
    Verdict,
    clean,
    loaded,
    tokens_of,
    verdict,
)
from workers.judges.server import Server, Way, connect_seconds
from workers.judges.settings import DEFAULT_PATIENCE, JudgeSettings, Patience, question_key
from workers.judges.tally import Tally

EMBEDDED: Final = "embeddings"
"""Address below the server's that embeds; in the ledger the end of what was paid there."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 8.0

Used = TypeVar("Used")


@dataclass(frozen=True)
class Answer:
    """What a judge has said.

    Attributes:
        text: It.
        finish: Why it ended, if the server says so.
        tokens_in: Of the prompt.
        tokens_out: Of the answer.
        was_kept: It was paid for before.
    """

    text: str
    finish: str | None
    tokens_in: int
    tokens_out: int
    was_kept: bool


class Judge:
    """A judge for one event loop; made by ``Judge.opened``.

    Attributes:
        settings: Of it.
        budget: What it may cost.
        tally: What asking it has come to.
        stopped: It is asked nothing more.
        on_way: Requests that were sent and are not answered yet.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        allowed: Allowed,
        ledger: Ledger | None,
        budget: Budget,
        client: httpx.AsyncClient,
        patience: Patience,
    ) -> None:
        """Take what it works with; without a ledger no answer is kept or looked for."""
        self.settings = settings
        self.budget = budget
        self.tally = Tally()
        self._ledger, self._server = ledger, Server(settings, allowed, client)
        self._gate = Gate(settings.concurrency, settings.requests_per_minute)
        self._patience = patience
        self._heard = 0
        self._silent_since: float | None = None
        self._failed = 0
        self.stopped = False
        self.on_way = 0
        # What the server does not take, as some models take no temperature: left out from then on.
        self._renamed: dict[str, str | None] = {}

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        settings: JudgeSettings,
        allowed: Allowed,
        sessions: sessionmaker[Session] | None = None,
        *,
        job_id: int | None = None,
        spend_at_most: float | None = None,
        spent: float = 0.0,
        patience: Patience = DEFAULT_PATIENCE,
    ) -> AsyncIterator[Self]:
        """A judge with its connections; what waits to be kept is kept when the block ends.

        Args:
            settings: The judge.
            allowed: Which machines may be called.
            sessions: Where answers are kept; nowhere if None.
            job_id: What pays.
            spend_at_most: In all; None for any amount.
            spent: What was spent of it before, as ``ledger.spent`` says.
            patience: When to stop.
        """
        most = settings.concurrency
        limits = httpx.Limits(max_connections=most, max_keepalive_connections=most)
        ledger = None if sessions is None else Ledger(sessions, settings.judge_id, job_id)
        budget = Budget(settings.price, spend_at_most, spent)
        async with outgoing.new_client(limits, connect=connect_seconds(settings)) as client:
            try:
                yield cls(settings, allowed, ledger, budget, client, patience)
            finally:
                if ledger is not None:
                    await ledger.settle()

    @property
    def concurrency(self) -> int:
        """Requests that may be on their way now."""
        return self._gate.limit

    async def ask(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        seed: int = 0,
        anew: int = 0,
    ) -> Answer:
        """Ask, or find what was answered before; the answer is committed when it returns.

        Args:
            messages: The conversation, the question last.
            max_tokens: Of the answer; as the judge's settings say if None.
            seed: For the server's random numbers, where it has such.
            anew: How many answers to the same question are known to be of no use; of each of them
                another one is kept.

        Raises:
            Unanswered: This question has no answer.
            JudgeDown: The judge cannot be asked.
            OverBudget: What may be spent is spent.
            Stopped: It is not to be asked any more.
        """
        longest = max_tokens or self.settings.max_tokens
        params = {
            "temperature": 0.0,
            "seed": seed,
            "max_tokens": longest,
        }
        known = {**params, "anew": anew} if anew else params
        key = question_key(self.settings, known, messages)
        if self._ledger is not None and (kept := await self._ledger.find(key)) is not None:
            self.tally.kept += 1
            return Answer(kept.content, kept.finish, kept.tokens_in, kept.tokens_out, True)
        self._require_going()
        most = sum(most_tokens(message["content"]) for message in messages)
        guess = sum(estimated_tokens(message["content"]) for message in messages)
        bill = Bill(self.budget, most, guess, longest)
        body = {"model": self.settings.model, "messages": list(messages)}
        reply = await self._asked_until_answered(
            "chat/completions", body, params, Reply.parse, bill
        )
        tokens_in = guess if reply.tokens_in is None else reply.tokens_in
        out = estimated_tokens(reply.text) if reply.tokens_out is None else reply.tokens_out
        cost = self.budget.pay(tokens_in, out)
        self.tally.answered += 1
        self.tally.tokens_in += tokens_in
        self.tally.tokens_out += out
        if self._ledger is not None:
            answer = Kept(reply.text, reply.finish, tokens_in, out, cost)
            await self._ledger.keep(key, answer)
        return Answer(reply.text, reply.finish, tokens_in, out, False)

    def stop(self) -> None:
        """Ask nothing more; what is on its way still comes and is kept."""
        self.stopped = True

    def _require_going(self) -> None:
        if self.stopped:
            raise Stopped

    async def call(
        self,
        path: str,
        body: Mapping[str, Any],
        texts: Sequence[str],
        use: Callable[[Any], Used],
    ) -> Used:
        """Send JSON to another address of the server, as for embeddings.

        What it has cost is kept, at the price of prompts, and nothing of what was answered.

        Args:
            path: Below that of the server.
            body: What is sent.
            texts: What of it is paid for.
            use: Takes what was answered as soon as it is there, so that who is stopped has it.

        Raises:
            Unanswered: This request has no answer.
            JudgeDown: The judge cannot be asked.
            OverBudget: What may be spent is spent.
        """
        guess = sum(map(estimated_tokens, texts))
        bill = Bill(self.budget, sum(map(most_tokens, texts)), guess, 0)
        found = await self._asked_until_answered(path, body, {}, loaded, bill)
        counted = tokens_of(found)
        tokens = guess if counted is None else counted
        cost = self.budget.pay(tokens, 0)
        self.tally.tokens_in += tokens
        try:
            return use(found)
        finally:
            await self._book(Kept("", path, tokens, 0, cost))

    async def _book(self, paid: Kept) -> None:
        """Keep what something has cost, under a key that nobody asks for."""
        if self._ledger is not None:
            await self._ledger.keep(secrets.token_bytes(32), paid)

    async def _asked_until_answered(
        self,
        path: str,
        body: Mapping[str, Any],
        params: Mapping[str, Any],
        parse: Any,
        bill: Bill,
    ) -> Any:
        try:
            return await self._repeated(path, body, params, parse, bill)
        except JudgeDown:
            # Before whoever waits for a turn asks it once more.
            self.stop()
            raise

    async def _repeated(
        self,
        path: str,
        body: Mapping[str, Any],
        params: Mapping[str, Any],
        parse: Any,
        bill: Bill,
    ) -> Any:
        attempt, heard = 0, self._heard
        while True:
            taken = self._taken(params)
            async with bill.reserved():
                found = await self._once(path, {**body, **taken}, parse)
            if not isinstance(found, Verdict):
                self._heard += 1
                self._failed, self._silent_since = 0, None
                return found
            if found.paid:
                # At once: whatever becomes of the question, the job has spent it.
                await self._book(Kept(path, UNANSWERED, 0, 0, bill.lose()))
            if found.stop is not None:
                raise JudgeDown(found.stop, self._said(found))
            if found.reason == "forbidden":
                raise self._forbidden(found)
            unwanted = next((name for name in taken if name in found.unwanted), None)
            if unwanted is not None:
                # Unless another question has seen to that meanwhile.
                if unwanted in self._taken(params):
                    self._leave_out(unwanted)
                continue
            self._require_going()
            self._weigh(found, attempt, others=self._heard > heard)
            self.tally.repeated += 1
            pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.0)
            attempt += 1
            await asyncio.sleep(pause if found.wait is None else found.wait)

    async def _once(self, path: str, body: Mapping[str, Any], parse: Any) -> Any:
        """Send once: what was answered, or what is wrong."""
        way = Way()
        async with self._gate.turn() as began:
            self._require_going()
            self.tally.sent += 1
            self.on_way += 1
            try:
                async with asyncio.timeout(self.settings.timeout):
                    status, headers, content = await self._server.post(path, body, way)
            except TimeoutError:
                # It has more to do than it can within that time.
                self._gate.full(began, None)
                text = f"no answer within {self.settings.timeout:g} s"
                return Verdict("timeout", text, again=True, paid=way.sent)
            except (httpx.HTTPError, httpx.StreamError, OSError) as error:
                gone = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                text = str(error) or type(error).__name__
                reason = "unreachable" if gone else "broken"
                return Verdict(reason, text[:500], again=True, paid=way.answering)
            except BadReply as error:
                return Verdict("broken", str(error), again=True, paid=way.answering)
            finally:
                self.on_way -= 1
            found = verdict(status, headers, content, self.settings.key)
            if found is not None:
                if found.full:
                    self._gate.full(began, found.wait)
                return found
            try:
                answer = parse(content)
            except BadReply as error:
                return Verdict("broken", str(error), again=True, paid=way.answering)
            self._gate.succeeded()
            return answer

    def _taken(self, params: Mapping[str, Any]) -> dict[str, Any]:
        named = {self._renamed.get(name, name): value for name, value in params.items()}
        return {name: value for name, value in named.items() if name is not None}

    def _leave_out(self, name: str) -> None:
        if name == "max_tokens":
            self._renamed[name] = "max_completion_tokens"
            return
        original = {new: old for old, new in self._renamed.items() if new is not None}
        self._renamed[original.get(name, name)] = None

    def _weigh(self, found: Verdict, attempt: int, *, others: bool) -> None:
        """Return if the question is to be asked once more.

        Args:
            found: What has come of it.
            attempt: How often it was asked before.
            others: Whether others were answered meanwhile.
        """
        if not found.again:
            self._failed += 1
            if self._failed >= self._patience.refused:
                raise JudgeDown("failing", self._said(found))
            raise Unanswered(found.reason, self._said(found))
        now = time.monotonic()
        self._silent_since = since = self._silent_since or now
        if attempt >= self._patience.retries and not found.full:
            alone = found.reason != "unreachable" and self._failed < self._patience.alone
            if others or alone:
                self._failed += 1
                raise Unanswered(found.reason, self._said(found))
        most = self._patience.full if found.full else self._patience.silent
        if found.reason == "timeout":
            most += self.settings.timeout
        if now - since > most:
            fault = {"full": "rate_limited", "unreachable": "unreachable", "timeout": "unreachable"}
            raise JudgeDown(fault.get(found.reason, "failing"), self._said(found))

    def _forbidden(self, found: Verdict) -> Exception:
        """What 403 comes to: of a gateway about one row, or of a key that is not accepted."""
        self._failed += 1
        some = self._heard or self.tally.kept
        if not some or self._failed >= self._patience.alone:
            return JudgeDown("unauthorized", self._said(found))
        return Unanswered("refused", self._said(found))

    def _said(self, found: Verdict) -> str:
        return faults.told(found.reason, self.settings.base_url, clean(found.detail))
