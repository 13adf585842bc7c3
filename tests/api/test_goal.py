"""What a project is after brings a strategy with it, and takes no other away."""

from typing import Final

import pytest
from fastapi.testclient import TestClient

from api.projects.settings import checked, defaults
from api.rounds.finding import left_points, yield_points
from api.rounds.shares import share_of
from core.errors import Invalid
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
    assert yield_points(share_of(0, 100)) == "stop"
    assert yield_points(share_of(0, 20)) == "neither"
    assert yield_points(share_of(20, 100)) == "go_on"
