"""Imported labels, agreement and reviews, as users type and import them."""

import csv
import json
import uuid
from pathlib import Path

import pytest

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.labeled import images
from tests.karat.helpers import Run

QUICK = {"learner": "ce", "network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 8}
CLASSES = ("light", "dark", "stripes")


@pytest.fixture(scope="module")
def project(admin: Client, tmp_path_factory: pytest.TempPathFactory) -> ProjectClient:
    """A project of 30 images without labels."""
    found = admin.create_project(
        f"Crowd {uuid.uuid4()}", list(CLASSES), settings={"input_size": 16}
    )
    folder = tmp_path_factory.mktemp("images")
    admin.wait(found.import_images(images(folder / "pool", 30))["id"])
    return found


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two columns of labels for them, which differ on every tenth image; one row is about none."""
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("picture", "ada", "ben"))
        for seed in range(30):
            name = CLASSES[seed % 3]
            writer.writerow((f"{name}-{seed}.png", name, "ood" if seed % 10 == 0 else seed % 3))
        writer.writerow(("missing.png", "light", 1))
    return path


def test_labels_are_imported_measured_and_reviewed(
    live: Stack, karat: Run, admin: Client, project: ProjectClient, table: Path
) -> None:
    token = admin.create_token("test")["secret"]

    def run(*arguments: object) -> str:
        return karat("--url", live.url, *arguments, KARAT_TOKEN=token).stdout

    name = project.get()["name"]
    columns = ("--annotation-column", "ada", "--annotation-column", "ben")
    imported = run("import", name, str(table), *columns, "--key-column", "picture")
    assert "60 labels added" in imported
    assert ": missing.png" in imported

    shown = run("project", "agreement", name)
    assert "ada" in shown
    found = json.loads(run("project", "agreement", name, "--json"))
    assert found["examples"] == 30
    assert found["in_ood"]["share"] == pytest.approx(0.9)
    assert found["classes"]["share"] == 1

    assert "disagreements" in run("review", "list", name)
    disputed = project.disagreements().lease()
    assert len(disputed) == 3
    assert all(None in (one["given_class_id"], one["suggested_class_id"]) for one in disputed)
    settled = project.disagreements().decide(
        [{"suggestion_id": one["id"], "decision": "ood"} for one in disputed[:2]]
    )
    assert (settled["review"]["open"], settled["review"]["decided"]["ood"]) == (1, 2)
    assert "2 decisions taken back" in run("review", "revert", name, "--yes")
    job = admin.wait(project.start_job("relabel", QUICK)["id"], timeout=200)
    assert job["result"] is not None, job["error"]
    review = project.review(job["id"])
    before = {one["name"]: one["label"] for one in project.examples()}
    doubted = review.lease(5)
    assert doubted
    receipt = review.decide([{"suggestion_id": one["id"], "decision": "accept"} for one in doubted])
    assert {result["status"] for result in receipt["results"]} == {"accepted"}
    assert [one["id"] for one in review.recent()] == [one["id"] for one in doubted][::-1]
    _, listed = json.loads(run("review", "list", name, "--json"))
    assert listed["decided"]["accept"] == len(doubted)
    assert {one["name"]: one["label"] for one in project.examples()} != before

    found = review.audit(3)
    assert (found["decided"], found["right"], found["precision"]) == (len(doubted),) * 2 + (None,)
    assert found["audit"] is not None
    audited = found["audit"]["size"]
    assert review.estimate() == found
    assert 0 < audited <= 3
    # A network that was trained knows no groups.
    assert review.lease_alike() == []

    reverted = run("review", "revert", name, str(job["id"]), "--yes")
    assert f"{len(doubted)} decisions taken back" in reverted
    assert {one["name"]: one["label"] for one in project.examples()} == before
    assert review.get()["open"] == listed["total"] + audited
