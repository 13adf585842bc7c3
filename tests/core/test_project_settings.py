"""What a verdict costs."""

import pytest
from pydantic import ValidationError

from core.settings.project import Cost, ProjectSettings
from core.states import Verdict

SECONDS = 2.5


@pytest.mark.parametrize(
    ("verdict", "fixed"),
    [(Verdict.LABEL, 3.0), (Verdict.UNSURE, 3.0), (Verdict.OOD, 0.5), (Verdict.SKIP, 0.0)],
)
def test_fixed_prices_or_measured_seconds(verdict: Verdict, fixed: float) -> None:
    settings = ProjectSettings(cost=Cost(c_in=3.0, c_ood=0.5))
    assert settings.cost.of(verdict, SECONDS) == fixed
    assert Cost(mode="seconds", c_in=3.0, c_ood=0.5).of(verdict, SECONDS) == SECONDS


@pytest.mark.parametrize(
    "values",
    [
        {"c_in": 0},
        {"c_ood": -1},
        {"c_in": float("nan")},
        {"c_in": float("inf")},
        {"mode": "free"},
        {"c_un": 1},
    ],
)
def test_prices_that_would_never_close_a_round_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ProjectSettings.model_validate({"cost": values}, extra="forbid")


def test_a_project_that_a_later_version_has_saved_is_read() -> None:
    known = ProjectSettings(budget=7.0)
    stored, more = known.model_dump(mode="json"), {"of_a_later_version": 1}
    stored["cost"].update(more)
    assert ProjectSettings.model_validate({**stored, **more}) == known
