"""Plans of imports: made without storing anything, started as chosen, discarded, or forgotten."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from core.jobs.imports import PLAN_HOURS
from core.jobs.messages import RunJob
from core.states import JobKind, Role, Split
from core.tables import Example, Job, Project
from tests.workers.import_files import png, zipped
from tests.world import Caller, World
from workers.celery_tasks.sweep import sweep
from workers.execution.runner import run_job
from workers.imports import handler

FILES = [
    ("train/cat/1.png", png(1)),
    ("train/dog/2.png", png(2)),
    ("test/cat/3.png", png(3)),
    ("samples/dog/4.png", png(4)),
]


class Imports:
    """One project's imports, as an engineer sees them over HTTP."""

    def __init__(self, http: TestClient, world: World, project: Project, caller: Caller) -> None:
        self.http, self.world, self.caller = http, world, caller
        self.path = f"/api/projects/{project.id}/imports"

    def send(self, **query: Any) -> Any:
        return self.http.post(
            self.path,
            params={"filename": "pool.zip", **query},
            content=zipped(FILES),
            headers=self.caller.headers,
        )

    def plan(self, **query: Any) -> Any:
        """The job of a plan, at its end."""
        job_id = self.send(dry_run=True, **query).json()["id"]
        return self.run(job_id)

    def start(self, job_id: int, **chosen: Any) -> Any:
        return self.http.post(
            f"{self.path}/{job_id}/start", json=chosen, headers=self.caller.headers
        )

    def discard(self, job_id: int) -> Any:
        return self.http.delete(f"{self.path}/{job_id}", headers=self.caller.headers)

    def run(self, job_id: int) -> Any:
        run_job(RunJob(job_id=job_id, kind=JobKind.IMPORT_POOL), handler)
        self.world.session.expire_all()
        return self.http.get(f"/api/jobs/{job_id}", headers=self.caller.headers).json()

    def listed(self) -> list[int]:
        found = self.http.get(self.path, headers=self.caller.headers).json()["items"]
        return [job["id"] for job in found]

    def uploads(self) -> list[str]:
        return [path.name for path in self.world.storage.root.glob("uploads/*")]

    def splits(self) -> dict[str, Split]:
        rows = self.world.session.execute(select(Example.name, Example.split))
        return {row.name: row.split for row in rows}


@pytest.fixture
def imports(http: TestClient, world: World) -> Imports:
    project = world.project()
    return Imports(http, world, project, world.caller(Role.ENGINEER, project))


