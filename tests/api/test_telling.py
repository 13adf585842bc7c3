"""Whatever a route changes, the pages that show it are told of; no route is forgotten."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from api.main import create_app
from core.events import CHANNEL, Topic
from core.jobs.pauses import Pause
from core.settings import Settings
from core.states import JobState, ProjectState, Role
from core.tables import Project, Sync
from tests.api.test_jobs import add_job
from tests.api.test_labeling import lease, running, send, verdict
from tests.api.test_pool_actions import ids_of
from tests.api.test_predictions import predict
from tests.api.test_reviews import Review, review
from tests.certificates import add_certificate, add_model
from tests.conftest import ROOT
from tests.world import World

__all__ = ["review"]

METHODS = {"post", "put", "patch", "delete"}
Told = set[tuple[int, str]]

# Why a route tells nobody of a project anything.
NO_PROJECT = "concerns no project: admins' pages ask again by themselves, or when they are shown"
HOT = "each page hears what became of its own; the round that it closes is told"
SILENT = {
    "POST /api/auth/oidc/backchannel-logout": NO_PROJECT,
    "POST /api/admin/webhooks": NO_PROJECT,
    "DELETE /api/admin/workers/{name}": NO_PROJECT,
    "POST /api/auth/login": NO_PROJECT,
    "POST /api/auth/logout": NO_PROJECT,
    "POST /api/auth/password": NO_PROJECT,
    "POST /api/auth/second-factor": NO_PROJECT,
    "POST /api/auth/second-factor/confirm": NO_PROJECT,
    "POST /api/auth/second-factor/recovery-codes": NO_PROJECT,
    "POST /api/auth/second-factor/remove": NO_PROJECT,
    "DELETE /api/auth/sessions": NO_PROJECT,
    "DELETE /api/auth/sessions/{session_id}": NO_PROJECT,
    "POST /api/tokens": NO_PROJECT,
    "DELETE /api/tokens/{token_id}": NO_PROJECT,
    "POST /api/users": NO_PROJECT,
    "PATCH /api/users/{user_id}": NO_PROJECT,
    "POST /api/users/{user_id}/reset-password": NO_PROJECT,
    "POST /api/users/{user_id}/reset-second-factor": NO_PROJECT,
    "POST /api/users/{user_id}/unlock": NO_PROJECT,
    "POST /api/users/{user_id}/erase": NO_PROJECT,
    "POST /api/weights": NO_PROJECT,
    "DELETE /api/weights/{weights_id}": NO_PROJECT,
    "POST /api/judges": NO_PROJECT,
    "PATCH /api/judges/{judge_id}": NO_PROJECT,
    "DELETE /api/judges/{judge_id}": NO_PROJECT,
    "POST /api/judges/{judge_id}/try": NO_PROJECT,
    "POST /api/projects/{project_id}/labeling/lease": "no page shows what others hold",
    "POST /api/projects/{project_id}/labeling/release": "no page shows what others hold",
    "POST /api/projects/{project_id}/reviews/{review}/lease": "no page shows what others hold",
    "POST /api/projects/{project_id}/labeling/answers": HOT,
    "POST /api/projects/{project_id}/examples/look-up": "whoever sent the file asks for its job",
    "POST /api/projects/{project_id}/examples/by-words": "whoever asked asks for its job",
    "POST /api/projects/{project_id}/examples/{example_id}/look-at": "who asks waits for the job",
    "POST /api/projects/{project_id}/withdrawals/preview": "only counts what would go",
}


class Scene:
    """A project of each state, and who may do everything with them."""

    def __init__(self, http: TestClient, world: World) -> None:
        self.http, self.world, self.admin = http, world, world.caller()

    def call(self, method: str, path: str, **how: Any) -> Any:
        response = self.http.request(method, f"/api{path}", headers=self.admin.headers, **how)
        assert response.status_code < 300, response.text
        return response.json() if response.content else None

    def hook(self, project: Project) -> str:
        made = self.call("post", f"/projects/{project.id}/webhooks", json={"url": "https://a.org/"})
        return f"/webhooks/{made['webhook']['id']}"


def _patch(**body: Any) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = running(scene.world)
        scene.call("patch", f"/projects/{project.id}", json=body)
        return project.id

    return act


def _classes(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = running(scene.world)
        wanted = [
            {"id": one.id, "name": one.name, "hotkey": one.hotkey}
            for one in scene.world.classes(project)
        ]
        change(wanted)
        scene.call("patch", f"/projects/{project.id}", json={"classes": wanted})
        return project.id

    return act


def _create(scene: Scene) -> int:
    made = scene.call("post", "/projects", json={"name": "new", "classes": []})
    found: int = made["id"]
    return found


def _retain(scene: Scene) -> int:
    project = scene.world.project()
    scene.call("put", f"/projects/{project.id}/retention", json={"days": 30})
    return project.id


def _delete(scene: Scene) -> int:
    project = scene.world.project()
    scene.call("delete", f"/projects/{project.id}")
    return project.id


def _state(verb: str, state: ProjectState) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project(images=4, state=state)
        if state is not ProjectState.DRAFT:
            scene.world.open_round(project, 4)
        scene.call("post", f"/projects/{project.id}/{verb}")
        return project.id

    return act


def _pin(scene: Scene) -> int:
    project = scene.world.project(images=1)
    class_id, (image,) = scene.world.classes(project)[0].id, ids_of(scene.world, project)
    path = f"/projects/{project.id}/classes/{class_id}/examples"
    scene.call("put", path, json={"example_ids": [image]})
    return project.id


def _examples(*verbs: str, **more: Any) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = running(scene.world, images=8, queries=4)
        if "promote" in verbs:
            given = lease(scene.http, scene.admin, project, 1)["items"][0]
            send(scene.http, scene.admin, project, verdict(given["query_id"], "ood"))
            chosen = given["example_id"]
        else:
            chosen = ids_of(scene.world, project)[6]
        for verb in verbs:
            path = f"/projects/{project.id}/examples/{verb}"
            scene.call("post", path, json={"ids": [chosen], **more})
        return project.id

    return act


def _import(scene: Scene) -> int:
    project = scene.world.project()
    query = "split=pool&filename=one.png"
    scene.call("post", f"/projects/{project.id}/imports?{query}", content=b"x")
    return project.id


def _discard(scene: Scene) -> int:
    project = scene.world.project()
    path = f"/projects/{project.id}/imports"
    plan = scene.call("post", f"{path}?split=pool&filename=one.zip&dry_run=true", content=b"x")
    scene.call("delete", f"{path}/{plan['id']}")
    return project.id


def _start_job(scene: Scene) -> int:
    project = scene.world.project(images=4)
    scene.call("post", f"/projects/{project.id}/jobs", json={"kind": "learn_features"})
    return project.id


def _estimate_round(scene: Scene) -> int:
    project = scene.world.project(images=4)
    scene.call("post", f"/projects/{project.id}/rounds/estimate", json={})
    return project.id


def _draw(scene: Scene) -> int:
    project = scene.world.project(images=4, state=ProjectState.RUNNING)
    scene.world.open_round(project, 1)
    scene.call("post", f"/projects/{project.id}/audit", json={"n": 1})
    return project.id


def _job(verb: str, state: JobState) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project()
        job = add_job(scene.world, project, state)
        scene.call("post", f"/jobs/{job.id}/{verb}")
        return project.id

    return act


def _resume_job(scene: Scene) -> int:
    project = scene.world.project()
    job = add_job(scene.world, project, JobState.PAUSED)
    job.pause = Pause("spending_cap", 1.0, 1.5, "clusters", 3, 9, None, True).to_json()
    scene.world.session.commit()
    scene.call("post", f"/jobs/{job.id}/resume", json={"finish": True})
    return project.id


def _close(scene: Scene) -> int:
    project = running(scene.world)
    scene.call("post", f"/projects/{project.id}/rounds/0/close")
    return project.id


def _withdraw(scene: Scene) -> int:
    project = scene.world.project(images=2)
    ids = ids_of(scene.world, project)[:1]
    scene.call("post", f"/projects/{project.id}/withdrawals", json={"ids": ids})
    return project.id


def _remove_predictions(scene: Scene) -> int:
    project = scene.world.project(images=1)
    cat = scene.world.classes(project)[0].id
    predict(scene.world, project, "m", {"class_id": cat, "score": None})
    scene.call("delete", f"/projects/{project.id}/predictions", params={"model": "m"})
    return project.id


def _snapshot(*, gone: bool) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project(images=1)
        path = f"/projects/{project.id}/snapshots"
        scene.call("post", path, json={"name": "one"})
        if gone:
            scene.call("delete", f"{path}/one")
        return project.id

    return act


def _member(method: str) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project()
        members = () if method == "put" else (project,)
        other = scene.world.caller(Role.ANNOTATOR, *members)
        scene.call(method, f"/projects/{project.id}/members/{other.user.id}")
        return project.id

    return act


def _webhook(method: str = "", path: str = "", **how: Any) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project()
        hook = scene.hook(project)
        if method:
            scene.call(method, hook + path, **how)
        return project.id

    return act


def _begin_certificate(scene: Scene) -> int:
    project = running(scene.world, images=8, queries=4)
    add_model(scene.world, project)
    scene.call("post", f"/projects/{project.id}/certificates", json={})
    return project.id


def _certificate(*verbs: str) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = running(scene.world, images=8, queries=4)
        made = add_certificate(scene.world, project)
        for verb in verbs:
            scene.call("post", f"/projects/{project.id}/certificates/{made.id}/{verb}")
        return project.id

    return act


def _redeliver(scene: Scene) -> int:
    project = scene.world.project()
    hook = scene.hook(project)
    told = scene.call("post", f"{hook}/test")["id"]
    scene.call("post", f"{hook}/deliveries/{told}/redeliver")
    return project.id


def _sync(method: str, path: str = "", **how: Any) -> Callable[[Scene], int]:
    def act(scene: Scene) -> int:
        project = scene.world.project()
        params = {"filename": "s3://a", "location": "s3://photos"}
        sync = Sync(project_id=project.id, location="s3://photos", params=params)
        scene.world.session.add(sync)
        scene.world.session.commit()
        scene.call(method, f"/projects/{project.id}/syncs/{sync.id}{path}", **how)
        return project.id

    return act


PROJECT = "PATCH /api/projects/{project_id}"
EXAMPLES = "POST /api/projects/{project_id}/examples/"
CERTIFICATE = "POST /api/projects/{project_id}/certificates/{certificate_id}"
SYNC = "/api/projects/{project_id}/syncs/{sync_id}"
WEBHOOK = "POST /api/webhooks/{webhook_id}"
TOLD: list[tuple[str, Callable[[Scene], int], set[Topic]]] = [
    ("POST /api/projects", _create, {Topic.PROJECT}),
    ("DELETE /api/projects/{project_id}", _delete, {Topic.PROJECT}),
    ("PUT /api/projects/{project_id}/retention", _retain, {Topic.PROJECT}),
    (PROJECT, _patch(name="another"), {Topic.PROJECT}),
    (PROJECT, _patch(guidelines="Look twice."), {Topic.PROJECT}),
    (PROJECT, _patch(settings={"overlap": 2}), {Topic.PROJECT}),
    (PROJECT, _patch(settings={"modes": ["grid"]}), {Topic.PROJECT}),
    (PROJECT, _classes(lambda all_: all_[0].update(name="lion")), {Topic.PROJECT}),
    (PROJECT, _classes(lambda all_: all_[0].update(hotkey="c")), {Topic.PROJECT}),
    (PROJECT, _classes(lambda all_: all_[0].update(colour="#112233")), {Topic.PROJECT}),
    (PROJECT, _classes(lambda all_: all_.append({"name": "bird"})), {Topic.PROJECT}),
    (PROJECT, _classes(lambda all_: all_.reverse()), {Topic.PROJECT}),
    (
        PROJECT,
        _classes(lambda all_: all_[0].update(guide="Has whiskers.")),
        {Topic.PROJECT, Topic.GUIDE},
    ),
    ("POST /api/projects/{project_id}/start", _state("start", ProjectState.DRAFT), {Topic.PROJECT}),
    (
        "POST /api/projects/{project_id}/pause",
        _state("pause", ProjectState.RUNNING),
        {Topic.PROJECT},
    ),
    (
        "POST /api/projects/{project_id}/resume",
        _state("resume", ProjectState.PAUSED),
        {Topic.PROJECT},
    ),
    ("PUT /api/projects/{project_id}/classes/{class_id}/examples", _pin, {Topic.GUIDE}),
    (f"{EXAMPLES}queue", _examples("queue"), {Topic.POOL}),
    (f"{EXAMPLES}unqueue", _examples("queue", "unqueue"), {Topic.POOL}),
    (f"{EXAMPLES}hold-out", _examples("hold-out"), {Topic.POOL}),
    (f"{EXAMPLES}release", _examples("hold-out", "release"), {Topic.POOL}),
    (f"{EXAMPLES}verdict", _examples("verdict", verdict="ood"), {Topic.POOL}),
    (f"{EXAMPLES}promote", _examples("promote", name="bird"), {Topic.POOL, Topic.PROJECT}),
    ("POST /api/projects/{project_id}/withdrawals", _withdraw, {Topic.POOL}),
    ("DELETE /api/projects/{project_id}/predictions", _remove_predictions, {Topic.JOB}),
    ("POST /api/projects/{project_id}/imports", _import, {Topic.JOB}),
    ("DELETE /api/projects/{project_id}/imports/{job_id}", _discard, {Topic.JOB}),
    ("POST /api/projects/{project_id}/jobs", _start_job, {Topic.JOB}),
    ("POST /api/projects/{project_id}/rounds/estimate", _estimate_round, {Topic.JOB}),
    ("POST /api/projects/{project_id}/audit", _draw, {Topic.POOL, Topic.ROUND}),
    ("POST /api/jobs/{job_id}/cancel", _job("cancel", JobState.QUEUED), {Topic.JOB}),
    ("POST /api/jobs/{job_id}/resume", _resume_job, {Topic.JOB}),
    ("POST /api/jobs/{job_id}/retry", _job("retry", JobState.FAILED), {Topic.JOB}),
    ("POST /api/projects/{project_id}/rounds/{number}/close", _close, {Topic.ROUND}),
    ("PUT /api/projects/{project_id}/members/{user_id}", _member("put"), {Topic.MEMBER}),
    ("DELETE /api/projects/{project_id}/members/{user_id}", _member("delete"), {Topic.MEMBER}),
    ("POST /api/projects/{project_id}/snapshots", _snapshot(gone=False), {Topic.SNAPSHOT}),
    ("POST /api/projects/{project_id}/certificates", _begin_certificate, {Topic.JOB}),
    (f"{CERTIFICATE}/apply", _certificate("apply"), {Topic.CERTIFICATE}),
    (f"{CERTIFICATE}/revoke", _certificate("apply", "revoke"), {Topic.CERTIFICATE}),
    (
        "DELETE /api/projects/{project_id}/snapshots/{snapshot}",
        _snapshot(gone=True),
        {Topic.SNAPSHOT},
    ),
    ("POST /api/projects/{project_id}/webhooks", _webhook(), {Topic.WEBHOOK}),
    (
        "PATCH /api/webhooks/{webhook_id}",
        _webhook("patch", json={"active": False}),
        {Topic.WEBHOOK},
    ),
    ("DELETE /api/webhooks/{webhook_id}", _webhook("delete"), {Topic.WEBHOOK}),
    (f"{WEBHOOK}/secret", _webhook("post", "/secret"), {Topic.WEBHOOK}),
    (f"{WEBHOOK}/test", _webhook("post", "/test"), {Topic.WEBHOOK}),
    (f"{WEBHOOK}/deliveries/{{delivery_id}}/redeliver", _redeliver, {Topic.WEBHOOK}),
    (f"PATCH {SYNC}", _sync("patch", json={"every_minutes": 60}), {Topic.JOB}),
    (f"DELETE {SYNC}", _sync("delete"), {Topic.JOB}),
    (f"POST {SYNC}/run", _sync("post", "/run", json={}), {Topic.JOB}),
]
# Shown by tests of their own below, or by the route that they share their last step with.
ELSEWHERE = {
    "POST /api/projects/{project_id}/reviews/{review}/audit",
    "POST /api/projects/{project_id}/reviews/{review}/decisions",
    "POST /api/projects/{project_id}/reviews/{review}/revert",
    "POST /api/projects/{project_id}/rounds/{number}/retry",
    "POST /api/projects/{project_id}/imports/bucket",
    "POST /api/projects/{project_id}/syncs",
    "POST /api/projects/{project_id}/imports/{job_id}/start",
    "POST /api/projects/{project_id}/duplicates/hold-out",
}


@pytest.fixture
def told(installation: Settings) -> Iterator[Callable[[], Told]]:
    """What browsers have been told since the last time it was asked for."""
    with psycopg.connect(installation.libpq_url, autocommit=True) as connection:
        connection.execute(f'LISTEN "{CHANNEL}"')

        def since() -> Told:
            payloads = [json.loads(one.payload) for one in connection.notifies(timeout=0.2)]
            return {(one["project_id"], one["event"]) for one in payloads}

        yield since


def test_every_route_that_changes_something_is_known_to_tell_or_not(
    installation: Settings,
) -> None:
    paths = create_app(installation).openapi()["paths"]
    routes = {
        f"{method.upper()} {path}"
        for path, operations in paths.items()
        for method in METHODS & operations.keys()
    }
    listed = [set(SILENT), {route for route, *_ in TOLD}, ELSEWHERE]
    assert set.union(*listed) == routes
    assert sum(map(len, listed)) == len(routes), "one is listed twice"


@pytest.mark.parametrize(
    ("act", "topics"), [pytest.param(act, topics, id=route) for route, act, topics in TOLD]
)
def test_a_change_is_told(
    http: TestClient,
    world: World,
    told: Callable[[], Told],
    act: Callable[[Scene], int],
    topics: set[Topic],
) -> None:
    project_id = act(Scene(http, world))
    assert told() == {(project_id, topic.value) for topic in topics}


def test_reviews_are_told(review: Review, told: Callable[[], Told]) -> None:
    review.decide((review.lease(1)[0]["id"], "accept"))
    assert told() == {(review.project.id, "review")}
    manager = review.world.caller()
    review.call("/revert", {}, manager)
    assert told() == {(review.project.id, "review")}


def test_what_is_refused_or_only_read_is_not_told(
    http: TestClient, world: World, told: Callable[[], Told]
) -> None:
    project, admin = running(world), world.caller()
    path = f"/api/projects/{project.id}"
    refused = http.patch(path, json={"classes": [{"name": "OOD"}]}, headers=admin.headers)
    assert refused.status_code == 400
    exported = http.get(f"{path}/export?format=csv", headers=admin.headers)
    assert exported.status_code == 200
    given = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, admin, project, verdict(given))
    assert told() == set()


def test_an_answer_that_closes_a_round_tells_of_it(
    http: TestClient, world: World, told: Callable[[], Told]
) -> None:
    project, admin = running(world, images=4, queries=1), world.caller()
    given = lease(http, admin, project, 1)["items"][0]["query_id"]
    send(http, admin, project, verdict(given))
    assert told() == {(project.id, "round")}


def test_pages_hear_every_topic_that_is_told() -> None:
    source = (ROOT / "frontend/src/api/events.ts").read_text()
    registry = source.split("export const HEARD = {")[1].split("} as const")[0]
    heard = {
        line.split(":")[0].strip()
        for line in registry.splitlines()
        if line.startswith("  ") and line[2].isalpha()
    }
    assert heard == {topic.value for topic in Topic}
