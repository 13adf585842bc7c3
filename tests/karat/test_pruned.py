"""Subsets, estimates and logs, as users type and import them."""

import csv
import json
import uuid
import zipfile
from pathlib import Path

import pytest

from core.process.version import build
from karat import Client, KaratError
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.labeled import labeled_project
from tests.karat.helpers import Run

QUICK = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 8, "flip": False}
PARAMS = [part for name, value in QUICK.items() for part in ("--param", f"{name}={value}")]


@pytest.fixture(scope="module")
def project(admin: Client, tmp_path_factory: pytest.TempPathFactory) -> ProjectClient:
    """A project with two subsets."""
    name = f"Pruned {uuid.uuid4()}"
    found = labeled_project(admin, name, tmp_path_factory.mktemp("images"))
    for ratio in (0.5, 0.25):
        params = {**QUICK, "method": "small_loss", "ratio": ratio}
        admin.wait(found.start_job("prune", params)["id"], timeout=120)
    return found


def test_the_client_lists_compares_exports_and_uses_subsets(
    project: ProjectClient, tmp_path: Path
) -> None:
    small, large = project.subsets()
    both = project.compare_subsets(small["id"], large["id"])
    assert both["union"] <= small["kept"] + large["kept"]
    assert both["intersection"] + both["only_a"] == small["kept"]
    ids = project.export_subset(small["id"], tmp_path / "ids.txt", "ids").read_text().split()
    assert len(ids) == small["kept"]
    with project.export_subset(small["id"], tmp_path / "all.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == small["labeled"]
    assert [row["example_id"] for row in rows if row["rank"]] == ids
    assert project.use_subset(large["id"])["settings"]["subset"] == large["id"]
    assert [one["active"] for one in project.subsets()] == [False, True]
    assert project.use_subset(None)["settings"]["subset"] is None
    with pytest.raises(KaratError) as caught:
        project.export_subset(10**9, tmp_path / "none.csv")
    assert caught.value.code == "not_found"


def test_the_client_estimates_and_reads_logs(admin: Client, project: ProjectClient) -> None:
    job = project.start_job("prune", QUICK, dry_run=True)
    followed = "".join(admin.follow_log(job["id"]))
    done = admin.wait(job["id"], timeout=120)
    assert done["result"] is not None
    assert done["result"]["estimate"]["labeled"] == project.subsets()[0]["labeled"]
    assert followed == admin.job_log(job["id"])
    assert followed.splitlines()[0].endswith("attempt 1: begins, a dry run, by Karat " + build())
    assert followed.splitlines()[-1].endswith("attempt 1: succeeded")
    assert admin.job_log(job["id"], after=len(followed.encode())) == ""


def test_the_command_line_does_the_same(
    live: Stack, admin: Client, project: ProjectClient, karat: Run, tmp_path: Path
) -> None:
    token = admin.create_token("test")["secret"]

    def run(*arguments: object, status: int = 0) -> str:
        done = karat("--url", live.url, *arguments, status=status, KARAT_TOKEN=token)
        return done.stderr if status else done.stdout

    number = project.id
    small, large = (one["id"] for one in project.subsets())
    # Of two with one warm-up the later one says so.
    assert "was used again" in run("job", "watch", project.subsets()[0]["job_id"])
    assert "small_loss" in run("subset", "list", number)
    assert len(json.loads(run("subset", "list", number, "--json"))) == 2
    assert "Jaccard" in run("subset", "compare", number, small, large)
    assert json.loads(run("subset", "compare", number, small, large, "--json"))["jaccard"] > 0
    run("subset", "export", number, small, tmp_path / "kept.zip")
    assert zipfile.is_zipfile(tmp_path / "kept.zip")
    assert "--format" in run("subset", "export", number, small, tmp_path / "kept", status=2)
    assert f"train on subset {small}" in run("subset", "use", number, small)
    assert project.get()["settings"]["subset"] == small
    assert "train on all labels" in run("subset", "use", number)

    told = run("job", "start", number, "prune", *PARAMS, "--dry-run")
    assert told.startswith("Takes less than a minute and ")
    assert "warm_up:" in told
    estimate = next(iter(admin.jobs(project_id=number, kind="prune")))
    assert estimate["dry_run"]
    log = run("job", "log", estimate["id"])
    assert log == run("job", "log", estimate["id"], "--follow")
    assert log.splitlines()[-1].endswith("succeeded")
    assert "no such job" in run("job", "log", 10**9, status=1)
    refused = run("job", "start", number, "prune", "--param", "ratio=0.001", "--dry-run", status=1)
    assert "ratio 0.001 keeps none of" in refused