def test_a_plan_is_started_from_the_same_upload_with_what_was_chosen(imports: Imports) -> None:
    plan = imports.plan()
    assert plan["dry_run"]
    assert plan["result"]["by_split"] == {"pool": 2, "evaluation": 1, "auxiliary_ood": 0}
    assert plan["result"]["left_out"] == 1
    assert imports.splits() == {}
    assert imports.listed() == [plan["id"]]
    chosen = {"train": "auxiliary_ood", "samples": "pool"}
    started = imports.start(plan["id"], folder_split=chosen)
    assert started.status_code == 202, started.text
    assert started.json()["params"]["upload"] == plan["params"]["upload"]
    assert started.json()["params"]["plan"] == plan["id"]
    assert not started.json()["dry_run"]
    assert imports.listed() == [started.json()["id"]]
    done = imports.run(started.json()["id"])
    assert done["result"]["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 2}
    assert imports.splits() == {
        "train/cat/1.png": Split.AUXILIARY_OOD,
        "train/dog/2.png": Split.AUXILIARY_OOD,
        "test/cat/3.png": Split.EVALUATION,
        "samples/dog/4.png": Split.POOL,
    }
    assert imports.uploads() == []
    again = imports.start(plan["id"])
    assert (again.status_code, again.json()["code"]) == (409, "plan_started")


def test_folders_are_chosen_without_a_plan_too(imports: Imports) -> None:
    sent = imports.send(folder_split=["samples=evaluation", "test=leave_out"])
    done = imports.run(sent.json()["id"])
    assert done["result"]["by_split"] == {"pool": 2, "evaluation": 1, "auxiliary_ood": 0}
    assert done["result"]["left_out"] == 1


@pytest.mark.parametrize("text", ["dev", "=pool", "dev=train", "dev=POOL", "dev="])
def test_a_choice_that_cannot_be_read_names_what_there_is(imports: Imports, text: str) -> None:
    refused = imports.send(folder_split=[text])
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_folder_split")
    assert refused.json()["field"] == "folder_split"
    assert "leave_out" in refused.json()["detail"]
    assert imports.uploads() == []


def test_a_plan_may_be_made_anew_with_other_columns(imports: Imports) -> None:
    plan = imports.plan(annotation_column="label")
    assert [one["chosen"] for one in plan["result"]["labels"]] == [True]
    again = imports.start(plan["id"], annotation_columns=[], dry_run=True).json()
    assert again["dry_run"]
    assert imports.listed() == [again["id"]]
    labels = imports.run(again["id"])["result"]["labels"]
    assert [one["chosen"] for one in labels] == [False]
    done = imports.run(imports.start(again["id"]).json()["id"])
    assert (done["result"]["added"], done["result"]["annotations"]) == (3, 0)


def test_a_plan_that_failed_by_its_column_is_made_anew_with_another(
    http: TestClient, world: World
) -> None:
    project = world.texts([])
    imports = Imports(http, world, project, world.caller(Role.ENGINEER, project))
    sent = http.post(
        imports.path,
        params={"filename": "mails.csv", "dry_run": True, "text_column": "mail"},
        content=b"subject,body,topic\none,two,billing\n",
        headers=imports.caller.headers,
    )
    plan = imports.run(sent.json()["id"])
    assert (plan["state"], plan["error"]["code"]) == ("failed", "invalid_column")
    assert "no column 'mail'" in plan["error"]["detail"]
    refused = imports.start(plan["id"], text_column="body")
    assert (refused.status_code, refused.json()["code"]) == (409, "plan_not_ready")
    again = imports.start(plan["id"], text_column="body", dry_run=True).json()
    assert imports.listed() == [again["id"]]
    planned = imports.run(again["id"])["result"]
    assert (planned["columns"]["text"], planned["by_split"]["pool"]) == ("body", 1)
    done = imports.run(imports.start(again["id"]).json()["id"])
    assert (done["result"]["added"], imports.uploads()) == (1, [])


def test_a_discarded_plan_leaves_nothing(imports: Imports) -> None:
    plan = imports.plan()
    assert imports.discard(plan["id"]).status_code == 204
    assert (imports.uploads(), imports.listed()) == ([], [])
    for again in (imports.discard(plan["id"]), imports.start(plan["id"])):
        assert (again.status_code, again.json()["code"]) == (409, "plan_discarded")


def test_a_plan_whose_answer_is_not_committed_keeps_its_upload(
    imports: Imports, world: World
) -> None:
    plan = imports.plan()
    world.session.execute(
        text(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$"
        )
    )
    world.session.execute(
        text(
            "CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON jobs "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    )
    ended = datetime.now(UTC) - timedelta(hours=PLAN_HOURS, minutes=1)
    world.session.commit()
    assert imports.discard(plan["id"]).status_code == 503
    assert imports.uploads() == [plan["params"]["upload"]]
    world.session.execute(text("ALTER TABLE jobs DISABLE TRIGGER refuse"))
    world.session.get_one(Job, plan["id"]).finished_at = ended
    world.session.commit()
    world.session.execute(text("ALTER TABLE jobs ENABLE TRIGGER refuse"))
    world.session.commit()
    with pytest.raises(OperationalError):
        sweep({})
    assert imports.uploads() == [plan["params"]["upload"]]


def test_a_plan_may_be_discarded_before_it_is_made(imports: Imports) -> None:
    job_id = imports.send(dry_run=True).json()["id"]
    early = imports.start(job_id)
    assert (early.status_code, early.json()["code"]) == (409, "plan_not_ready")
    assert imports.discard(job_id).status_code == 204
    assert imports.uploads() == []
    assert imports.run(job_id)["state"] == "cancelled"


def test_only_plans_are_started_or_discarded(imports: Imports, world: World) -> None:
    job_id = imports.send().json()["id"]
    assert imports.start(job_id).status_code == 404
    assert imports.discard(job_id).status_code == 404
    plan = imports.plan()
    other = world.project()
    stranger = Imports(imports.http, world, other, world.caller(Role.ENGINEER, other))
    assert stranger.start(plan["id"]).status_code == 404
    assert stranger.discard(plan["id"]).status_code == 404


def test_plans_that_nobody_answers_are_forgotten(imports: Imports, world: World) -> None:
    plan, young, real = imports.plan(), imports.plan(), imports.send().json()
    ended = datetime.now(UTC) - timedelta(hours=PLAN_HOURS, minutes=1)
    world.session.get_one(Job, plan["id"]).finished_at = ended
    world.session.commit()
    sweep({})
    world.session.expire_all()
    left = sorted((young["params"]["upload"], real["params"]["upload"]))
    assert sorted(imports.uploads()) == left
    assert imports.listed() == [real["id"], young["id"]]
    refused = imports.start(plan["id"])
    assert (refused.status_code, refused.json()["code"]) == (409, "plan_expired")
    assert "24 hours" in refused.json()["detail"]


def test_a_plan_is_made_while_an_import_runs(imports: Imports, world: World) -> None:
    """Somebody waits for it, and it writes nothing."""
    running = imports.send().json()["id"]
    job = world.session.get_one(Job, running)
    job.state, job.heartbeat_at = "running", datetime.now(UTC)  # type: ignore[assignment]
    world.session.commit()
    assert imports.plan()["state"] == "succeeded"
    # Nor does it keep an import waiting.
    plan = world.session.get_one(Job, imports.send(dry_run=True).json()["id"])
    plan.state, plan.heartbeat_at = "running", datetime.now(UTC)  # type: ignore[assignment]
    world.session.get_one(Job, running).heartbeat_at = datetime.now(UTC) - timedelta(days=1)
    world.session.commit()
    assert imports.run(running)["state"] == "succeeded"


def test_a_plan_of_another_project_is_none_of_this_one(http: TestClient, world: World) -> None:
    own, other, headers = world.project(), world.project(), world.caller().headers
    path = f"/api/projects/{other.id}/imports?split=pool&filename=one.zip&dry_run=true"
    plan = http.post(path, content=b"x", headers=headers).json()["id"]
    for method, end in (("post", "/start"), ("delete", "")):
        path = f"/api/projects/{own.id}/imports/{plan}{end}"
        response = http.request(method, path, json={}, headers=headers)
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_imports_come_in_pages_and_a_plan_that_waits_is_on_the_first(
    imports: Imports,
) -> None:
    plan = imports.send(dry_run=True).json()["id"]
    older, *newer = (imports.send().json()["id"] for _ in range(3))
    headers = imports.caller.headers
    page = imports.http.get(f"{imports.path}?limit=2", headers=headers).json()
    assert [job["id"] for job in page["items"]] == [*reversed(newer), plan]
    following = {"limit": 2, "cursor": page["next_cursor"]}
    page = imports.http.get(imports.path, params=following, headers=headers).json()
    assert ([job["id"] for job in page["items"]], page["next_cursor"]) == ([older], None)
