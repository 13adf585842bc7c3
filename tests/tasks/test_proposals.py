"""What becomes of boxes that a model proposes."""

from typing import Any

import pytest
from pydantic import ValidationError

from core.tasks.boxes import MOST_PROPOSALS, Box, BoxesLabel
from core.tasks.proposals import SHIFTED, Outcome, outcomes, shown, to_store


def proposal(score: float, x: float = 0, **rest: Any) -> dict[str, Any]:
    return {"class_id": 1, "x": x, "y": 0, "w": 10, "h": 10, "score": score, **rest}


def test_the_surest_are_stored_first_and_300_at_most() -> None:
    stored = to_store([proposal((n + 1) / 500) for n in range(400)])
    assert len(stored) == MOST_PROPOSALS
    assert [one["score"] for one in stored] == sorted(
        (one["score"] for one in stored), reverse=True
    )
    assert stored[0]["score"] == 400 / 500
    for wrong in (proposal(0), proposal(1.1), proposal(0.5, w=0), proposal(0.5, x=float("nan"))):
        with pytest.raises(ValidationError):
            to_store([wrong])


def test_a_planted_one_is_beside_where_it_belongs_and_looks_like_any_other() -> None:
    given = [proposal(0.9), proposal(0.8, 50)]
    found = [to_store(given, shifted=0.5, seed=(7, example)) for example in range(200)]
    assert found == [to_store(given, shifted=0.5, seed=(7, example)) for example in range(200)]
    planted = [[one for one in stored if SHIFTED in one] for stored in found]
    assert {len(one) for one in planted} == {0, 1}
    assert 70 < sum(map(len, planted)) < 130
    (one,) = next(one for one in planted if one)
    assert 0.8 <= abs(one["x"] - one[SHIFTED]["x"]) <= 1.5
    assert 0.8 <= abs(one["y"] - one[SHIFTED]["y"]) <= 1.5
    stored = next(stored for stored, one in zip(found, planted, strict=True) if one)
    seen = shown(stored)
    assert seen is not None
    assert all(set(one.model_dump()) == set(given[0]) for one in seen)
    assert shown(None) is None


def test_each_is_kept_adjusted_or_rejected_by_what_the_boxes_are() -> None:
    stored = to_store([proposal(0.9), proposal(0.8, 50), proposal(0.7, 100), proposal(0.1, 150)])
    boxes = (
        Box(class_id=1, x=0, y=0, w=10, h=10, origin="kept", proposal=0),
        # Whatever it is called, it was moved.
        Box(class_id=1, x=55, y=0, w=10, h=10, origin="kept", proposal=1),
        Box(class_id=1, x=200, y=0, w=10, h=10),
    )
    label = BoxesLabel(type="boxes", boxes=boxes, threshold=0.3)
    assert outcomes(label, stored) == [
        Outcome(0, "kept", 1.0), Outcome(1, "adjusted", 1 / 3), Outcome(2, "rejected", None),
    ]  # fmt: skip
    # Who says no threshold has seen nobody knows which.
    unsaid = label.model_copy(update={"threshold": None})
    assert [one.place for one in outcomes(unsaid, stored)] == [0, 1]
    assert outcomes(label, []) == []
