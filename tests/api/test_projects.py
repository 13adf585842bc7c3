"""Projects: their classes, settings and members, and when they start, pause and go."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError

from core.jobs import queue
from core.jobs.messages import RemoveFiles
from core.lifecycle import claim_job, finish_job, new_job
from core.rounds import lock_unfinished
from core.states import ExampleState, JobKind, JobState, ProjectRole, Role, Split
from core.tables import DRY_RUN, Annotation, Example, Job, Member, Project, Query, Round
from core.tasks.boxes import BOXES
from core.tasks.classification import CLASSIFICATION
from core.verdicts.consensus import lock_examples
from tests.api.test_labeling import lease, running, send, verdict
from tests.processes import blocks, eventually
from tests.world import Caller, World
from workers.celery_tasks.remove_files import remove_files


def post(http: TestClient, project: Project, verb: str, caller: Caller) -> Any:
    return http.post(f"/api/projects/{project.id}/{verb}", headers=caller.headers)


def patch(http: TestClient, project: Project, caller: Caller, **changes: Any) -> Any:
    return http.patch(f"/api/projects/{project.id}", json=changes, headers=caller.headers)


def test_new_project_has_defaults_and_its_creator_as_member(http: TestClient, world: World) -> None:
    engineer = world.caller(Role.ENGINEER)
    classes = [{"name": "cat"}, {"name": "dog", "colour": "#112233", "hotkey": "D"}]
    body = {"name": " Pets ", "guidelines": "Look twice.", "classes": classes}
    response = http.post("/api/projects", json=body, headers=engineer.headers)
    assert response.status_code == 201
    project = response.json()
    assert (project["name"], project["state"]) == ("Pets", "draft")
    assert project["guidelines"] == "Look twice."
    assert project["permissions"] == ["label", "review", "manage"]
    assert project["current_round"] is None
    assert set(project["counts"].values()) == {0}
    cat, dog = project["classes"]
    assert (cat["hotkey"], cat["position"]) == ("1", 0)
    assert (dog["colour"], dog["hotkey"], dog["position"]) == ("#112233", "d", 1)
    assert (
        project["settings"] == http.get("/api/settings/defaults", headers=engineer.headers).json()
    )
    listed = http.get("/api/projects", headers=engineer.headers).json()["items"]
    assert [item["id"] for item in listed] == [project["id"]]


def _listed(http: TestClient, caller: Caller, limit: int) -> list[int]:
    seen: list[int] = []
    query: dict[str, int | None] = {"limit": limit}
    while True:
        page = http.get("/api/projects", params=query, headers=caller.headers).json()
        assert len(page["items"]) <= limit
        seen += [one["id"] for one in page["items"]]
        if page["next_cursor"] is None:
            return seen
        query["cursor"] = page["next_cursor"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 500])
def test_projects_come_in_pages_newest_first(http: TestClient, world: World, limit: int) -> None:
    everything = [world.project() for _ in range(7)]
    own = everything[::2]
    newest_first = [one.id for one in reversed(everything)]
    assert _listed(http, world.caller(), limit) == newest_first
    annotator = world.caller(Role.ANNOTATOR, *own)
    assert _listed(http, annotator, limit) == [one.id for one in reversed(own)]
    assert _listed(http, world.caller(Role.ENGINEER), limit) == []


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
def test_projects_in_a_list_show_a_few_of_their_own_images(
    http: TestClient, world: World, n: int
) -> None:
    project, other = world.project(), world.project()
    world.add_images(project, n)
    world.add_images(project, 3, Split.EVALUATION)
    world.add_images(other, 1)
    world.add_images(other, 5, Split.AUXILIARY_OOD)
    world.add_images(other, 1)
    caller = world.caller()
    listed = http.get("/api/projects", headers=caller.headers).json()["items"]
    found = {item["id"]: item["pictures"] for item in listed}
    examples = select(Example.pool_index, Example.id).where(Example.project_id == project.id)
    places = {example: place for place, example in world.session.execute(examples).all()}
    shown = [places[example] for example in found[project.id]]
    assert shown == {0: [], 1: [0], 3: [0, 1, 2], 4: [0, 1, 2, 3], 9: [0, 2, 4, 6]}[n]
    assert len(found[other.id]) == 2


def test_a_page_goes_on_where_it_was_when_projects_come_and_go(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    one, two, three, four = (world.project() for _ in range(4))
    first = http.get("/api/projects", params={"limit": 2}, headers=admin.headers).json()
    assert [item["id"] for item in first["items"]] == [four.id, three.id]
    world.project()
    assert http.delete(f"/api/projects/{three.id}", headers=admin.headers).status_code == 204
    query = {"limit": 2, "cursor": first["next_cursor"]}
    second = http.get("/api/projects", params=query, headers=admin.headers).json()
    assert [item["id"] for item in second["items"]] == [two.id, one.id]


def test_a_request_without_a_limit_reads_a_hundred_projects(http: TestClient, world: World) -> None:
    admin = world.caller()
    world.session.add_all(
        Project(name=f"project {number}", state="draft", settings={}) for number in range(101)
    )
    world.session.commit()
    page = http.get("/api/projects", headers=admin.headers).json()
    assert len(page["items"]) == 100
    assert page["next_cursor"] == page["items"][-1]["id"]


def test_annotators_create_no_projects(http: TestClient, world: World) -> None:
    body = {"name": "Mine", "classes": []}
    response = http.post("/api/projects", json=body, headers=world.caller(Role.ANNOTATOR).headers)
    assert (response.status_code, response.json()["code"]) == (403, "engineer_required")


def test_name_is_taken(http: TestClient, world: World) -> None:
    admin, one, two = world.caller(), world.project(), world.project()
    classes = [{"id": item.id, "name": item.name} for item in world.classes(two)]
    for response in (
        http.post("/api/projects", json={"name": one.name, "classes": []}, headers=admin.headers),
        patch(http, two, admin, name=one.name),
        patch(http, two, admin, name=one.name, classes=classes, settings={"seed": 1}),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "name_taken")
        assert response.json()["field"] == "name"
    assert patch(http, two, admin, name=two.name).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"strategy": {"name": "oracle"}}, "settings.strategy.name"),
        ({"strategy": {"name": "mqnet", "params": {"depth": 9}}}, "settings.strategy.params"),
        ({"purity": {"name": "knn", "params": {"neighbours": 0}}}, "settings.purity.params"),
        ({"budget": -1}, "settings.budget"),
        ({"cost": {"c_ood": 0}}, "settings.cost.c_ood"),
        ({"input_size": 4}, "settings.input_size"),
        ({"colour": "red"}, "settings.colour"),
    ],
)
def test_unacceptable_setting_is_named(
    http: TestClient, world: World, changes: dict[str, Any], field: str
) -> None:
    admin, project = world.caller(), world.project()
    body = {"name": "New", "classes": [], "settings": changes}
    for response in (
        http.post("/api/projects", json=body, headers=admin.headers),
        patch(http, project, admin, settings=changes),
    ):
        assert (response.status_code, response.json()["code"]) == (400, "invalid_settings")
        assert response.json()["field"] == field
    world.session.refresh(project)
    assert project.settings["budget"] == 100


def tiny(**params: Any) -> dict[str, Any]:
    return {"name": "cnn_tiny", "params": params}


@pytest.mark.parametrize(
    ("changes", "field", "remedy"),
    [
        (
            {"model": tiny(taufe=0.1, ood_class=True)},
            "settings.model.params",
            "set taufe = 0 or ood_class = false",
        ),
        (
            {"model": tiny(oat=1, ood_class=True)},
            "settings.model.params",
            "set oat = 0 or ood_class = false",
        ),
        (
            {"model": tiny(taufe=0.1, oat=1)},
            "settings.model.params",
            "set taufe = 0 or oat = 0",
        ),
        (
            {"model": {"name": "timm", "params": {"mode": "frozen", "taufe": 0.1}}},
            "settings.model.params",
            "set both to 0 or another mode",
        ),
        (
            {"informativeness": {"name": "ll"}},
            "settings.informativeness.name",
            "set settings.model.params.loss_prediction to true, or choose another informativeness",
        ),
        (
            {"input_size": 12, "model": {"name": "patch_kmeans", "params": {"patch_size": 12}}},
            "settings.model.params.patch_size",
            "set it to at most 11",
        ),
        (
            {"strategy": {"name": "ll"}},
            "settings.strategy.name",
            "set settings.model.params.loss_prediction to true, or choose another strategy",
        ),
    ],
)
def test_settings_that_conflict_are_refused_with_the_remedy(
    http: TestClient, world: World, changes: dict[str, Any], field: str, remedy: str
) -> None:
    admin, project = world.caller(), world.project()
    before = project.settings
    body = {"name": "New", "classes": [], "settings": changes}
    for response in (
        http.post("/api/projects", json=body, headers=admin.headers),
        patch(http, project, admin, settings=changes),
    ):
        problem = response.json()
        assert (response.status_code, problem["code"]) == (400, "invalid_settings")
        assert problem["field"] == field
        assert problem["detail"].startswith(f"{field}: ")
        assert remedy in problem["detail"]
    world.session.refresh(project)
    assert project.settings == before


def test_the_remedy_of_a_conflict_is_accepted_and_kept(http: TestClient, world: World) -> None:
    admin, project = world.caller(), world.project()
    changes = {"informativeness": {"name": "ll"}, "model": tiny(loss_prediction=True, taufe=0.1)}
    assert patch(http, project, admin, settings=changes).status_code == 200
    undone = patch(http, project, admin, settings={"model": tiny(loss_prediction=False)})
    assert (undone.status_code, undone.json()["field"]) == (400, "settings.informativeness.name")


def test_settings_change_one_by_one(http: TestClient, world: World) -> None:
    admin, project = world.caller(), world.project(cost={"mode": "seconds", "c_ood": 0.5})
    settings = patch(http, project, admin, settings={"budget": 7}).json()["settings"]
    assert (settings["budget"], settings["input_size"]) == (7, 8)
    settings = patch(http, project, admin, settings={"cost": {"c_in": 2}}).json()["settings"]
    assert settings["cost"] == {"mode": "seconds", "c_in": 2, "c_ood": 0.5}
    # Another algorithm brings its own parameters, not those of the one before.
    knn = {"name": "knn", "params": {"neighbours": 3}}
    assert patch(http, project, admin, settings={"purity": knn}).json()["settings"]["purity"] == knn
    energy = patch(http, project, admin, settings={"purity": {"name": "energy"}}).json()
    assert "neighbours" not in energy["settings"]["purity"]["params"]


def test_where_there_are_images_another_input_size_is_a_job(http: TestClient, world: World) -> None:
    admin, empty, full = world.caller(), world.project(), world.project(evaluation=1)
    assert patch(http, empty, admin, settings={"input_size": 16}).status_code == 200
    for size in (16, None):
        response = patch(http, full, admin, settings={"input_size": size})
        assert (response.status_code, response.json()["code"]) == (409, "input_size_fixed")
        assert "at 8 px" in response.json()["detail"]
        assert "start the job resize" in response.json()["detail"]
    refused = patch(http, full, admin, settings={"fit": "pad"})
    assert (refused.status_code, refused.json()["code"]) == (409, "input_size_fixed")
    assert refused.json()["field"] == "settings.fit"
    assert "start the job resize with its fit" in refused.json()["detail"]
    kept = {"input_size": 8, "fit": "crop", "seed": 3}
    assert patch(http, full, admin, settings=kept).status_code == 200


def test_new_projects_see_what_serves_their_labels_and_old_ones_what_they_saw(
    http: TestClient, world: World
) -> None:
    admin = world.caller()

    def made(name: str, **more: Any) -> str:
        body = {"name": name, "classes": [{"name": "a"}], **more}
        created = http.post("/api/projects", json=body, headers=admin.headers)
        fit: str = created.json()["settings"]["fit"]
        return fit

    assert made("Streets", task="boxes") == BOXES.fit == "pad"
    assert made("Narrow streets", task="boxes", settings={"fit": "crop"}) == "crop"
    assert made("Birds") == CLASSIFICATION.fit
    assert made("Mail", medium="text") == "crop"
    old = world.project()
    old.settings = {name: one for name, one in old.settings.items() if name != "fit"}
    world.session.commit()
    found = http.get(f"/api/projects/{old.id}", headers=admin.headers).json()
    assert found["settings"]["fit"] == "crop"
    # Until there are images it is a setting like others.
    assert patch(http, old, admin, settings={"fit": "pad"}).json()["settings"]["fit"] == "pad"
    wrong = patch(http, old, admin, settings={"fit": "stretch"})
    assert (wrong.status_code, wrong.json()["field"]) == (400, "settings.fit")


def test_a_new_project_has_no_input_size_until_images_come(http: TestClient, world: World) -> None:
    admin, body = world.caller(), {"name": "Birds", "classes": []}
    created = http.post("/api/projects", json=body, headers=admin.headers).json()
    assert created["settings"]["input_size"] is None
    defaults = http.get("/api/settings/defaults", headers=admin.headers).json()
    assert defaults["input_size"] is None
    project = world.session.get_one(Project, created["id"])
    for size in (24, None, 8):
        changed = patch(http, project, admin, settings={"input_size": size}).json()
        assert changed["settings"]["input_size"] == size


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.RUNNING])
@pytest.mark.parametrize("plan", [True, False], ids=["a plan", "an import"])
def test_the_input_size_stays_while_an_import_may_store_images(
    http: TestClient, world: World, state: JobState, plan: bool
) -> None:
    admin, project = world.caller(), world.project()
    params = {DRY_RUN: True} if plan else {}
    job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params=params)
    world.session.add(job)
    world.session.flush()
    if state is JobState.RUNNING:
        claim_job(job, "here:1")
    world.session.commit()
    response = patch(http, project, admin, settings={"input_size": 16})
    if plan:
        assert response.status_code == 200
    else:
        assert (response.status_code, response.json()["code"]) == (409, "import_running")


def test_changed_settings_wait_for_the_next_round(http: TestClient, world: World) -> None:
    admin, project = world.caller(), running(world, budget=5)
    patch(http, project, admin, settings={"budget": 9, "strategy": {"name": "conf"}})
    assert world.session.scalar(select(Round.budget)) == 5
    http.post(f"/api/projects/{project.id}/rounds/0/close", headers=admin.headers)
    following = world.session.scalars(select(Round).where(Round.number == 1)).one()
    assert (following.budget, following.strategy) == (9, "conf")


def test_strangers_find_no_project_and_annotators_manage_none(
    http: TestClient, world: World
) -> None:
    project = world.project(images=2)
    stranger = world.caller(Role.ENGINEER)
    member = world.caller(Role.ANNOTATOR, project)
    path = f"/api/projects/{project.id}"
    for method, verb in (
        ("PATCH", ""),
        ("POST", "/start"),
        ("POST", "/pause"),
        ("GET", "/members"),
        ("PUT", f"/members/{stranger.user.id}"),
        ("GET", "/examples"),
        ("GET", "/imports"),
        ("POST", "/imports?filename=a.zip"),
        ("GET", "/rounds"),
        ("POST", "/rounds/0/close"),
        ("GET", "/export"),
        ("GET", "/artifacts"),
    ):
        body: dict[str, Any] | None = {} if method == "PATCH" else None
        hidden = http.request(method, path + verb, headers=stranger.headers, json=body)
        assert (hidden.status_code, hidden.json()["code"]) == (404, "not_found"), verb
        refused = http.request(method, path + verb, headers=member.headers, json=body)
        shown = verb in {"/examples", "/rounds", "/artifacts"}
        code = "reviewer_required" if shown else "manager_required"
        assert (refused.status_code, refused.json()["code"]) == (403, code), verb
    assert http.get("/api/projects", headers=stranger.headers).json()["items"] == []
    shown = http.get(path, headers=member.headers).json()
    assert (shown["permissions"], shown["settings"]) == (["label"], {})
    assert [item["name"] for item in shown["classes"]] == ["cat", "dog"]
    assert http.get(path, headers=world.caller(Role.ADMIN).headers).status_code == 200


def test_members_come_and_go(http: TestClient, world: World) -> None:
    project = world.project()
    engineer, annotator = world.caller(Role.ENGINEER, project), world.caller(Role.ANNOTATOR)
    members = f"/api/projects/{project.id}/members"
    path = f"{members}/{annotator.user.id}"
    for _ in range(2):
        assert http.put(path, headers=engineer.headers).status_code == 204
    listed = http.get(members, headers=engineer.headers).json()["items"]
    assert [item["user"]["id"] for item in listed] == [engineer.user.id, annotator.user.id]
    project_path = f"/api/projects/{project.id}"
    assert http.get(project_path, headers=annotator.headers).status_code == 200
    assert http.delete(path, headers=engineer.headers).status_code == 204
    assert http.get(project_path, headers=annotator.headers).status_code == 404
    assert http.delete(path, headers=engineer.headers).status_code == 404
    assert http.put(f"{members}/999999", headers=engineer.headers).status_code == 404
    # Somebody is left who manages it: who cannot sign in does not count.
    away = world.caller(Role.ENGINEER, project)
    away.user.active = False
    world.session.commit()
    own = f"{members}/{engineer.user.id}"
    for method, body in (("DELETE", None), ("PUT", {"role": "reviewer"})):
        refused = http.request(method, own, json=body, headers=engineer.headers)
        assert (refused.status_code, refused.json()["code"]) == (409, "last_manager")
    assert http.delete(f"{members}/{away.user.id}", headers=engineer.headers).status_code == 204
    # Nobody comes in who was let go; who is in may still be given less.
    annotator.user.active = False
    world.session.commit()
    refused = http.put(path, headers=engineer.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "user_inactive")


def test_a_role_that_somebody_has_already_stays_theirs_if_a_group_comes_back(
    http: TestClient, world: World
) -> None:
    project = world.project()
    manager, lowered = world.caller(Role.ENGINEER, project), world.caller(Role.ANNOTATOR, project)
    member = world.session.get_one(Member, (project.id, lowered.user.id))
    member.lowered_from = ProjectRole.MANAGER
    world.session.commit()
    path = f"/api/projects/{project.id}/members/{lowered.user.id}"
    for body, left in ((None, ProjectRole.MANAGER), ({"role": "annotator"}, None)):
        assert http.put(path, json=body, headers=manager.headers).status_code == 204
        world.session.expire_all()
        assert (member.role, member.lowered_from) == (ProjectRole.ANNOTATOR, left)


def test_start_begins_with_a_random_round(http: TestClient, world: World) -> None:
    project = world.project(images=3)
    response = post(http, project, "start", world.caller())
    assert response.status_code == 200
    assert response.json()["state"] == "running"
    current = response.json()["current_round"]
    assert (current["number"], current["state"]) == (0, "selecting")
    assert world.session.scalar(select(Round.strategy)) == "random"
    job = world.session.scalars(select(Job)).one()
    assert (job.kind, job.params) == (JobKind.ADVANCE_ROUND, {"closing": None, "selecting": 0})
    # It waits for no training.
    assert (queue.waiting("housekeeping"), queue.waiting("gpu")) == (1, 0)


def test_a_single_class_is_enough_to_start(http: TestClient, world: World) -> None:
    response = post(http, world.project(images=1, classes=("cat",)), "start", world.caller())
    assert (response.status_code, response.json().get("state")) == (200, "running")


@pytest.mark.parametrize(
    ("setup", "status", "code"),
    [
        ({"classes": ("cat", "dog")}, 409, "no_images"),
        ({"classes": ("cat", "dog"), "evaluation": 2}, 409, "no_images"),
        ({"classes": ()}, 400, "too_few_classes"),
    ],
)
def test_start_says_what_is_missing(
    http: TestClient, world: World, setup: dict[str, Any], status: int, code: str
) -> None:
    response = post(http, world.project(**setup), "start", world.caller())
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert world.session.scalar(select(func.count()).select_from(Round)) == 0


def test_start_is_refused_where_every_image_has_a_label(http: TestClient, world: World) -> None:
    project = world.project(images=2)
    world.session.execute(update(Example).values(state=ExampleState.LABELED))
    world.session.commit()
    response = post(http, project, "start", world.caller())
    assert (response.status_code, response.json()["code"]) == (409, "nothing_unlabeled")


def test_start_waits_for_imports_and_happens_once(http: TestClient, world: World) -> None:
    admin, project = world.caller(), world.project(images=2)
    job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params={})
    world.session.add(job)
    world.session.commit()
    assert post(http, project, "start", admin).json()["code"] == "import_running"
    job.state = JobState.SUCCEEDED
    world.session.commit()
    assert post(http, project, "start", admin).status_code == 200
    again = post(http, project, "start", admin)
    assert (again.status_code, again.json()["code"]) == (409, "project_started")


def test_pause_and_resume(http: TestClient, world: World) -> None:
    admin, draft, project = world.caller(), world.project(), running(world)
    refused = post(http, draft, "pause", admin).json()
    assert refused["code"] == "project_draft"
    assert refused["detail"] == "The project is draft; only one that runs can be paused."
    assert post(http, project, "resume", admin).json()["code"] == "project_not_paused"
    assert post(http, project, "pause", admin).json()["state"] == "paused"
    assert post(http, project, "pause", admin).json()["code"] == "project_paused"
    assert post(http, project, "resume", admin).json()["state"] == "running"
    assert post(http, project, "pause", admin).json()["state"] == "paused"
    assert post(http, project, "start", admin).json()["state"] == "running"
    assert len(lease(http, admin, project)["items"]) == 4


def test_deleted_project_leaves_no_rows_and_no_files(http: TestClient, world: World) -> None:
    admin, project, other = world.caller(), running(world), running(world)
    items = lease(http, admin, project, 2)["items"]
    cat = world.classes(project)[0].id
    send(http, admin, project, verdict(items[0]["query_id"], "label", class_id=cat))
    path, files = f"/api/projects/{project.id}", world.storage.project(project.id)
    engineer = world.caller(Role.ENGINEER, project)
    assert http.delete(path, headers=engineer.headers).json()["code"] == "admin_required"
    assert http.delete(path, headers=admin.headers).json()["code"] == "project_busy"
    post(http, project, "pause", admin)
    assert files.is_dir()
    assert http.delete(path, headers=admin.headers).status_code == 204
    assert http.get(path, headers=admin.headers).status_code == 404
    assert queue.waiting(RemoveFiles.queue) > 0
    remove_files({})
    assert not files.exists()
    for table in (Annotation, Example, Member, Query, Round):
        left = select(func.count()).where(table.project_id == project.id)
        assert world.session.scalar(left) == 0
    # Both projects hold the same images; the other one keeps them.
    image = lease(http, admin, other, 1)["items"][0]["image_url"]
    assert http.get(image, headers=admin.headers).status_code == 200


def test_a_deletion_waits_for_answers_before_it_takes_what_they_need(
    http: TestClient, world: World
) -> None:
    admin, project = world.caller(), running(world)
    post(http, project, "pause", admin)
    job = new_job(JobKind.EMBEDDING_MAP, project_id=project.id, params={})
    finish_job(job, JobState.CANCELLED)
    world.session.add(job)
    world.session.commit()
    # As answers do: the round, and then images.
    world.session.execute(lock_unfinished(project.id))
    with ThreadPoolExecutor(1) as threads:
        deleted = threads.submit(http.delete, f"/api/projects/{project.id}", headers=admin.headers)
        eventually(lambda: blocks(world.session), "the deletion waits")
        # Who tries a job again locks that, and then waits for the project.
        locked = pytest.raises(OperationalError, match="could not obtain lock")
        with locked, world.session.begin_nested():
            world.session.get(Job, job.id, with_for_update={"nowait": True})
        world.session.execute(lock_examples(Example.project_id == project.id))
        world.session.commit()
        assert deleted.result().status_code == 204


def test_project_with_a_job_under_way_is_not_deleted(http: TestClient, world: World) -> None:
    admin, project = world.caller(), world.project(images=1)
    post(http, project, "start", admin)
    post(http, project, "pause", admin)
    response = http.delete(f"/api/projects/{project.id}", headers=admin.headers)
    assert (response.status_code, response.json()["code"]) == (409, "project_busy")


def test_counts_tell_what_is_known(http: TestClient, world: World) -> None:
    project = running(world, images=6, queries=5, evaluation=2)
    admin, cat = world.caller(), world.classes(project)[0].id
    ids = [item["query_id"] for item in lease(http, admin, project, 3)["items"]]
    answers = [verdict(ids[0], "label", class_id=cat), verdict(ids[1]), verdict(ids[2], "unsure")]
    send(http, admin, project, *answers)
    for shown in (
        http.get(f"/api/projects/{project.id}", headers=admin.headers).json(),
        http.get("/api/projects", headers=admin.headers).json()["items"][0],
    ):
        assert shown["counts"] == {
            "pool": 6,
            "unlabeled": 1,
            "queried": 2,
            "labeled_in": 1,
            "no_objects": 0,
            "labeled_ood": 1,
            "unsure": 1,
            "held_out": 0,
            "evaluation": 2,
            "auxiliary_ood": 0,
        }
        assert shown["current_round"]["spent"] == 3


def test_a_project_warns_when_too_few_may_label(http: TestClient, world: World) -> None:
    project = world.project(images=2, overlap=2)
    engineer = world.caller(Role.ENGINEER, project)
    url = f"/api/projects/{project.id}"
    (warning,) = http.get(url, headers=engineer.headers).json()["warnings"]
    assert "2 annotators, and 1 may label here" in warning
    world.caller(Role.ANNOTATOR, project)
    assert http.get(url, headers=engineer.headers).json()["warnings"] == []
