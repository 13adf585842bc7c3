"""The log of a job: what people read of it, through kills, retries and failures."""

import re
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs import queue
from core.jobs.messages import RunJob
from core.lifecycle import requeue_job
from core.process.version import build
from core.settings import Settings
from core.states import JobState, Role, Verdict
from core.tables import Job
from models.errors import ModelError
from tests.processes import eventually, worker
from tests.workers.killing import kill_in_every_phase, state
from tests.workers.loop import Loop
from tests.workers.starting import run_here, start_job
from tests.world import World
from workers.celery_tasks import remove_files
from workers.execution.runner import run_job
from workers.jobs.context import JobContext, Phase
from workers.jobs.log import JobLog, scrubbed
from workers.prune import handler

QUICK = {"network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 4, "flip": False}
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ attempt \d+: .+")
BY = f", by Karat {build()}"


@pytest.fixture
def loop(world: World) -> Loop:
    found = Loop(world)
    found.answer(0, 12, Verdict.LABEL)
    return found


def start(http: TestClient, loop: Loop, **params: Any) -> Job:
    return start_job(http, loop.world, loop.project, "prune", QUICK | params)


def read(http: TestClient, loop: Loop, job: Job, **query: Any) -> str:
    headers = loop.world.caller().headers
    response = http.get(f"/api/jobs/{job.id}/log", params=query, headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/plain")
    return response.text


class Failing:
    """A job that goes wrong in its second phase, if at all, in a way of the test's choice."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def run(self, context: JobContext) -> dict[str, Any]:
        context.plan(("gather", "warm_up"))
        if not context.done("gather"):
            with context.phase("gather"):
                pass
        with context.phase("warm_up"):
            if self.error is not None:
                raise self.error
        return {}


def test_a_log_tells_phases_notes_and_the_end(http: TestClient, loop: Loop) -> None:
    job = start(http, loop, method="prune4rel")
    assert read(http, loop, job) == ""
    run_job(RunJob.of(job), handler)
    text = read(http, loop, job)
    lines = text.splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    events = [line.split(": ", 1)[1] for line in lines]
    assert events[:2] == [f"begins{BY}", "gather begins"]
    assert re.fullmatch(r"warm_up ends after [\d.]+ s", events[4])
    assert any("was chosen: half of all examples" in event for event in events)
    assert events[-1] == "succeeded"
    # What was read before is not sent again.
    known = len("".join(f"{line}\n" for line in lines[:3]).encode())
    assert read(http, loop, job, after=known).splitlines() == lines[3:]
    assert read(http, loop, job, after=len(text.encode())) == ""
    assert read(http, loop, job, after=10**12) == ""


def test_an_error_says_where_it_was_and_no_more(
    http: TestClient, loop: Loop, installation: Settings
) -> None:
    job = start(http, loop)
    secret = "postgresql://karat:sesame@db.example.org/karat"
    error = RuntimeError(f"cannot read {installation.data_dir}/work/7/x.npy by {secret}\nmore")
    error.add_note("a note")
    run_job(RunJob.of(job), Failing(error))
    text = read(http, loop, job)
    assert "tests/workers/test_job_log.py:" in text
    assert "in run: raise self.error" in text
    assert "RuntimeError: cannot read …/x.npy by postgresql://…" in text
    assert "sesame" not in text
    assert str(installation.data_dir) not in text
    assert str(Path(__file__).parents[2]) not in text
    loop.session.refresh(job)
    # Webhooks pass it on.
    assert job.error == {
        "code": "internal",
        "detail": "RuntimeError: cannot read …/x.npy by postgresql://…",
    }


def test_a_retry_adds_to_the_log(http: TestClient, loop: Loop) -> None:
    job = start(http, loop)
    run_here(loop.world, job, Failing(ModelError("Label some more.")))
    requeue_job(job)
    loop.session.commit()
    run_job(RunJob.of(job), Failing())
    lines = read(http, loop, job).splitlines()
    assert "attempt 1: failed: model_error: Label some more." in "\n".join(lines)
    assert any(line.endswith(f"attempt 2: begins{BY}; done before: gather") for line in lines)
    assert lines[-1].endswith("attempt 2: succeeded")


def test_a_cancelled_job_says_so(http: TestClient, loop: Loop) -> None:
    job = start(http, loop)
    job.cancel_requested = True
    loop.session.commit()
    run_job(RunJob.of(job), handler)
    events = [line.split(": ", 1)[1] for line in read(http, loop, job).splitlines()]
    assert events[-2:] == ["cancel was asked for", "cancelled"]


class Published:
    """A job that is cancelled as it publishes, in the transaction that ends its last phase."""

    def run(self, context: JobContext) -> dict[str, Any]:
        def publish(_task: "Published") -> None:
            context.cancel()
            with context.transaction() as (_, job):
                context.finish_phase(job, "publish")

        context.run((Phase("publish", publish),), self)
        return {"kept": True}


def test_what_is_published_when_its_job_is_cancelled_has_succeeded(
    http: TestClient, loop: Loop
) -> None:
    job = run_here(loop.world, start(http, loop), Published())
    assert (job.state, job.result) == (JobState.SUCCEEDED, {"kept": True})


def test_the_log_survives_kills(http: TestClient, loop: Loop, tmp_path: Path) -> None:
    job = start(http, loop)
    message = RunJob.of(job)
    kill_in_every_phase(loop.world, job, message, ["warm_up"], tmp_path / "worker.log")
    assert read(http, loop, job).splitlines()[-1].endswith("attempt 1: warm_up begins")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        eventually(lambda: state(loop.world, job) is JobState.SUCCEEDED, "the job ends")
    lines = read(http, loop, job).splitlines()
    assert [line for line in lines if "attempt 1" in line] == lines[:4]
    assert re.search(r"attempt 2: the worker .* was last heard of at \d\d:\d\d:\d\d UTC$", lines[4])
    assert lines[5].endswith(f"attempt 2: begins{BY}; done before: gather")


def test_only_engineers_of_the_project_read_it_and_it_goes_with_the_project(
    http: TestClient, loop: Loop
) -> None:
    job, world = start(http, loop), loop.world
    path = f"/api/jobs/{job.id}/log"
    for caller, status in (
        (world.caller(Role.ANNOTATOR, loop.project), 403),
        (world.caller(Role.ENGINEER), 404),
        (world.caller(Role.ENGINEER, loop.project), 200),
    ):
        assert http.get(path, headers=caller.headers).status_code == status
    run_job(RunJob.of(job), handler)
    file = world.storage.job_log(loop.project.id, job.id)
    assert file.exists()
    admin = world.caller().headers
    http.post(f"/api/projects/{loop.project.id}/pause", headers=admin)
    deleted = http.delete(f"/api/projects/{loop.project.id}", headers=admin)
    assert deleted.status_code == 204
    remove_files.remove_files({})
    assert not file.exists()


def test_progress_is_noted_now_and_then_and_never_without_bound(tmp_path: Path) -> None:
    often = JobLog(tmp_path / "often.log", 1, every=0)
    for step in range(20_000):
        often.progress(f"warm_up: {step} of 20000, {'x' * 80}")
    often.write("succeeded")
    content = (tmp_path / "often.log").read_text()
    assert len(content) < 1_100_000
    assert content.endswith("attempt 1: succeeded\n")
    seldom = JobLog(tmp_path / "seldom.log", 1)
    for step in range(100):
        seldom.progress(f"warm_up: {step} of 100")
    assert not (tmp_path / "seldom.log").exists()


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    log = JobLog(tmp_path / "job.log", 1)

    def write() -> None:
        for _ in range(50):
            log.write("a line\nof two")

    threads = [threading.Thread(target=write) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    lines = (tmp_path / "job.log").read_text().splitlines()
    assert len(lines) == 400
    assert all(line.endswith("attempt 1: a line of two") for line in lines)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("at /srv/karat/data/pixels.u8, 3 of 5", "at …/pixels.u8, 3 of 5"),
        ("'/tmp/a b'", "'…/a b'"),
        ("redis://:pass@host:6379/0 away", "redis://… away"),
        ("IN/OOD, 1 / 2, s/step", "IN/OOD, 1 / 2, s/step"),
    ],
)
def test_addresses_and_folders_are_left_out(text: str, left: str) -> None:
    assert scrubbed(text) == left
