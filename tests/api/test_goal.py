"""What a project is after brings a strategy with it, and takes no other away."""

from typing import Final

import pytest
from fastapi.testclient import TestClient

from api.projects.settings import checked, defaults
from api.rounds import finding
from api.rounds.finding import left_points, yield_points
from api.rounds.schemas import OodLeft, OutlookOut, RoundOut
from api.rounds.shares import advised_by
from core.errors import Invalid
from core.states import RoundState
from tests.api.test_outlook import round_of
from tests.world import World

FIND: Final = "find_all"
BEST: Final = "best_model"


def test_the_strategy_follows_the_goal_unless_somebody_has_chosen_one() -> None:
    assert defaults().strategy.name == "expected_value"
    assert defaults(FIND).strategy.name == "most_likely"
    there = checked({"goal": FIND}, defaults())
    assert there == defaults(FIND)
    assert checked({"goal": BEST}, there) == defaults()
    # Chosen by hand: another one, or the usual one with other parameters.
    for strategy in ({"name": "mqnet"}, {"name": "expected_value", "params": {"balance": 0.5}}):
        by_hand = checked({"strategy": strategy}, defaults())
        assert checked({"goal": FIND}, by_hand).strategy == by_hand.strategy
        assert checked({"goal": FIND, "strategy": strategy}).strategy == by_hand.strategy
    # Settings that say nothing of the goal leave the strategy as it is.
    assert checked({"budget": 7}, there).strategy.name == "most_likely"
    for wrong in ("all", None, ["find_all"]):
        with pytest.raises(Invalid, match=r"settings\.goal"):
            checked({"goal": wrong})


def test_an_algorithm_is_named_alone_and_its_parameters_one_by_one() -> None:
    there = checked({"purity": "knn"}, defaults())
    assert there.purity == checked({"purity": {"name": "knn"}}).purity
    one = checked({"strategy": {"params": {"balance": 0.5}}})
    assert (one.strategy.name, one.strategy.params["balance"]) == ("expected_value", 0.5)
    # What is set already stays, the name and the other parameters.
    both = checked({"strategy": {"params": {"sharpness": 0.25}}}, one)
    assert both.strategy.params == {**one.strategy.params, "sharpness": 0.25}
    mqnet = checked({"strategy": "mqnet"}, one)
    assert checked({"strategy": {"params": {}}}, mqnet).strategy == mqnet.strategy
    assert checked({"goal": FIND, "strategy": {"params": {}}}) == defaults(FIND)
    with pytest.raises(Invalid, match=r"settings\.strategy\.name: There is no strategy 'margins'"):
        checked({"strategy": "margins"})
    with pytest.raises(Invalid, match=r"settings\.strategy\.params"):
        checked({"strategy": {"params": 3}})


def test_the_goal_is_kept_told_and_audited(http: TestClient, world: World) -> None:
    admin = world.caller()
    body = {"name": "Dogs, or not", "classes": [{"name": "dog"}], "settings": {"goal": FIND}}
    made = http.post("/api/projects", json=body, headers=admin.headers).json()
    assert made["settings"]["strategy"]["name"] == "most_likely"
    path = f"/api/projects/{made['id']}"
    found = http.get(f"{path}/outlook", headers=admin.headers).json()
    assert (found["goal"], found["advice"]) == (FIND, "unknown")
    changed = http.patch(path, json={"settings": {"goal": BEST}}, headers=admin.headers).json()
    assert changed["settings"]["strategy"]["name"] == "expected_value"
    found = http.get(f"{path}/outlook", headers=admin.headers).json()
    assert found["goal"] == BEST
    audit = http.get("/api/admin/audit", headers=admin.headers).json()["items"]
    (update,) = [one for one in audit if one["verb"] == "update"]
    assert "goal" in str(update["detail"]["changes"])
    usual = http.get("/api/settings/defaults?goal=find_all", headers=admin.headers).json()
    assert usual["strategy"]["name"] == "most_likely"


