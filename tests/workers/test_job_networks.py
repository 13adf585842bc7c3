"""Jobs that learn take every network of images: packaged, of libraries, from uploaded weights."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.states import JobState, Verdict
from core.tables import Job
from tests.security.targets import add_weights
from tests.weight_files import TINY
from tests.workers.loop import Loop
from tests.workers.starting import done_job
from tests.workers.test_weights import check, stored
from tests.world import World

MINE = {"network": "timm", "architecture": TINY, "weights": "mine"}
LITE = {"network": "efficientnet_lite0", "mode": "finetune", "input_size": 32}
SHORT: dict[str, dict[str, Any]] = {
    "prune": {"epochs": 1},
    "relabel": {"epochs": 1, "learner": "ce"},
    "taufe": {"steps": 2},
}


def done(http: TestClient, loop: Loop, kind: str, params: dict[str, Any]) -> Job:
    """A job that was started and run in this process, after an estimate of it."""
    given = {**SHORT[kind], "batch_size": 4, **params}
    for dry_run in (True, False):
        job = done_job(http, loop.world, loop.project, kind, given, dry_run=dry_run)
        assert job.state is JobState.SUCCEEDED, job.error
        assert job.result is not None
        if dry_run:
            assert job.result["estimate"]["seconds"] > 0
    return job


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("prune", {}),
        ("prune", MINE),
        ("prune", LITE),
        ("relabel", {"network": "torchvision", "pretrained": False, "input_size": 32}),
        ("relabel", {**MINE, "mode": "finetune"}),
        ("relabel", LITE),
        ("taufe", {**MINE, "learning_rate": 0.01}),
        ("taufe", LITE),
    ],
)
def test_jobs_learn_with_any_network(
    http: TestClient, world: World, tmp_path: Path, kind: str, params: dict[str, Any]
) -> None:
    if params.get("weights"):
        stored(world, "mine", tmp_path, metadata={"input_size": "40"})
        check(world)
    loop = Loop(world)
    loop.answer(0, 8, Verdict.LABEL)
    loop.answer(0, 4, Verdict.OOD)
    result = done(http, loop, kind, params).result
    assert result is not None
    if kind == "prune":
        assert result["kept"] == 4
        # A network that was warmed up has seen all labels; what is frozen can be tried.
        assert (result["trial"] is None) == (params.get("mode") == "finetune")
    if kind == "relabel":
        assert result["network"] == params["network"]
    if kind == "taufe":
        # Rounds find the weights by their name, wherever this job has found them.
        chosen = result["settings"]["taufe"]
        assert chosen["name"] == params["network"]
        assert chosen["params"].get("weights") == params.get("weights")


@pytest.mark.parametrize(
    ("kind", "params", "reason"),
    [
        ("prune", MINE, "params.weights: there are no weights 'mine'"),
        (
            "relabel",
            {"network": "torchvision", "weights": "other"},
            "'other' are of timm test_resnet",
        ),
        ("prune", {**LITE, "mode": "scratch"}, "efficientnet_lite0 begins with its weights"),
        ("relabel", {**LITE, "input_size": 16}, "images of 32 px or more"),
        ("taufe", {**LITE, "mode": "frozen"}, "mode: must be 'finetune' or 'scratch'"),
        ("taufe", {"network": "timm", "pretrained": False}, "use mode scratch"),
    ],
)
def test_what_no_network_can_do_is_refused_at_once(
    http: TestClient, world: World, kind: str, params: dict[str, Any], reason: str
) -> None:
    add_weights(world, "other")
    project = world.project(images=1)
    body = {"kind": kind, "params": params}
    url = f"/api/projects/{project.id}/jobs"
    response = http.post(url, json=body, headers=world.caller().headers)
    assert response.status_code == 400, response.text
    assert reason in response.json()["detail"]
