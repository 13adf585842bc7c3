"""Rounds that learn to find boxes."""

from typing import Any

import pytest

from core.states import RoundState
from tests.workers.box_loop import BoxLoop
from tests.world import World

CACHED = {"name": "fcos", "params": {"steps": 60}}
SCRATCH = {"name": "fcos_scratch", "params": {"steps": 120}}
PROBE = {"name": "probe", "params": {"least_ood": 1}}


def headline(loop: BoxLoop, number: int) -> float:
    metrics = loop.rounds()[number].metrics
    assert metrics["headline"]["name"] == "mAP"
    value: float = metrics["headline"]["value"]
    return value


@pytest.mark.parametrize("model", [CACHED, SCRATCH], ids=lambda model: model["name"])
def test_two_rounds_find_more(world: World, model: dict[str, Any]) -> None:
    loop = BoxLoop(world, model=model, strategy={"name": "mqnet"}, purity=PROBE)
    loop.advance(0, n=4)
    loop.advance(1, n=12)
    first, second, third = loop.rounds()
    assert (first.state, second.state, third.state) == (
        RoundState.CLOSED, RoundState.CLOSED, RoundState.OPEN,
    )  # fmt: skip
    assert headline(loop, 1) > headline(loop, 0)
    assert 0 < second.metrics["map50"] <= 1
    assert set(second.metrics["per_class"]) == {str(one.id) for one in loop.classes}
    assert all(score is not None for _, _, score in loop.queue(2))
