"""The Python client against a running Karat."""

import csv
import json
import os
import uuid
import zipfile
from pathlib import Path
from traceback import format_exception_only
from typing import Any, cast

import psycopg
import pytest

from karat import Client, KaratError
from karat.client.labeling_types import Answer
from karat.client.notebook import Record
from karat.client.project import ProjectClient
from karat.client.resources import Job
from karat.client.uploads import upload
from karat.local.stack import Stack
from tests.karat.helpers import image_folder, png, wait_for
from tests.processes import libpq_url


@pytest.fixture
def project(admin: Client) -> ProjectClient:
    return admin.create_project(f"Project {uuid.uuid4()}", ["cat", "dog"], settings={"budget": 4})


@pytest.fixture
def running(admin: Client, project: ProjectClient, tmp_path: Path) -> ProjectClient:
    """A project whose first round is open."""
    admin.wait(project.import_images(image_folder(tmp_path / "pool", 12)), timeout=60)
    project.start()
    wait_for(lambda: bool(project.lease(1)["items"]), "round 0 is open", 60)
    project.release()
    return project


def test_errors_carry_code_field_and_status(admin: Client, live: Stack) -> None:
    with Client(live.url) as stranger, pytest.raises(KaratError) as caught:
        stranger.login("nobody@example.org", "wrong")
    assert (caught.value.code, caught.value.status) == ("bad_credentials", 401)
    with pytest.raises(KaratError) as caught:
        admin.create_project("Odd", ["a", "b"], settings={"strategy": {"name": "none such"}})
    assert caught.value.status == 400
    assert caught.value.field is not None
    assert caught.value.field.startswith("settings.strategy")
    with pytest.raises(KaratError) as caught:
        admin.project(10**9).get()
    assert caught.value.code == "not_found"


def test_a_token_logs_in_until_it_is_revoked(admin: Client, live: Stack) -> None:
    token = admin.create_token("test")
    assert token["secret"] not in json.dumps(admin.tokens())
    with Client(live.url, token["secret"]) as client:
        assert client.me()["email"] == live.admin_email
        admin.revoke_token(token["id"])
        with pytest.raises(KaratError) as caught:
            client.me()
    assert caught.value.code == "unauthenticated"


def test_users_and_members(admin: Client, live: Stack, project: ProjectClient) -> None:
    email = f"{uuid.uuid4()}@example.org"
    user = admin.create_user(email, "correct horse battery", role="annotator")
    assert user["name"] == email.partition("@")[0]
    # As the user who logs in, whoever the token was of that the client had.
    token = admin.create_token("before")["secret"]
    with Client(live.url, token) as annotator:
        assert annotator.me()["id"] != user["id"]
        annotator.login(email, "correct horse battery")
        assert annotator.me()["id"] == user["id"]
        assert annotator.projects() == []
        project.add_member(user["id"])
        assert [one["id"] for one in annotator.projects()] == [project.id]
        assert annotator.project(project.id).get()["permissions"] == ["label"]
        project.add_member(user["id"], "reviewer")
        assert annotator.project(project.id).get()["permissions"] == ["label", "review"]
        project.remove_member(user["id"])
        assert annotator.projects() == []
    assert admin.update_user(user["id"], name="Ann")["name"] == "Ann"
    assert user["id"] not in [one["user"]["id"] for one in project.members()]


def test_a_project_is_made_changed_and_deleted(admin: Client, project: ProjectClient) -> None:
    assert project.get()["settings"]["budget"] == 4
    assert project.update(guidelines="Cats before dogs.")["guidelines"] == "Cats before dogs."
    assert admin.default_settings()["strategy"]["name"] == "expected_value"
    assert {"model", "strategy", "purity"} <= {one["kind"] for one in admin.algorithms()}
    project.delete()
    assert project.id not in [one["id"] for one in admin.projects()]


