"""A job that has reached its cap: what somebody needs to know to decide how it goes on."""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from sqlalchemy import and_, func, or_, select

from core.jobs.pauses import Pause
from core.tables import UNANSWERED, JudgeAnswer
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices
from workers.instructions.gather import Rows, texts_of
from workers.instructions.judged import JudgedFile
from workers.instructions.prices import question_tokens, times_asked
from workers.jobs.context import JobContext, Paused
from workers.judges.budget import estimated_tokens
from workers.judges.client import EMBEDDED
from workers.judges.errors import OverBudget
from workers.judges.prompts import LONGEST
from workers.judges.settings import JudgeSettings

REASON: Final = "spending_cap"
_SAMPLE: Final = 32
_Groups = Sequence[tuple[int, Indices]]


class Asks(Protocol):
    """A job that asks a judge."""

    @property
    def context(self) -> JobContext:
        """Of the job."""
        ...

    @property
    def params(self) -> SelectInstructionsParams:
        """What it is asked."""
        ...

    @property
    def settings(self) -> JudgeSettings:
        """Of the judge."""
        ...


def asking_paused(
    asks: Asks, error: OverBudget, rows: Rows, groups: _Groups, said: JudgedFile
) -> Paused:
    """The pause of a job that asks about groups.

    Args:
        asks: Who is asked.
        error: What was spent, and may be.
        rows: What is chosen from.
        groups: Number and members of each of them.
        said: What was answered.
    """
    scored = asks.params.method == "sample_scores"
    return Paused(
        Pause(
            reason=REASON,
            spent=round(error.spent, 6),
            cap=error.most,
            what="rows" if scored else "clusters",
            done=len(said.done),
            of=len(groups),
            rest=round(_rest(asks, rows, groups, said), 6),
            may_finish=bool(said.done),
        )
    )


def embedding_paused(
    asks: Asks, error: OverBudget, rows: Rows, which: Indices, done: int
) -> Paused:
    """The pause of a job whose texts are embedded by the judge's server.

    Args:
        asks: Whose server.
        error: What was spent, and may be.
        rows: What is chosen from.
        which: (n,) positions of those that are embedded.
        done: How many of them are.
    """
    left = which[done:]
    ids = [int(one) for one in rows.examples[_drawn(len(left), left)]]
    texts = texts_of(asks.context.sessions, ids)
    each = float(np.mean([estimated_tokens(texts[one][:LONGEST]) for one in ids]))
    rest = asks.settings.price.of(each * len(left), 0)
    return Paused(
        Pause(
            reason=REASON,
            spent=round(error.spent, 6),
            cap=error.most,
            what="texts",
            done=done,
            of=len(which),
            rest=round(rest, 6),
            may_finish=False,
        )
    )


def _rest(asks: Asks, rows: Rows, groups: _Groups, said: JudgedFile) -> float:
    """What groups that were not asked about may cost.

    As estimated before a job, but by how much that was wrong for those that were paid for.
    """
    done = [one for one in groups if one[0] in said.done]
    left = [one for one in groups if one[0] not in said.done]
    estimate = len(left) * _mean_price(asks, rows, left)
    paid = len(done) * (1 - said.kept / said.requests if said.requests else 1.0)
    expected = paid * _mean_price(asks, rows, done) if done else 0.0
    embedding = or_(
        JudgeAnswer.finish == EMBEDDED,
        and_(JudgeAnswer.finish == UNANSWERED, JudgeAnswer.content == EMBEDDED),
    )
    costs = select(func.coalesce(func.sum(JudgeAnswer.cost), 0.0)).where(
        JudgeAnswer.job_id == asks.context.job_id, embedding.is_not(True)
    )
    with asks.context.sessions() as session:
        spent = float(session.scalar(costs) or 0.0)
    return estimate * spent / expected if expected > 0 and spent > 0 else estimate


def _mean_price(asks: Asks, rows: Rows, groups: _Groups) -> float:
    """What all questions about one of some groups cost, by a sample of them."""
    some = [groups[one] for one in _drawn(len(groups), np.arange(len(groups)))]
    ids = [int(one) for _, members in some for one in rows.examples[members]]
    texts = texts_of(asks.context.sessions, ids)
    prices = []
    for _, members in some:
        items = [texts[int(one)] for one in rows.examples[members]]
        tokens_in, tokens_out = question_tokens(asks.params, items)
        times = times_asked(asks.params, len(items))
        prices.append(times * asks.settings.price.of(tokens_in, tokens_out))
    return float(np.mean(prices)) if prices else 0.0


def _drawn(count: int, positions: Indices) -> Indices:
    found: Indices = positions[np.random.default_rng(0).permutation(count)[:_SAMPLE]]
    return found
