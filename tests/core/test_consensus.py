"""Several verdicts on one example, by the plain rule and by the arrays of the snapshot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.states import ExampleState, Verdict
from core.tasks.classification import class_label
from core.verdicts.consensus import Vote, consensus, is_settled, outcome
from workers.labels.verdicts import settle

CAT, DOG = (Vote(Verdict.LABEL, class_label(number)) for number in (1, 2))
OOD, SKIP, UNSURE = Vote(Verdict.OOD), Vote(Verdict.SKIP), Vote(Verdict.UNSURE)


def final(vote: Vote) -> Vote:
    return Vote(vote.verdict, vote.label, final=True)


def test_most_votes_win_and_of_equals_the_first() -> None:
    assert consensus([DOG, CAT, CAT]) == CAT
    assert consensus([DOG, CAT]) == DOG
    assert consensus([OOD, CAT, DOG, OOD]) == OOD


def test_a_skip_is_no_vote() -> None:
    assert consensus([SKIP, SKIP, CAT]) == CAT
    assert consensus([SKIP]) is None
    assert outcome([SKIP]) == (ExampleState.UNLABELED, None)


def test_the_latest_review_decides_against_any_majority() -> None:
    assert consensus([CAT, CAT, final(OOD), final(DOG), CAT]) == final(DOG)
    assert outcome([CAT, final(OOD)]) == (ExampleState.OOD, None)


def test_an_example_is_settled_by_enough_opinions_or_one_review() -> None:
    assert not is_settled([CAT, SKIP], 2)
    assert is_settled([CAT, UNSURE], 2)
    assert is_settled([final(CAT)], 3)


votes = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([CAT, DOG, OOD, UNSURE]),
        st.integers(-1, 4),
        st.sampled_from([False] * 5 + [True]),
    )
)


@given(votes)
def test_the_snapshot_settles_by_the_same_rule(said: list[tuple[int, Vote, int, bool]]) -> None:
    code = {CAT: 0, DOG: 1, OOD: -1, UNSURE: -2}
    table = np.array(
        [(index, code[vote], number, last) for index, vote, number, last in said], dtype=np.int64
    ).reshape(-1, 4)

    which, code_of, when, final_vote = table.T
    indices, labels, first, reviewed = settle(which, code_of, final_vote == 1)

    assert indices.tolist() == sorted({index for index, *_ in said})
    for index, label, number, final in zip(indices, labels, when[first], reviewed, strict=True):
        mine = [row for row in said if row[0] == index]
        agreed = consensus(Vote(v.verdict, v.label, last) for _, v, _, last in mine)
        assert agreed is not None
        assert code[Vote(agreed.verdict, agreed.label)] == label
        assert mine[0][2] == number
        assert any(last for *_, last in mine) == final
