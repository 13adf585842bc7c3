"""Starting a job of the catalog, and what a project says while it has not been done."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs import queue
from core.lifecycle import claim_job, finish_job
from core.states import JobState, Medium, Role
from core.tables import Audit, Job, Judge, Project, Worker
from models import catalog
from models.catalog.spec import Spec
from tests.world import Caller, World


def start(
    http: TestClient, caller: Caller, project: Project, kind: str = "learn_features", **params: Any
) -> Any:
    return http.post(
        f"/api/projects/{project.id}/jobs",
        json={"kind": kind, "params": params},
        headers=caller.headers,
    )


def end(world: World, job_id: int, state: JobState) -> None:
    job = world.session.get_one(Job, job_id)
    claim_job(job, "test")
    finish_job(job, state)
    world.session.commit()


def test_parameters_are_checked_completed_and_kept(http: TestClient, world: World) -> None:
    project, engineer = world.project(images=2), world.caller(Role.ENGINEER)
    assert start(http, engineer, project).status_code == 404
    member = world.caller(Role.ENGINEER, project)
    started = start(http, member, project, network="cnn_tiny", epochs=7)
    assert started.status_code == 202
    job = started.json()
    assert (job["kind"], job["state"]) == ("learn_features", "queued")
    assert job["params"]["epochs"] == 7
    assert job["params"]["temperature"] == 0.5
    assert queue.waiting("gpu") == 1
    audit = world.session.query(Audit).filter_by(object_type="job", verb="start").one()
    assert (audit.object_id, audit.project_id) == (job["id"], project.id)


def offered(http: TestClient, caller: Caller) -> dict[str, dict[str, Any]]:
    """What the parameters of each job begin with."""
    items = http.get("/api/algorithms", headers=caller.headers).json()["items"]
    return {one["name"]: one["defaults"] for one in items if one["kind"] == "job"}


def test_without_a_gpu_jobs_begin_with_a_network_for_the_cpu(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    published = offered(http, admin)
    assert published["taufe"]["network"] == "resnet18_small"
    # The scheduler and importers train nothing, and a worker that has just begun does not know yet.
    world.session.add_all(
        Worker(name=name, host="here", pid=pid, queues=[name], device=None)
        for pid, name in enumerate(("gpu", "cpu"))
    )
    world.session.commit()
    assert offered(http, admin) == published

    worker = world.session.get_one(Worker, "gpu")
    worker.device = "cpu"
    world.session.commit()
    small = offered(http, admin)
    trained = {kind: one for kind, one in small.items() if one.get("network", "auto") != "auto"}
    assert set(trained) == {"learn_features", "localize", "taufe"}
    assert {one["network"] for one in trained.values()} == {"cnn_tiny"}
    assert (small["learn_features"]["epochs"], small["taufe"]["steps"]) == (50, 400)
    # Frozen features suit either.
    assert [small[one] == published[one] for one in ("relabel", "prune")] == [True, True]
    # Programs that leave it out get what the form shows; whoever names a network gets it.
    begun = start(http, admin, world.project(images=2), "taufe", oat=2.0).json()["params"]
    assert {name: begun[name] for name in small["taufe"]} == small["taufe"] | {"oat": 2.0}
    named = start(http, admin, world.project(images=2), "taufe", network="resnet18_small")
    assert named.json()["params"] == published["taufe"]

    world.session.add(Worker(name="other", host="there", pid=9, queues=["gpu"], device="cuda"))
    world.session.commit()
    assert offered(http, admin) == published


@pytest.mark.parametrize(
    ("kind", "params", "code", "field", "said"),
    [
        (
            "learn_features",
            {"epoch": 3},
            "invalid_params",
            "params",
            "epoch: there is no such name",
        ),
        ("learn_features", {"epochs": 0}, "invalid_params", "params", "epochs: must be greater"),
        ("learn", {}, "unknown_job", "kind", "known: learn_features"),
        # Those that the product starts by itself are not for starting by hand.
        ("advance_round", {}, "unknown_job", "kind", "known: learn_features"),
    ],
)
def test_a_mistake_is_named(
    http: TestClient, world: World, kind: str, params: Any, code: str, field: str, said: str
) -> None:
    response = start(http, world.caller(), world.project(images=2), kind, **params)
    assert response.status_code == 400
    problem = response.json()
    assert (problem["code"], problem["field"]) == (code, field)
    assert said in problem["detail"]


def test_annotators_start_nothing(http: TestClient, world: World) -> None:
    project = world.project(images=2)
    refused = start(http, world.caller(Role.ANNOTATOR, project), project)
    assert (refused.status_code, refused.json()["code"]) == (403, "manager_required")


def test_an_empty_pool_has_nothing_to_learn_from(http: TestClient, world: World) -> None:
    refused = start(http, world.caller(), world.project(evaluation=2))
    assert (refused.status_code, refused.json()["code"]) == (409, "no_images")


# Certify wants a model: tests/api/test_certificates.py.
BY_HAND = [one.name for one in catalog.specs() if one.kind == "job" and one.name != "certify"]


@pytest.mark.parametrize("kind", BY_HAND)
def test_one_of_a_kind_at_a_time_in_a_project(http: TestClient, world: World, kind: str) -> None:
    # Of a size that no import chooses, so that there is another to bring the images to.
    admin = world.caller()
    project, another = (world.project(images=2, input_size=12) for _ in "ab")
    spec = catalog.find("job", kind)
    for one in (project, another):
        if not spec.serves_task("classification"):
            (one.task,) = spec.tasks
        if not spec.serves("image"):
            one.medium = Medium.TEXT
    world.session.add(
        Judge(
            name="judge", base_url="https://judge.example.org/v1", model="tiny",
            concurrency=1, timeout=1.0, max_tokens=64,
        )
    )  # fmt: skip
    world.session.commit()
    first = start(http, admin, project, kind).json()["id"]
    refused = start(http, admin, project, kind)
    assert (refused.status_code, refused.json()["code"]) == (409, "job_active")
    assert f"Job {first} of this kind is queued" in refused.json()["detail"]
    assert start(http, admin, another, kind).status_code == 202
    end(world, first, JobState.FAILED)
    second = start(http, admin, project, kind)
    assert second.status_code == 202
    retried = http.post(f"/api/jobs/{first}/retry", headers=admin.headers)
    assert (retried.status_code, retried.json()["code"]) == (409, "job_active")
    end(world, second.json()["id"], JobState.SUCCEEDED)
    retried = http.post(f"/api/jobs/{first}/retry", headers=admin.headers)
    assert retried.json()["state"] == "queued"


NEEDS_FEATURES = Spec(
    name="needs_features",
    kind="purity",
    title="Needs features",
    summary="A plug-in.",
    target="models.purity.knn:score",
    needs=frozenset({"contrastive"}),
    fallback="knn",
)


def test_a_project_says_what_its_settings_need(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = (*catalog.specs(), NEEDS_FEATURES)
    monkeypatch.setattr(catalog, "specs", lambda: found)
    project, admin = world.project(images=2), world.caller()
    path = f"/api/projects/{project.id}"

    def warnings(caller: Caller = admin) -> Any:
        return http.get(path, headers=caller.headers).json()["warnings"]

    def choose(**settings: str) -> Any:
        chosen = {kind: {"name": name} for kind, name in settings.items()}
        response = http.patch(path, json={"settings": chosen}, headers=admin.headers)
        assert response.status_code == 200, response.text
        return response.json()["warnings"]

    assert warnings() == []
    (warning,) = choose(purity="needs_features")
    assert warning == (
        "The purity needs_features needs learned features, and this project has none: start the "
        "job learn_features. Until then knn stands in."
    )
    assert warnings(world.caller(Role.ANNOTATOR, project)) == []
    # A strategy that looks at no purity needs nothing.
    assert choose(strategy="margin") == []
    assert len(choose(strategy="mqnet")) == 1
    job = start(http, admin, project).json()["id"]
    assert f"which job {job} is learning" in warnings()[0]
    end(world, job, JobState.FAILED)
    assert "start the job" in warnings()[0]
    http.post(f"/api/jobs/{job}/retry", headers=admin.headers)
    end(world, job, JobState.SUCCEEDED)
    assert warnings() == []


def test_a_resize_takes_what_an_import_would_choose_and_nothing_that_does_not_fit(
    http: TestClient, world: World
) -> None:
    admin, project = world.caller(), world.project(evaluation=3, input_size=32)
    same = start(http, admin, project, "resize", input_size=32)
    assert (same.status_code, same.json()["code"]) == (409, "input_size_same")
    # Images of 32 px, which is what the rule gives them.
    assert start(http, admin, project, "resize").json()["code"] == "input_size_same"
    for wrong in (4, 1000, "many"):
        refused = start(http, admin, project, "resize", input_size=wrong)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_params")
    model = {"name": "patch_kmeans", "params": {"patch_size": 12}}
    body = {"settings": {"model": model}}
    http.patch(f"/api/projects/{project.id}", json=body, headers=admin.headers)
    refused = start(http, admin, project, "resize", input_size=12)
    assert refused.json()["field"] == "settings.model.params.patch_size"
    started = start(http, admin, project, "resize", input_size=64)
    assert started.status_code == 202
    assert started.json()["params"] == {"input_size": 64, "fit": "crop"}
    assert queue.waiting("cpu") == 1
    assert start(http, admin, project, "resize", input_size=128).json()["code"] == "job_active"
    empty = world.project(input_size=None)
    assert start(http, admin, empty, "resize", input_size=64).json()["code"] == "no_images"