def test_a_script_that_makes_a_project_can_be_run_again(
    admin: Client, project: ProjectClient
) -> None:
    name = project.get()["name"]
    again = admin.create_project(f" {name} ", ["cow"], settings={"budget": 9}, exist_ok=True)
    assert (again.id, again.get()) == (project.id, project.get())
    with pytest.raises(KaratError) as caught:
        admin.create_project(name, ["cat", "dog"])
    assert caught.value.code == "name_taken"
    last, remedy = format_exception_only(caught.value)
    assert last.startswith("karat.KaratError: Another project has this name")
    assert "exist_ok=True" in remedy
    with pytest.raises(KaratError) as caught:
        admin.create_project(name, ["cat", "dog"], medium="text", exist_ok=True)
    assert caught.value.code == "name_taken"


_MORE_PROJECTS = """
    INSERT INTO projects SELECT (jsonb_populate_record(NULL::projects, to_jsonb(one) ||
        jsonb_build_object('id', nextval('projects_id_seq'), 'name', one.name || ' ' || n))).*
    FROM projects one, generate_series(1, 101) n WHERE one.id = %s RETURNING id
"""


def test_every_project_is_listed_however_many_there_are(
    admin: Client, live: Stack, project: ProjectClient
) -> None:
    with psycopg.connect(libpq_url(live.environment["DATABASE_URL"]), autocommit=True) as database:
        made = [one for (one,) in database.execute(_MORE_PROJECTS, [project.id])]
        try:
            listed = [one["id"] for one in admin.projects()]
            assert set(made) <= set(listed)
            assert len(listed) == len(set(listed))
        finally:
            database.execute("DELETE FROM projects WHERE id = ANY(%s)", [made])


def test_one_string_is_no_list_of_its_letters(
    admin: Client, project: ProjectClient, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=r"classes takes a list.*write \['ab'\]"):
        admin.create_project("x", "ab")
    with pytest.raises(ValueError, match="one is empty"):
        admin.create_project("x", ["ab", " "])
    table = tmp_path / "labels.csv"
    table.write_text("file,label\na.png,cat\n")
    with pytest.raises(TypeError, match="annotation_columns takes a list"):
        project.import_images(table, annotation_columns="label")
    with pytest.raises(TypeError, match="include takes a list"):
        project.pool.add("s3://photos", include="*.jpg")
    with pytest.raises(TypeError, match="which takes a list"):
        project.pool.hold_out(cast("Any", "12"))
    with pytest.raises(TypeError, match="events takes a list"):
        project.webhooks.create("https://example.org", cast("Any", "round.open"))
    assert project.imports() == []


def test_imports_of_a_folder_a_zip_and_an_image(
    admin: Client, project: ProjectClient, tmp_path: Path
) -> None:
    folder = image_folder(tmp_path / "my pool", 5)
    sent: list[tuple[int, int]] = []
    seen: list[Job] = []
    job = project.import_images(folder, on_sent=lambda done, total: sent.append((done, total)))
    report = admin.wait(job["id"], seen.append, timeout=60)["result"]
    assert report is not None
    assert (job["params"]["filename"], job["params"]["packed"]) == ("my pool.zip", "folder")
    assert (report["added"], report["refused"]) == (5, 1)
    assert report["refused_examples"][0]["name"] == "broken.png"
    assert sent[-1][0] == sent[-1][1]
    assert seen[-1]["state"] == "succeeded"
    assert [one["name"] for one in project.examples()] == [f"image-00{k}.png" for k in range(5)]

    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as stream:
        stream.writestr("cat/one.png", png(100))
        stream.writestr("cat/again.png", png(0))
    again = admin.wait(project.import_images(archive)["id"], timeout=60)["result"]
    assert again is not None
    assert (again["added"], again["duplicates"]) == (1, 1)

    single = tmp_path / "single.png"
    single.write_bytes(png(101))
    admin.wait(project.import_images(single)["id"], timeout=60)
    assert project.get()["counts"]["pool"] == 7

    labeled = image_folder(tmp_path / "evaluation" / "dog", 2, first=200).parent
    admin.wait(project.import_images(labeled, split="evaluation")["id"], timeout=60)
    assert [one["label"] for one in project.examples(split="evaluation")] == ["dog", "dog"]
    assert len(project.imports()) == 4


