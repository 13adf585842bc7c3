"""Finding images and acting on them, as users type and import it."""

import json
import uuid
from pathlib import Path

import pytest
import typer

from karat import Client
from karat.commands.filters import chosen_filters
from karat.local.stack import Stack
from tests.e2e.labeled import labeled_project
from tests.karat.helpers import Run, image_folder


def test_filters_are_text_and_classes_go_by_name_or_number(admin: Client) -> None:
    project = admin.create_project(f"Digits {uuid.uuid4()}", ["70000", "70001"])
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    for given, meant in (
        ("class=70001", {"class_id": ids["70001"]}),
        ("predicted=70001", {"predicted": ids["70001"]}),
        (f"class={ids['70001']}", {"class_id": ids["70001"]}),
        ("class_id=3", {"class_id": "3"}),
        ("name=15", {"name": "15"}),
        ("name=null", {"name": "null"}),
        ("name=1.10", {"name": "1.10"}),
        ("search=a=b", {"search": "a=b"}),
        ("field:camera=3", {"fields": ["camera=3"]}),
        ("field:state<2", {"fields": ["state<2"]}),
        ("field:!note", {"fields": ["!note"]}),
    ):
        assert chosen_filters(project, [given]) == meant
    first = ids["70000"]
    classes = [*({"id": id_, "name": name} for name, id_ in ids.items()), {"name": str(first)}]
    made = project.update(classes=classes)["classes"][-1]["id"]
    for said, class_id in (("name", made), ("number", first)):
        assert chosen_filters(project, [f"class={said}:{first}"]) == {"class_id": class_id}
    for where, complaint in (
        ([f"predicted={first}"], f"Write number:{first} or name:{first}"),
        (["class=cat"], "There is no class 'cat' in this project"),
        (["class=70000", "class_id=2"], "'class_id=2' would replace"),
        (["state"], "is not NAME=VALUE"),
        (["state<2"], "write field:state<2"),
        (["camera=3"], "There is no filter 'camera', and of 1,000 examples at most none"),
        (["camera="], "'camera=' is no filter. Write a condition on a field as NAME=VALUE"),
    ):
        with pytest.raises(typer.BadParameter, match=complaint):
            chosen_filters(project, where)


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
    asked = karat(
        "--url", live.url, "pool", "queue", name, "--where", "name=15", "--json",
        status=1, KARAT_TOKEN=token,
    )  # fmt: skip
    assert "That is 1 image. Go on? (--yes does not ask)" in asked.stderr
    assert asked.stdout.strip() == ""
    for where, said in (("name=15", "1 image"), ("name=null", "0 images")):
        assert f"{said} changed." in run("pool", "queue", name, "--where", where, "--yes")
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

    asked = karat("--url", live.url, "pool", "withdraw", name, "--id", ids[0], status=1,
                  KARAT_TOKEN=token)  # fmt: skip
    assert "1 image will be withdrawn for good. It has answers" in asked.stderr
    assert project.pool.withdrawals.preview(ids[:2]) == {"images": 2, "answered": 2}
    assert "1 image withdrawn." in run("pool", "withdraw", name, "--id", ids[0], "--yes")
    measuring = next(iter(project.pool.find({"split": "evaluation"})))
    job = project.pool.show(measuring["id"])["import_id"]
    whole = ("pool", "withdraw", name, "--import", job, "--yes", "--erased", "--json")
    assert json.loads(run(*whole))["state"] == "done"
    assert project.pool.count({"import_id": job, "split": "all"})["count"] == 0
    assert f"{job}" in run("pool", "withdrawals", name)
    run("pool", "withdraw", name, "--id", 1, "--import", 2, status=2)


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

    assert "1 image changed." in run("pool", "verdict", name, "ood", "--id", image["id"])
    assert project.pool.show(image["id"])["state"] == "ood"
    assert "1 image changed." in run("pool", "verdict", name, "skip", "--id", image["id"])
    assert project.pool.show(image["id"])["state"] == "labeled"
    command = ("--url", live.url, "pool", "verdict", name, "Dark", "--id", image["id"])
    refused = karat(*command, status=2, KARAT_TOKEN=token, COLUMNS="200").stderr
    assert "The nearest name is 'dark'" in refused