def test_looking_on_is_advised_by_what_is_surely_left() -> None:
    # 95 of 100 are found where at most five are left.
    assert left_points(found=95, low=1, high=5) == "stop"
    assert left_points(found=95, low=1, high=6) == "neither"
    assert left_points(found=95, low=6, high=90) == "go_on"
    assert left_points(found=0, low=0, high=0.5) == "stop"
    assert left_points(found=0, low=0, high=40) == "neither"
    order = ["stop", "neither", "go_on"]
    for found in (0, 10, 200):
        for low in range(0, 40, 4):
            for high in range(low, 80, 8):
                less = left_points(found=found, low=low, high=high)
                more = left_points(found=found, low=low + 2, high=high + 2)
                assert order.index(less) <= order.index(more)
    assert yield_points(advised_by(0, 100)) == "stop"
    assert yield_points(advised_by(0, 20)) == "neither"
    assert yield_points(advised_by(20, 100)) == "go_on"


def found_by(
    *,
    unlabeled: int = 100,
    ood: tuple[float, float, float] | None = (40, 50, 60),
    more: int = 0,
    overlap: int = 1,
    inside: int = 30,
    none: int = 30,
    checks: RoundOut | None = None,
    otherwise: int | None = None,
    without: int = 100,
) -> OutlookOut:
    """Advice after one closed round, with ``more`` found in the one that is open.

    So many were found since, in rounds or ``otherwise``, and are ``without`` a verdict now; after
    the closed one came ``checks``.
    """
    low, count, high = ood or (None, None, None)
    estimate = OodLeft(
        unlabeled=unlabeled, count=count, low=low, high=high,
        agree=None, by_random=None, by_purity=None,
    )  # fmt: skip
    settings = {"overlap": overlap}
    rounds = [
        round_of(0, None, inside=inside, ood=none, ood_left=estimate, settings=settings),
        *([] if checks is None else [checks]),
        round_of(1, None, inside=more, ood=1, state=RoundState.OPEN, settings=settings),
    ]
    since = more if otherwise is None else otherwise
    return finding.outlook(
        rounds, found=30 + since, least_gain=0.005, unlabeled=without, since=otherwise
    )


def values_of(advice: OutlookOut, code: str) -> dict[str, float]:
    return next(one.values for one in advice.reasons if one.code == code)


def test_what_was_found_since_is_left_no_more_and_counts_once() -> None:
    alone = found_by()
    assert alone.advice == "go_on"
    assert values_of(alone, "left") == {"found": 30, "left": 50, "low": 40, "high": 60}
    assert values_of(found_by(more=33), "left")["high"] == 27
    # Three annotators who say so of an image have found one.
    assert values_of(found_by(more=33, overlap=3), "left")["high"] == 49
    assert values_of(found_by(overlap=3), "yield")["answers"] == 20
    few = found_by(overlap=3, inside=20, none=20)
    assert values_of(few, "few_answers")["answers"] == pytest.approx(40 / 3)


def test_what_was_found_outside_of_rounds_is_left_no_more() -> None:
    found = values_of(found_by(otherwise=33), "left")
    assert found == {"found": 63, "left": 17, "low": 7, "high": 27}
    # Nor is more left than has no verdict.
    assert values_of(found_by(without=45), "left")["high"] == 45


@pytest.mark.parametrize("strategy", ["audit", "certificate"])
@pytest.mark.parametrize("inside", [0, 300])
def test_rounds_of_checks_say_nothing_of_how_soon_more_is_found(strategy: str, inside: int) -> None:
    checks = round_of(1, None, strategy=strategy, inside=inside, ood=300, budget=1e9)
    assert found_by(checks=checks) == found_by()
    # Nor do checks beside what the strategy has chosen.
    itself = round_of(1, None).chosen
    assert found_by(checks=round_of(1, None, inside=inside, ood=300, chosen=itself)) == found_by(
        checks=round_of(1, None)
    )


def test_an_empty_pool_has_nothing_left_and_no_estimate_is_no_advice() -> None:
    empty = found_by(unlabeled=0, ood=None)
    assert (empty.advice, values_of(empty, "left")["high"]) == ("stop", 0)
    unknown = found_by(ood=None)
    assert (unknown.advice, values_of(unknown, "not_estimated")) == ("unknown", {"found": 30})
    assert found_by(inside=0, none=300).advice == "stop"
    # While the first round closes its answers are not called few.
    closing = [round_of(0, None, inside=9, ood=91, state=RoundState.CLOSING)]
    (only,) = finding.outlook(closing, found=9, least_gain=0.005, unlabeled=900).reasons
    assert only.code == "not_estimated"
