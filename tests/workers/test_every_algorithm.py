"""Every algorithm of the catalog that a project can choose carries a project through a round."""

from typing import Any

import pytest

from core.states import RoundState
from models.catalog import Spec, specs
from tests.workers.loop import Loop
from tests.world import World

SCORES = [spec for spec in specs() if spec.kind in {"purity", "informativeness"}]
STRATEGIES = [spec for spec in specs() if spec.kind == "strategy"]

# Ready from the first answer on, unlike the default, which waits for OOD answers.
KNN = {"name": "knn"}


def _goes_round(loop: Loop, stands_in: str | None) -> None:
    loop.advance(0)
    loop.advance(1)
    first, second, third = loop.rounds()
    assert (first.state, second.state, third.state) == (
        RoundState.CLOSED, RoundState.CLOSED, RoundState.OPEN,
    )  # fmt: skip
    for round_ in (second, third):
        queue = loop.queue(round_.number)
        assert len(queue) == 12
        assert len({index for _, index, _ in queue}) == 12
        scores = [score for _, _, score in queue]
        assert all(score is not None for score in scores)
        fell_back = [note for note in round_.notes if "stands in" in note]
        assert bool(fell_back) == (stands_in is not None), round_.notes
        if stands_in:
            assert f"{stands_in} stands in" in fell_back[0]


def _without_what_it_needs(spec: Spec) -> str | None:
    """The fallback, where a bare project lacks what the algorithm needs."""
    return spec.fallback if spec.needs & {"contrastive", "weights"} else None


@pytest.mark.parametrize("spec", STRATEGIES, ids=lambda spec: spec.name)
@pytest.mark.parametrize("model", ["cnn_tiny", "patch_kmeans"])
def test_strategy(world: World, spec: Spec, model: str) -> None:
    loop = Loop(world, strategy={"name": spec.name}, model=_model(spec, model), purity=KNN)
    _goes_round(loop, _without_what_it_needs(spec))


@pytest.mark.parametrize("spec", SCORES, ids=lambda spec: f"{spec.kind}-{spec.name}")
def test_score(world: World, spec: Spec) -> None:
    params = {"least_ood": 1} if spec.name in {"probe", "k_plus_1"} else {}
    scores = {"purity": KNN} | {spec.kind: {"name": spec.name, "params": params}}
    loop = Loop(world, strategy={"name": "p_plus_i"}, model=_model(spec, "cnn_tiny"), **scores)
    _goes_round(loop, _without_what_it_needs(spec))


def _model(spec: Spec, name: str) -> dict[str, Any]:
    switches = {"ood_class": "ood_class", "predicted_losses": "loss_prediction"}
    params: dict[str, Any] = {switches[need]: True for need in spec.needs & set(switches)}
    if name == "cnn_tiny":
        params |= {"steps": 20, "augment": False}
    return {"name": name, "params": params}