def test_a_plan_that_failed_is_made_anew_from_what_was_sent(
    admin: Client, project: ProjectClient, tmp_path: Path
) -> None:
    image, table = tmp_path / "one.png", tmp_path / "labels.csv"
    image.write_bytes(png(1))
    table.write_text("file,worse\none.png,cat\n")
    admin.wait(project.import_images(image), timeout=60)
    plan = project.import_images(table, dry_run=True)
    with pytest.raises(KaratError) as caught:
        admin.wait(plan, timeout=60)
    assert caught.value.code == "no_annotation_column"
    anew = project.start_import(plan["id"], annotation_columns=["worse"], dry_run=True)
    assert admin.wait(anew, timeout=60)["dry_run"]
    done = admin.wait(project.start_import(anew["id"]), timeout=60)
    assert (done["result"] or {})["annotations"] == 1


def test_an_import_of_nothing_fails_before_it_is_sent(
    project: ProjectClient, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none such"):
        with pytest.raises(FileNotFoundError, match=name):
            project.import_images(tmp_path / name)


def test_leases_answers_and_exports(running: ProjectClient, tmp_path: Path) -> None:
    classes = {one["name"]: one["id"] for one in running.get()["classes"]}
    lease = running.lease(3)
    assert len(lease["items"]) == 3
    assert running.lease(3)["items"] == lease["items"]
    first, second, third = (one["query_id"] for one in lease["items"])
    key = str(uuid.uuid4())
    answer: Answer = {
        "key": key,
        "query_id": first,
        "verdict": "label",
        "class_id": classes["cat"],
        "seconds": 1.0,
    }
    receipt = running.answer([answer])
    assert receipt["results"][0]["status"] == "accepted"
    repeated = running.answer([answer])
    assert repeated["results"][0]["status"] == "duplicate"
    running.answer([{"query_id": second, "verdict": "ood", "seconds": 1.0}])
    assert running.release() == 1
    held = [one["query_id"] for one in running.lease(12)["items"]]
    assert third in held
    # Another program of the same user, which begins after this one was killed.
    other = str(uuid.uuid4())
    assert running.lease(12, client=other)["held_elsewhere"]
    again = running.lease(12, client=other, open_clients=[])["items"]
    assert [one["query_id"] for one in again] == held
    assert running.release(client=other, keep=held[:2]) == len(held) - 2
    mine = running.labeling_status()["mine"]
    assert mine is not None
    assert mine["total"] == 2
    assert [(one["query_id"], one["verdict"]) for one in running.recent()] == [
        (second, "ood"), (first, "label"),
    ]  # fmt: skip
    assert running.recent(1)[0]["key"] != key
    shown = lease["items"][0]["example_id"]
    assert running.pool.image(shown, original=True)[:4] == b"\x89PNG"
    assert running.pool.image(shown, size=64)[8:12] == b"WEBP"

    target = running.export(tmp_path / "labels.csv")
    with target.open() as stream:
        assert sorted(row["verdict"] for row in csv.DictReader(stream)) == ["class", "ood"]
    # The ending tells the format; one that tells none is refused before anything is sent.
    with pytest.raises(ValueError, match=r"labels\.txt tells no format"):
        running.export(tmp_path / "labels.txt")
    lines = running.export(tmp_path / "labels.jsonl").read_text().splitlines()
    assert {json.loads(line)["class"] for line in lines} == {"cat", None}
    begun = json.loads(lines[0])["annotation_id"]
    more = running.export(tmp_path / "more.jsonl", after=begun)
    assert more.read_text().splitlines() == lines[1:]
    assert running.export(tmp_path / "images.parquet").read_bytes()[:4] == b"PAR1"
    with zipfile.ZipFile(running.export(tmp_path / "images.zip")) as archive:
        tops = [name.split("/")[0] for name in archive.namelist()]
    assert tops == ["cat", "metadata.jsonl", "CLASSES.txt"]
    exported = running.exported_classes()
    assert [one["number"] for one in exported] == list(range(len(exported)))
    assert [one["folder"] for one in exported] == [one["name"] for one in exported]
    assert next(one["labeled"] for one in exported if one["name"] == "cat") == 1
    assert sorted(path.name for path in tmp_path.glob("labels*")) == ["labels.csv", "labels.jsonl"]


def test_a_project_is_found_by_name_and_shown_in_a_notebook(
    admin: Client, running: ProjectClient
) -> None:
    name = running.get()["name"]
    for reference in (running.id, str(running.id), name, f"name:{name}", f"number:{running.id}"):
        assert admin.project(reference).id == running.id
    with pytest.raises(KaratError) as caught:
        admin.project("no such project")
    assert caught.value.code == "project_not_found"
    with pytest.raises(KaratError, match=f"The nearest name is '{name}'"):
        admin.project(name[:-1])
    with pytest.raises(KaratError) as caught:
        admin.project(running.id + 1_000)
    assert caught.value.status == 404
    assert repr(running) == f"<Project {running.id}: {name}>"
    assert repr(admin.project(name)) == repr(admin.project(running.id)) == repr(running)
    assert str(running.id) in repr(running.pool)
    found = running.pool.find()
    assert "object at" not in repr(found)
    assert "<th>begins with</th>" in found._repr_html_()
    running.update(name=f"{name} <b>")
    shown = running._repr_html_()
    assert f"<td>{name} &lt;b&gt;</td><td>running</td><td>12</td>" in shown
    assert "<th>accuracy</th>" in shown
    assert f"<td>{running.id}</td>" in admin.projects()._repr_html_()
    assert isinstance(admin.projects(), list)
    lines = repr(running.rounds()).splitlines()
    assert lines[0].split() == [
        "round",
        "state",
        "strategy",
        "spent",
        "budget",
        "share",
        "of",
        "the",
        "classes",
        "accuracy",
    ]
    assert lines[1].startswith("0      open   first_queue")
    assert repr(admin) == f"<Karat at {admin.url}>"
    jobs = running.jobs()
    # Shown and counted as often as one likes; what is iterated over is not used up by it.
    for _ in range(2):
        assert "<td>import_pool</td><td>succeeded</td>" in jobs._repr_html_()
    assert "import_pool" in {job["kind"] for job in jobs}
    assert "object at" not in repr(running.jobs(state="failed"))
    assert list(running.jobs(state="failed")) == []
    assert "<tr><th>counts.pool</th><td>12</td></tr>" in running.get()._repr_html_()  # type: ignore[attr-defined]


def test_a_notebook_shows_jobs_as_tables() -> None:
    result = {"notes": ["a <b>", "c"], "share": 1 / 3, "classes": [{"id": 1, "name": "cat"}]}
    job = Record({"id": 7, "error": None, "result": result})
    assert job["result"]["share"] == 1 / 3
    html = job._repr_html_()
    assert "<tr><th>result.notes</th><td>a &lt;b&gt;; c</td></tr>" in html
    assert "<tr><th>result.classes</th><td>cat</td></tr>" in html
    assert "<th>error</th>" not in html


def test_all_that_the_api_tells_is_readable(admin: Client, running: ProjectClient) -> None:
    # Also what lies in lists, and what a POST answers.
    found = running.rounds()[0], running.lease(1), next(running.jobs())
    for one in found:
        assert "<tr><th>" in one._repr_html_()  # type: ignore[union-attr]
    strategies = admin.algorithms("strategy")
    assert {one["kind"] for one in strategies} == {"strategy"}
    assert "Asks in random order: the reference that every strategy has to beat." in repr(
        strategies
    )
    with pytest.raises(ValueError, match=r"no kind 'jobs' .* known: .*, job"):
        admin.algorithms("jobs")
    places = [
        running.snapshots,
        running.certificates,
        running.webhooks,
        admin.weights,
        admin.judges,
    ]
    for place in (*places, running.syncs, running.disagreements()):
        assert "object at" not in repr(place)
    assert f"/projects/{running.id}/snapshots: take, " in repr(running.snapshots)


def test_an_error_names_what_is_wrong_at_the_call(
    admin: Client, running: ProjectClient, tmp_path: Path
) -> None:
    with pytest.raises(KaratError, match=r"no such job.*: /jobs/999999999"):
        admin.job(999_999_999)
    with pytest.raises(KaratError, match=r"no such project.*: /projects/999999999"):
        admin.project(999_999_999)
    with pytest.raises(TypeError, match='give its "job_id"'):
        admin.wait(cast("Any", running.rounds()[0]))
    with pytest.raises(FileNotFoundError, match=r"no such folder to save labels\.csv in; make it"):
        running.export(tmp_path / "missing" / "labels.csv")
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        running.export(tmp_path, "csv")


def test_a_round_is_closed_and_its_job_followed(admin: Client, running: ProjectClient) -> None:
    running.answer(
        [
            {"query_id": one["query_id"], "verdict": "ood", "seconds": 1.0}
            for one in running.lease(2)["items"]
        ]
    )
    assert running.close_round(0)["state"] == "closing"
    with pytest.raises(KaratError) as caught:
        running.close_round(0)
    assert caught.value.status == 409
    wait_for(lambda: running.rounds()[0]["state"] == "closed", "round 0 is closed", 90)
    kinds = {job["kind"] for job in admin.jobs(project_id=running.id)}
    assert kinds == {"import_pool", "advance_round"}
    running.pause()
    assert running.labeling_status()["waiting_for"] == "paused"
    assert running.resume()["state"] == "running"
    running.pause()
    assert running.start()["state"] == "running"


def test_waiting_for_a_job_gives_up(admin: Client, project: ProjectClient, tmp_path: Path) -> None:
    archive = tmp_path / "not.zip"
    archive.write_bytes(b"this is no zip")
    with pytest.raises(KaratError) as caught:
        admin.wait(project.import_images(archive)["id"], timeout=60)
    assert caught.value.code not in {"timeout", "unexpected"}


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    for name in ("b/2.png", "a/1.png", "a/.hidden.png", "__MACOSX/x.png", "metadata.csv"):
        file = tmp_path / "folder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "folder"


def test_what_a_folder_holds_beside_files_is_told(nested: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (nested / "b" / "linked").symlink_to(tmp_path / "elsewhere")
    (nested / "b" / "dangling.png").symlink_to(nested / "none.png")
    (nested / "__background__").mkdir()
    (nested / "__background__" / "3.png").write_text("an image")
    with open(os.fsencode(nested) + b"/caf\xe9.png", "w") as stream:
        stream.write("an image")
    left_out: dict[str, str] = {}
    what = upload(nested, left_out.__setitem__)
    assert sorted(left_out) == ["b/dangling.png", "b/linked", "caf\\xe9.png"]
    assert "rename it" in left_out["caf\\xe9.png"]
    assert "link to a folder" in left_out["b/linked"]
    assert "link to nothing" in left_out["b/dangling.png"]
    (tmp_path / "sent.zip").write_bytes(b"".join(what.chunks()))
    with zipfile.ZipFile(tmp_path / "sent.zip") as archive:
        assert archive.namelist() == ["metadata.csv", "__background__/3.png", "a/1.png", "b/2.png"]
    with pytest.warns(UserWarning, match="left out"):
        upload(nested)


def test_a_folder_is_sent_as_a_zip_in_a_fixed_order(nested: Path, tmp_path: Path) -> None:
    what = upload(nested)
    assert what.filename == "folder.zip"
    bodies = [b"".join(what.chunks()) for _ in range(2)]
    assert bodies[0] == bodies[1]
    (tmp_path / "sent.zip").write_bytes(bodies[0])
    with zipfile.ZipFile(tmp_path / "sent.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["metadata.csv", "a/1.png", "b/2.png"]
