"""Every algorithm of the catalog that a project can choose carries a project through a round."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.states import ArtifactKind, RoundState
from core.tables import Artifact
from models.catalog import Spec, specs
from tests.captions import tiny
from tests.captions import weights as captioned
from tests.workers.loop import Loop
from tests.workers.test_learn_features import learn
from tests.world import World
from workers import weights as uploaded
from workers.jobs.context import sessions

OF_CLASSES = [spec for spec in specs() if spec.serves_task("classification")]
SCORES = [spec for spec in OF_CLASSES if spec.kind in {"purity", "informativeness"}]
LEARNED = [spec for spec in specs() if "contrastive" in spec.needs]
STRATEGIES = [spec for spec in OF_CLASSES if spec.kind == "strategy"]

# Ready from the first answer on, unlike the default, which waits for OOD answers.
KNN = {"name": "knn"}
FROZEN = {"name": "patch_kmeans", "params": {}}


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


@pytest.mark.parametrize("spec", LEARNED, ids=lambda spec: f"{spec.kind}-{spec.name}")
def test_with_learned_features_nothing_stands_in(
    world: World, http: TestClient, spec: Spec
) -> None:
    settings = {"strategy": {"name": "p_plus_i"}, "purity": KNN} | {spec.kind: {"name": spec.name}}
    loop = Loop(world, model=FROZEN, **settings)
    learn(http, world, loop.project)
    _goes_round(loop, None)


def test_with_weights_clip_tells_names_apart(world: World, clip_weights: str) -> None:
    params = {"classes": "cat, dog", "ood": "car", "weights": clip_weights}
    purity = {"name": "clip", "params": params}
    loop = Loop(world, strategy={"name": "p_plus_i"}, model=FROZEN, purity=purity)
    _goes_round(loop, None)


def test_with_uploaded_weights_clip_tells_names_apart(world: World, http: TestClient) -> None:
    asked = {"filename": "names.safetensors", "library": "open_clip", "architecture": "ViT-B-32"}
    headers = world.caller().headers
    sent = http.post("/api/weights", params=asked, content=captioned(tiny()), headers=headers)
    assert sent.status_code == 201, sent.text
    uploaded.check_all(sessions(), world.storage)
    purity = {"name": "clip", "params": {"classes": "cat, dog", "uploaded": "names"}}
    loop = Loop(world, strategy={"name": "p_plus_i"}, model=FROZEN, purity=purity)
    _goes_round(loop, None)
    found = http.get(f"/api/weights/{sent.json()['id']}", headers=headers).json()
    assert [one["id"] for one in found["used_by"]] == [loop.project.id]


@pytest.mark.parametrize(
    "params",
    [
        {"skyline": False},
        {"validation": "random", "validation_share": 0.5},
        {"all_pairs": True},
        {"warm_start": False},
        {"prior": 0, "without_ood": "keep"},
    ],
    ids=lambda params: next(iter(params)),
)
def test_mqnet_learns_in_every_way(world: World, params: dict[str, Any]) -> None:
    quick = {"name": "mqnet", "params": {"epochs": 10, **params}}
    loop = Loop(world, strategy=quick, model=FROZEN, purity=KNN)
    _goes_round(loop, None)
    # The second time there is a network to go on from.
    loop.advance(2)
    trained = select(func.count()).where(Artifact.kind == ArtifactKind.META_MODEL)
    assert world.session.scalar(trained) == 2
    assert "MQ-Net" not in " ".join(loop.rounds()[3].notes)


def _model(spec: Spec, name: str) -> dict[str, Any]:
    switches = {"ood_class": "ood_class", "predicted_losses": "loss_prediction"}
    params: dict[str, Any] = {switches[need]: True for need in spec.needs & set(switches)}
    if name == "cnn_tiny":
        params |= {"steps": 4, "augment": False}
    return {"name": name, "params": params}
