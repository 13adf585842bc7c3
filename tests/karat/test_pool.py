"""Finding images and acting on them, as users type and import it."""

import json
import uuid
from pathlib import Path

from karat import Client
from karat.local.stack import Stack
from tests.e2e.labeled import labeled_project
from tests.karat.helpers import Run, image_folder


def test_images_are_found_held_out_queued_and_promoted(
    live: Stack, karat: Run, admin: Client, tmp_path: Path
) -> None:
    token = admin.create_token("pool")["secret"]
    name = f"Pool {uuid.uuid4()}"
    project = labeled_project(admin, name, tmp_path)

    def run(*arguments: object, status: int = 0) -> str:
        done = karat("--url", live.url, *arguments, status=status, KARAT_TOKEN=token)
        return str(done.stdout)

    evaluation = image_folder(tmp_path / "evaluation" / "light", 2, first=200).parent
    admin.wait(project.import_images(evaluation, split="evaluation")["id"])
    # Nobody is to look at them, so they are none of those that nobody has looked at.
    for where, count in (("state=unlabeled", 0), ("split=evaluation", 2), ("split=all", 62)):
        assert json.loads(run("pool", "list", name, "--where", where, "--json"))["count"] == count
    light = json.loads(run("pool", "list", name, "--where", "class=light", "--json"))
    # The one image without a verdict may be a light one.
    assert light["count"] in {19, 20}
    assert (light["exact"], len(light["items"])) == (True, light["count"])
    assert {one["label"] for one in light["items"]} == {"light"}
    assert "match." in run("pool", "list", name, "--where", "state=ood", "--limit", "3")
    run("pool", "list", name, "--where", "class=cat", status=2)

    ids = [one["id"] for one in project.pool.find({"state": "ood"})]
    assert project.pool.count({"state": "ood"})["count"] == len(ids)
    held = json.loads(run("pool", "hold-out", name, "--where", "state=ood", "--yes", "--json"))
    assert held["left_out"] == {"answered": len(ids)}
    sent = run("pool", "queue", name, "--id", ids[0], "--id", ids[1])
    assert "2 images changed." in sent
    assert "2 images changed." in run(
        "pool", "queue", name, "--id", ids[0], "--id", ids[1], "--back"
    )
    assert "is class" in run("pool", "promote", name, "stripes", "--where", "state=ood", "--yes")
    assert [one["name"] for one in project.get()["classes"]] == ["light", "dark", "stripes"]
    assert {one["example_id"] for one in project.lease(30)["items"]} >= set(ids)
    shown = project.pool.show(ids[0])
    assert [one["verdict"] for one in shown["annotations"]] == ["ood"]


def test_what_is_similar_and_there_twice_is_listed_and_judged(
    live: Stack, karat: Run, admin: Client, tmp_path: Path
) -> None:
    token = admin.create_token("alike")["secret"]
    name = f"Alike {uuid.uuid4()}"
    project = labeled_project(admin, name, tmp_path)
    for job in admin.jobs(project_id=project.id, kind="advance_round"):
        admin.wait(job["id"])

    def run(*arguments: object, status: int = 0) -> str:
        done = karat("--url", live.url, *arguments, status=status, KARAT_TOKEN=token)
        return str(done.stdout)

    image = next(iter(project.pool.find({"state": "labeled"})))
    by_id = json.loads(run("pool", "similar", name, "--id", image["id"], "--limit", 3, "--json"))
    assert by_id["items"][0]["id"] == image["id"]
    assert len(by_id["items"]) == 3
    file = tmp_path / "pool" / image["name"].rpartition("/")[2]
    by_file = json.loads(run("pool", "similar", name, file, "--limit", 3, "--json"))
    assert [one["id"] for one in by_file["items"]] == [one["id"] for one in by_id["items"]]
    run("pool", "similar", name, status=2)
    run("pool", "similar", name, tmp_path / "nothing.png", status=2)

    assert "compare finds them" in run("pool", "duplicates", name)
    admin.wait(project.start_job("compare", {"correlation": 0, "similarity": -1})["id"])
    groups = json.loads(run("pool", "duplicates", name, "--json"))["items"]
    assert groups[0]["images"] == max(one["images"] for one in groups)
    assert str(groups[0]["id"]) in run("pool", "duplicates", name)
    run("pool", "duplicates", name, "--which", "some", status=2)
    assert "images changed." in run("pool", "duplicates", name, "--hold-out")

    assert "1 images changed." in run("pool", "verdict", name, "ood", "--id", image["id"])
    assert project.pool.show(image["id"])["state"] == "ood"
    assert "1 images changed." in run("pool", "verdict", name, "skip", "--id", image["id"])
    assert project.pool.show(image["id"])["state"] == "labeled"
    run("pool", "verdict", name, "zebra", "--id", image["id"], status=2)
