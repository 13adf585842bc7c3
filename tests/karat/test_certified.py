"""Labels of a model with a promise, as users type and import them: with real workers throughout."""

import json
import re
import shlex
import uuid
from pathlib import Path

import pytest

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.answering import answer_by_name
from tests.e2e.labeled import images
from tests.karat.helpers import Run
from tests.processes import eventually

CLASSES = ("light", "dark")


@pytest.fixture
def project(admin: Client, tmp_path: Path) -> ProjectClient:
    """A finished project whose model has learned from a few answers."""
    settings = {
        "input_size": 16,
        "budget": 24,
        "max_rounds": 1,
        "model": {"name": "cnn_tiny", "params": {"steps": 60, "augment": False}},
        "strategy": {"name": "random"},
        "purity": {"name": "probe", "params": {"least_ood": 2}},
    }
    found = admin.create_project(f"Certified {uuid.uuid4()}", list(CLASSES), settings=settings)
    admin.wait(found.import_images(images(tmp_path / "pool", 240))["id"])
    found.start()
    eventually(lambda: answered(found), "a round opens")
    eventually(lambda: found.get()["state"] == "finished", "the round closes")
    return found


def answered(project: ProjectClient) -> int:
    """Answer what there is to answer, as the names of images say; returns how many that were."""
    count = 0
    while done := answer_by_name(project, 16):
        count += done
    return count


def test_people_answer_and_the_rest_is_labeled_told_and_taken_back(
    live: Stack, karat: Run, admin: Client, project: ProjectClient, tmp_path: Path
) -> None:
    token, name = admin.create_token("test")["secret"], project.get()["name"]

    def run(*arguments: object, status: int = 0) -> str:
        command = ("--url", live.url, *arguments)
        return karat(*command, status=status, KARAT_TOKEN=token).stdout

    begun = json.loads(run("certify", name, "--target", "0.2", "--confidence", "0.8", "--json"))
    assert begun["state"] == "scoring"
    certificate = begun["id"]

    def decided() -> bool:
        answered(project)
        return project.certificates.get(certificate)["state"] not in ("scoring", "asking")

    eventually(decided, "the certificate is decided")
    assert "is ready" in run("certificate", "show", name, certificate)
    # Its round ends with its queue, so there is no budget to tell.
    assert re.search(r" certificate +\d+ ", run("round", "list", name))
    assert "ready" in run("certificate", "list", name)
    assert "labeled" in run("certificate", "apply", name, certificate)
    report = json.loads(run("certificate", "report", name, certificate))
    labeled = report["certificate"]["auto"]
    assert labeled == sum(one["model"] for one in report["per_class"]) > 0
    every, people = tmp_path / "every.jsonl", tmp_path / "people.jsonl"
    run("export", name, every, "--effective")
    run("export", name, people, "--effective", "--people-only")
    rows = [json.loads(line) for line in every.read_text().splitlines()]
    assert sum(row["source"] == "model" for row in rows) == labeled
    assert len(people.read_text().splitlines()) == len(rows) - labeled
    run("certificate", "apply", name, certificate, status=1)
    assert "is revoked" in run("certificate", "revoke", name, certificate)
    again = run("certify", name, "--target", "0.0201", "--confidence", "0.999")
    assert f"karat certificate show {shlex.quote(name)} {certificate + 1}\n" in again
    assert "2.1% at 99.9%" in run("certificate", "list", name)
