"""Chosen instructions, as users type and import them."""

import json
import uuid
from pathlib import Path

import pytest

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.karat.helpers import Run

METHODS = ("longest", "random")


@pytest.fixture
def project(admin: Client, tmp_path: Path) -> ProjectClient:
    """Twelve instructions, of which jobs have chosen four, and one has said what it would take."""
    found = admin.create_project(f"Selected {uuid.uuid4()}", task="instructions")
    rows = tmp_path / "rows.jsonl"
    lines = (
        json.dumps({"instruction": f"Add {number} and 1.", "output": f"It is {number + 1}."})
        for number in range(12)
    )
    rows.write_text("\n".join(lines))
    admin.wait(found.import_images(rows))
    for method in METHODS:
        params = {"method": method, "target": 4}
        admin.wait(found.start_job("select_instructions", params))
        admin.wait(found.start_job("select_instructions", params, dry_run=True))
    return found


def test_selections_are_listed_the_newest_first(
    live: Stack, karat: Run, admin: Client, project: ProjectClient
) -> None:
    token, name = admin.create_token("test")["secret"], project.get()["name"]

    def run(*arguments: object) -> str:
        command = ("--url", live.url, "selection", *arguments)
        return karat(*command, KARAT_TOKEN=token).stdout

    found = list(project.selections())
    assert [one["method"] for one in found] == [*reversed(METHODS)]
    assert json.loads(run("list", name, "--json")) == found
    assert json.loads(run("list", name, "--limit", "1", "--json")) == found[:1]
    heading, _, *told = [line.split() for line in run("list", name).splitlines() if line.strip()]
    assert heading[:3] == ["job", "method", "kept"]
    assert [line[:3] for line in told] == [
        [str(one["job_id"]), one["method"], f"{one['kept']}/12"] for one in found
    ]
    compared = run("compare", name, *(line[0] for line in told))
    assert "Both keep" in compared


def test_nothing_is_said_of_classes_and_models(
    live: Stack, karat: Run, admin: Client, project: ProjectClient
) -> None:
    """Rankings have none."""
    token = admin.create_token("test")["secret"]
    shown, rounds = (
        karat("--url", live.url, *command, project.id, KARAT_TOKEN=token).stdout
        for command in (("project", "show"), ("round", "list"))
    )
    assert "0 ranked, 0 not of this data" in shown
    for word in ("classes", "strategy", "model", "OOD", "accuracy", "IN share"):
        assert word not in shown + rounds


def test_without_any_it_says_what_makes_them(live: Stack, karat: Run, admin: Client) -> None:
    token = admin.create_token("test")["secret"]
    found = admin.create_project(f"Selected {uuid.uuid4()}", task="instructions")
    command = ("--url", live.url, "selection", "list", found.id)
    assert "select_instructions" in karat(*command, KARAT_TOKEN=token).stdout
