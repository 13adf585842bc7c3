"""A log says what a command waits for, where a terminal would show a bar."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from karat import Client, progress
from karat.client.resources import Job
from karat.commands.webhooks import _came_of
from karat.local.stack import Stack
from tests.karat.helpers import Run, image_folder


def job(phase: str, at: int, step: int, **more: Any) -> Job:
    """A job of three phases, as the API tells of it."""
    progress = {"phase": phase, "phase_index": at, "phases": ["read", "learn", "write"]}
    progress |= {"step": step, "steps": 1000, "eta_seconds": 40.0, "seconds": {}}
    return cast("Job", {"state": "running", "message": None, "progress": progress, **more})


def test_a_job_has_a_line_a_phase_and_one_a_tenth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_LEAST_SECONDS", 0.0)
    with progress.job_bar() as show:
        show(job("read", 0, 0, state="queued", progress=None))
        for step in range(0, 1001, 10):
            show(job("read", 0, step))
        show(job("learn", 1, 500))
        show(job("learn", 1, 500, state="succeeded"))
    out, log = capsys.readouterr()
    tenths = [f"1/3 read: {n}0% ({n}00 of 1,000), 40 s left" for n in range(1, 10)]
    assert log.splitlines() == [
        "1/3 read",
        *tenths,
        "1/3 read: 100% (1,000 of 1,000), 40 s left",
        "2/3 learn: 50% (500 of 1,000), 40 s left",
    ]
    assert out == ""


def test_what_takes_long_is_told_between_and_what_is_quick_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> str:
        with progress.job_bar() as show, progress.bytes_bar("sending a.zip") as sent:
            for step in range(0, 60, 5):
                show(job("read", 0, 0, state="queued", progress=None))
                sent(2_000_000 + step, 0)
            show(job("learn", 1, 3))
            for step in (3, 9, 10, 12):
                show(job("learn", 1, step))
        return capsys.readouterr().err

    assert told().splitlines() == ["2/3 learn: 0% (3 of 1,000), 40 s left"]
    monkeypatch.setattr(progress, "_MOST_SECONDS", 0.0)
    lines = told().splitlines()
    assert lines.count("waiting for a worker") == 1
    assert lines.count("sending a.zip: 2.0 MB") == 12
    assert lines[-2:] == [
        "2/3 learn: 0% (3 of 1,000), 40 s left",
        "2/3 learn: 1% (10 of 1,000), 40 s left",
    ]


def test_a_command_tells_its_log_and_prints_json_alone(
    live: Stack, karat: Run, admin: Client, tmp_path: Path
) -> None:
    token = admin.create_token("test")["secret"]
    project = admin.create_project("Followed in a log", ["a", "b"], settings={"input_size": 16})
    admin.wait(project.import_images(image_folder(tmp_path / "some", 40)))
    job_id = project.start_job("learn_features", {"epochs": 25})["id"]
    done = karat("--url", live.url, "job", "watch", job_id, "--json", KARAT_TOKEN=token)
    assert json.loads(done.stdout)["state"] == "succeeded"
    assert "2/3 learn" in [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert "waiting for a worker" not in done.stderr


@pytest.mark.parametrize(
    ("state", "status", "after"),
    [
        ("waiting", 500, "It is tried again."),
        ("failed", 500, "It is not tried again."),
        ("failed", 410, "The webhook is off now; switch it on with: karat webhook enable 7"),
    ],
)
def test_what_came_of_a_call_says_whether_it_is_tried_again(
    state: str, status: int, after: str
) -> None:
    told: Any = {"state": state, "status": status, "fault": "refused", "detail": f"{status}"}
    assert _came_of(told, 7) == f"Not accepted: refused: {status}. {after}"
