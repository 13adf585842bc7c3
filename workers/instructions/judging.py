"""Asking a judge about clusters, or rows: each answer is kept as soon as it comes."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from core import tables
from core.errors import Conflict
from core.jobs.pauses import FINISH
from core.tables import UNANSWERED, JudgeAnswer
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.errors import ModelError
from models.protocols import Indices, Progress
from workers.instructions.capped import asking_paused
from workers.instructions.choosing import members_of
from workers.instructions.gather import Rows, texts_of
from workers.instructions.judged import Judged, JudgedFile
from workers.jobs.context import JobContext
from workers.judges.client import Judge
from workers.judges.dispatch import dispatch
from workers.judges.errors import OverBudget
from workers.judges.ledger import spent
from workers.judges.orders import Ask, Order, answered
from workers.judges.settings import JudgeSettings

_READ: Final = 64
"""Clusters whose texts are read together, so that memory stays flat."""
_PATIENCE: Final = 50
"""After so many answers none of which has the form that was asked for, nobody asks for more."""
_FAVOURS_PLACES: Final = "favours_places"
_ASKED: Final = "asked"


class Question(NamedTuple):
    """What is asked about at once.

    Attributes:
        number: Of a cluster; where rows are scored of the row.
        items: What its rows say.
    """

    number: int
    items: list[str]


@dataclass(frozen=True)
class Judging:
    """Who is asked by one job, and how.

    Attributes:
        context: Of the job.
        params: What it is asked.
        settings: Of the judge, with its key.
        described: What is shown of it.
        priced: Whether it has prices.
    """

    context: JobContext
    params: SelectInstructionsParams
    settings: JudgeSettings
    described: dict[str, Any]
    priced: bool

    @classmethod
    def open(cls, context: JobContext, params: SelectInstructionsParams) -> Self:
        """Find the judge.

        Raises:
            ModelError: It is gone, or has no prices for a cap.
            JudgeDown: Its key cannot be read here.
        """
        with context.sessions() as session:
            # Named by whoever starts the job, also where there is only one.
            row = session.get(tables.Judge, params.judge_id) if params.judge_id else None
            if row is None:
                raise ModelError(f"There is no judge {params.judge_id}; see the page of judges.")
            priced = row.price_in is not None or row.price_out is not None
            if params.spend_at_most is not None and not priced:
                raise ModelError(
                    f"The judge {row.name!r} has no prices, so what it costs cannot be capped. "
                    "Enter its prices, or leave spend_at_most empty."
                )
            described = {"id": row.id, "name": row.name, "model": row.model}
            settings = JudgeSettings.of(row, context.settings)
        return cls(context, params, settings, described, priced)

    def dispatch(
        self,
        asks: Iterable[Ask],
        on_done: Callable[[int, dict[str, Any]], None],
        check: Callable[[], None],
    ) -> None:
        """Have something asked for the job, by a process that outlives this one: ``dispatch``."""
        order = Order(self.settings, self.context.job_id, self.params.spend_at_most)
        dispatch(
            order,
            asks,
            on_done,
            check=check,
            say=self.context.log.write,
            on_favours=lambda: self.context.save({_FAVOURS_PLACES: True}),
        )

    def ask(
        self, rows: Rows, clusters: Indices | None, said: JudgedFile, progress: Progress
    ) -> None:
        """Ask about all that was not asked about before, unless somebody wants it to end so.

        Args:
            rows: What is chosen from.
            clusters: (N,) numbers, if rows were put together.
            said: Where the answers go.
            progress: Counts clusters, or rows; may raise what stops the job.

        Raises:
            Paused: What may be spent is spent.
            Conflict: ``judge_not_understood``.
            JudgeDown: It cannot be asked.
        """
        if self.context.checkpoint.get(FINISH):
            # Also of what the judge has said before somebody changed it.
            return
        self._take_up(said)
        groups = list(self._groups(clusters, len(rows)))
        wanted = [one for one in groups if one[0] not in said.done]
        asks = map(self._ask, _questions(self.context.sessions, rows.examples, wanted))

        def note(number: int, found: Mapping[str, Any]) -> None:
            said.add(self._judged(number, found))
            if said.understood == 0 and len(said.done) >= _PATIENCE:
                asked = len(said.done)
                # Whoever tries again has changed something about the judge.
                said.begin_anew()
                raise Conflict(
                    "judge_not_understood",
                    f"None of the first {asked} answers of the judge {self.described['name']!r} "
                    "had the form that was asked for, so nothing was ranked, and nothing guessed. "
                    "Try it on the page of judges, take a larger model, and retry.",
                )

        def look() -> None:
            progress(len(said.done), len(groups))

        look()
        try:
            self.dispatch(asks, note, look)
        except OverBudget as error:
            raise asking_paused(self, error, rows, groups, said) from error

    def not_asked(self, clusters: Indices | None, count: int, said: JudgedFile) -> tuple[int, int]:
        """How many groups were not asked about, and how many rows they have."""
        left = [
            len(members)
            for number, members in self._groups(clusters, count)
            if number not in said.done
        ]
        return len(left), sum(left)

    def _take_up(self, said: JudgedFile) -> None:
        """Begin anew where another has said what is there: nothing is mixed, nothing paid twice."""
        settings = self.settings
        asked = [settings.base_url, settings.model, settings.max_tokens]
        before = self.context.checkpoint.get(_ASKED)
        if before is not None and before != asked:
            said.begin_anew()
        if before != asked:
            self.context.save({_ASKED: asked, _FAVOURS_PLACES: False})

    def cost(self, said: JudgedFile) -> dict[str, Any]:
        """Which judge it was, and what asking it came to."""
        paid = select(
            func.count().filter(JudgeAnswer.finish.is_distinct_from(UNANSWERED)),
            func.coalesce(func.sum(JudgeAnswer.tokens_in), 0),
            func.coalesce(func.sum(JudgeAnswer.tokens_out), 0),
            func.coalesce(func.sum(JudgeAnswer.cost), 0.0),
        ).where(JudgeAnswer.job_id == self.context.job_id)
        with self.context.sessions() as session:
            answers, tokens_in, tokens_out, cost = session.execute(paid).one()
        return {
            **self.described,
            "requests": int(answers),
            "kept_answers": said.kept,
            "tokens_in": int(tokens_in),
            "tokens_out": int(tokens_out),
            "spent": round(float(cost), 6) if self.priced else None,
            "unanswered": dict(sorted(said.unanswered.items())),
            "favours_places": bool(self.context.checkpoint.get(_FAVOURS_PLACES)),
        }

    async def try_one(self, question: Question) -> float:
        """Ask one question, and return the seconds that an answer takes.

        Raises:
            JudgeDown: It cannot be asked.
            OverBudget: What may be spent is spent.
        """
        ask = self._ask(question)
        with self.context.sessions() as session:
            before = spent(session, self.context.job_id)
        async with Judge.opened(
            self.settings,
            self.context.settings.judges_allowed,
            self.context.sessions,
            job_id=self.context.job_id,
            spend_at_most=self.params.spend_at_most,
            spent=before,
        ) as judge:
            started = time.perf_counter()
            await answered(judge, ask)
            # Answers that are kept take no time, and so do those of the job itself then.
            return (time.perf_counter() - started) / max(1, judge.tally.answered)

    def _ask(self, question: Question) -> Ask:
        number, items = question
        if self.params.method == "sample_scores":
            return Ask(number, "score", items)
        if len(items) == 1:
            return Ask(number, "wrong", items)
        return Ask(number, "rank", items, self.params.permutations)

    def _judged(self, number: int, found: Mapping[str, Any]) -> Judged:
        """What a judge says about a cluster, or a row."""
        if "orders" in found:
            orders = tuple(tuple(order) for order in found["orders"])
            kept = max(0, len(orders) - found["paid"])
            return Judged(
                number, orders, unranked=found["unranked"], requests=len(orders), kept=kept
            )
        value, reason = found["value"], found["reason"]
        answers = int(reason is None)
        kept = max(0, answers - found["paid"])
        if self.params.method == "sample_scores":
            return Judged(number, score=value, unranked=reason, requests=answers, kept=kept)
        wrong = None if value is None else value > 0
        return Judged(number, wrong=wrong, unranked=reason, requests=answers, kept=kept)

    def _groups(self, clusters: Indices | None, count: int) -> Iterator[tuple[int, Indices]]:
        """Number and members of what is asked about, by position."""
        if self.params.method == "sample_scores":
            for number in range(count):
                yield number, np.array([number])
            return
        assert clusters is not None
        for number, members in members_of(clusters):
            if len(members) > 1 or self.params.singletons == "ask":
                yield number, members


def _questions(
    sessions: sessionmaker[Session], examples: Indices, groups: list[tuple[int, Indices]]
) -> Iterator[Question]:
    """Read what the rows of groups say, some groups at a time."""
    for start in range(0, len(groups), _READ):
        some = groups[start : start + _READ]
        found = texts_of(sessions, [int(one) for _, rows in some for one in examples[rows]])
        for number, rows in some:
            yield Question(number, [found[int(one)] for one in examples[rows]])
