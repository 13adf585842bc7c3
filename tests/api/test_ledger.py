"""What a batch of answers amounts to, decided without a database."""

import uuid
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from api.labeling.ledger import AnswerLedger
from api.labeling.schemas import AnswerIn
from api.labeling.status import ReadRound
from core.settings.project import Cost
from core.states import RoundState, Verdict
from core.verdicts.class_names import ClassNames

OVERLAP, BUDGET, QUERIES = 2, 4.0, 6
CLASSES = ClassNames.of([(1, "cat", None), (2, "dog", None)])


def ledger() -> AnswerLedger:
    """A round of six queries for two annotators each, which pays for four verdicts."""
    cost = Cost()
    first = ReadRound(
        id=1,
        number=0,
        state=RoundState.OPEN,
        spent=0.0,
        budget=BUDGET,
        settings={"overlap": OVERLAP, "cost": cost.model_dump()},
        cost=cost,
    )
    queries = {
        n: SimpleNamespace(id=n, example_id=10 + n, round_id=1, done=False, again_after=None)
        for n in range(1, QUERIES + 1)
    }
    return AnswerLedger(
        project_id=1,
        members=frozenset({1, 2, 3}),
        rounds=[first],
        task="classification",
        classes_version=1,
        names=CLASSES,
        queries=queries,
        more_queries=False,
        stored=[],
        votes={10 + n: [] for n in queries},
        ids=iter(range(1, 1000)),
    )


answers = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3]),
        st.integers(1, QUERIES),
        st.sampled_from([Verdict.LABEL, Verdict.OOD, Verdict.SKIP]),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(answers)
def test_no_example_is_paid_for_twice_and_no_budget_is_overspent(
    given_: list[tuple[int, int, Verdict]],
) -> None:
    books = ledger()
    for annotator, query, verdict in given_:
        answer = AnswerIn(
            key=uuid.uuid4(),
            query_id=query,
            verdict=verdict,
            label={"type": "classification", "class_id": 1} if verdict is Verdict.LABEL else None,
            seconds=1.0,
        )
        decision = books.decide(annotator, answer)
        assert books.decide(annotator, answer).result.status == "duplicate"
        if decision.spent is not None and decision.spent.state is RoundState.OPEN:
            # As whoever writes does: the answers after this one are the next round's.
            decision.spent.state = RoundState.CLOSING
            books.follow(
                ReadRound(
                    id=2,
                    number=1,
                    state=RoundState.SELECTING,
                    spent=0.0,
                    budget=BUDGET,
                    settings=decision.spent.settings,
                    cost=decision.spent.cost,
                )
            )
    for held in books.votes.values():
        voted = [one for one in held if one.vote.verdict is not Verdict.SKIP]
        assert len(voted) <= OVERLAP
        assert len({one.annotator_id for one in voted}) == len(voted)
    dearest = max(books.rounds[0].cost.of(verdict, 1.0) for verdict in Verdict)
    assert books.rounds[0].spent < BUDGET + dearest
    assert len(books.rows) == len(given_)
