"""Asking a judge about clusters, or rows: each answer is kept as soon as it comes."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, Self

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session, object_session, sessionmaker

from core import tables
from core.errors import Conflict
from core.tables import Job, JudgeAnswer
from models.errors import ModelError
from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices, Progress
from workers.context import JobContext
from workers.instructions.choosing import members_of
from workers.instructions.gather import Rows, texts_of
from workers.instructions.judged import Judged, JudgedFile
from workers.judges.client import Judge
from workers.judges.errors import OverBudget
from workers.judges.judging import Said, is_wrong, rank, run, score
from workers.judges.ledger import spent
from workers.judges.settings import JudgeSettings

_READ: Final = 64
"""Clusters whose texts are read together, so that memory stays flat."""
_PATIENCE: Final = 50
"""After so many answers none of which has the form that was asked for, nobody asks for more."""
_SPENT_BEFORE: Final = "spent_before"
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

    def opened(self) -> AbstractAsyncContextManager[Judge]:
        """The judge with its connections, and what the job may still spend."""
        cap = self.params.spend_at_most
        before = float(self.context.checkpoint.get(_SPENT_BEFORE, 0.0))
        with self.context.sessions() as session:
            now = spent(session, self.context.job_id)
        return Judge.opened(
            self.settings,
            self.context.settings.judges_allowed,
            self.context.sessions,
            job_id=self.context.job_id,
            spend_at_most=None if cap is None else before + cap,
            spent=now,
        )

    def ask(
        self, rows: Rows, clusters: Indices | None, said: JudgedFile, progress: Progress
    ) -> None:
        """Ask about all that was not asked about before.

        Args:
            rows: What is chosen from.
            clusters: (N,) numbers, if rows were put together.
            said: Where the answers go.
            progress: Counts clusters, or rows; may raise what stops the job.

        Raises:
            Conflict: ``spending_cap``, what may be spent is spent; or ``judge_not_understood``.
            JudgeDown: It cannot be asked.
        """
        self._take_up(said)
        groups = list(self._groups(clusters, len(rows)))
        wanted = [one for one in groups if one[0] not in said.done]
        questions = _questions(self.context.sessions, rows.examples, wanted)

        def note(one: Judged) -> None:
            said.add(one)
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
            asyncio.run(self._ask_all(questions, note, look))
        except OverBudget as error:
            raise Conflict(
                "spending_cap",
                f"The judge has cost {error.spent:.4f}, and another answer could take it over the "
                f"cap. {len(said.done):,} of {len(groups):,} are done and kept: retry to spend as "
                "much again, or cancel and choose from what there is with another method.",
                field="params.spend_at_most",
            ) from error

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
            func.count(),
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

    async def answer(self, judge: Judge, question: Question) -> Judged:
        """What a judge says about a cluster, or a row.

        Raises:
            JudgeDown: It cannot be asked.
            OverBudget: What may be spent is spent.
        """
        number, items = question
        if self.params.method == "sample_scores":
            scored = await score(judge, items[0])
            return Judged(
                number,
                score=scored.value,
                unranked=scored.reason,
                requests=_answers(scored),
                kept=_kept(scored),
            )
        if len(items) == 1:
            alone = await is_wrong(judge, items[0])
            wrong = None if alone.value is None else alone.value > 0
            return Judged(
                number,
                wrong=wrong,
                unranked=alone.reason,
                requests=_answers(alone),
                kept=_kept(alone),
            )
        ranked = await rank(judge, items, permutations=self.params.permutations, seed=0)
        answers = len(ranked.orders)
        return Judged(
            number,
            ranked.orders,
            unranked=ranked.unranked,
            requests=answers,
            kept=max(0, answers - ranked.paid),
        )

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

    async def _ask_all(
        self,
        questions: Iterator[Question],
        note: Callable[[Judged], None],
        look: Callable[[], None],
    ) -> None:
        """Keep as many questions on their way as the judge takes."""
        tasks = ((one.number, partial(self.answer, question=one)) for one in questions)
        async with self.opened() as judge:
            await run(judge, tasks, lambda _, found: note(found), look)
            favours = judge.tally.favours_places
        if favours:
            self.context.save({_FAVOURS_PLACES: True})


def _answers(said: Said) -> int:
    """How many answers there are to a single question."""
    return int(said.reason is None)


def _kept(said: Said) -> int:
    """How many of them were there before."""
    return max(0, _answers(said) - said.paid)


def note_pause(job: Job) -> None:
    """Note what a job has spent that stopped at its cap: a retry may spend as much again."""
    session = object_session(job)
    if session is None or job.error is None or job.error.get("code") != "spending_cap":
        return
    job.checkpoint = {**job.checkpoint, _SPENT_BEFORE: spent(session, job.id)}


def _questions(
    sessions: sessionmaker[Session], examples: Indices, groups: list[tuple[int, Indices]]
) -> Iterator[Question]:
    """Read what the rows of groups say, some groups at a time."""
    for start in range(0, len(groups), _READ):
        some = groups[start : start + _READ]
        found = texts_of(sessions, [int(one) for _, rows in some for one in examples[rows]])
        for number, rows in some:
            yield Question(number, [found[int(one)] for one in examples[rows]])
