"""The command line as a user runs it."""

import itertools
import json
import re
import subprocess
import sys
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.errors import NotFound
from karat import Client, KaratError
from karat.cli import app
from karat.commands.connection import remedy
from karat.local.stack import Stack
from tests.karat.helpers import Run, image_folder
from tests.receiver import receiver, status
from tests.weight_files import TINY, tiny_weights


def test_settings_are_changed_and_projects_deleted(
    engineer: str, admin: Client, karat: Run
) -> None:
    name = f"Short-lived of {engineer}"
    karat("project", "create", name, "--class", "cat", "--class", "dog")
    changed = karat("project", "settings", name, "--set", "budget=7").stdout
    assert re.search(r"budget +7\b", changed)
    assert re.search(r'strategy\.name +"expected_value"', changed)
    settings = json.loads(karat("project", "settings", name, "--json").stdout)
    assert settings["budget"] == 7
    # Nobody answers the question.
    asked = karat("project", "delete", name, status=1).stderr
    assert f"Delete {name} (number " in asked
    kept = karat("project", "retain", name).stdout
    assert re.search(rf"{name} +draft +kept", kept)
    assert "admin" in karat("project", "retain", name, "--days", "30", status=1).stderr
    refused = karat("project", "delete", name, "--yes", status=1).stderr
    assert "admin" in refused
    mine = admin.create_token("deletes", scope="admin")["secret"]
    karat("project", "retain", name, "--days", "30", KARAT_TOKEN=mine)
    assert re.search(rf"{name} +draft +30", karat("project", "retention", KARAT_TOKEN=mine).stdout)
    deleted = karat("project", "delete", name, "--yes", KARAT_TOKEN=mine).stdout
    assert deleted == f"{name} is deleted.\n"
    assert "There is no project" in karat("project", "show", name, status=1).stderr


def test_a_project_from_creation_to_export(engineer: str, karat: Run, tmp_path: Path) -> None:
    name = f"Pets of {engineer}"
    made = karat(
        *("project", "create", name, "--class", "cat", "--class", "dog"),
        *("--set", "budget=3", "--set", "strategy.name=random", "--json"),
    )
    project = json.loads(made.stdout)
    assert project["settings"]["budget"] == 3
    assert project["settings"]["strategy"]["name"] == "random"
    number = str(project["id"])

    imported = karat("import", name, image_folder(tmp_path / "pool", 8)).stdout
    assert imported.splitlines()[0] == "8 images added, 0 there already, 1 refused."
    # The first import chooses how large the model sees images.
    seen = "Images are typically 12 × 12; the model sees 16 × 16."
    assert imported.splitlines()[1] == seen
    assert imported.splitlines()[2].startswith("  truncated or corrupt: ")
    assert imported.splitlines()[2].endswith(": broken.png")
    (tmp_path / "texts").mkdir()
    for letter in "abcd":
        (tmp_path / "texts" / f"{letter}.png").write_text(letter)
    texts = karat("import", name, tmp_path / "texts", status=1).stdout.splitlines()
    assert texts[1].startswith("  4 × not an image in a format we read")
    assert texts[1].endswith(": a.png, b.png, c.png, …")
    report = ("--report", tmp_path / "report.csv")
    again = json.loads(karat("import", number, tmp_path / "pool", "--json", *report).stdout)
    assert "broken.png" in (tmp_path / "report.csv").read_text()
    assert (again["added"], again["duplicates"]) == (0, 8)

    assert "running" in karat("project", "start", number).stdout
    assert "paused" in karat("project", "pause", number).stdout
    assert "running" in karat("project", "start", number).stdout
    job = json.loads(karat("job", "list", name, "--json").stdout)[0]
    assert karat("job", "watch", job["id"]).stdout == f"Job {job['id']} succeeded.\n"
    assert "advance_round" in karat("job", "list").stdout
    assert "The job has succeeded already" in karat("job", "cancel", job["id"], status=1).stderr

    assert name in karat("project", "list").stdout
    assert json.loads(karat("round", "list", number, "--json").stdout)[0]["state"] == "open"
    assert "open" in karat("round", "list", number).stdout
    assert karat("audit", number, "--ask", 2).stdout == "2 images were drawn; round 0 asks.\n"
    drawn = karat("audit", number).stdout.splitlines()
    said = "2 images were drawn at random, 0 of them answered; 8 of the pool nobody has judged."
    assert drawn[0] == said
    assert drawn[1].startswith("Nothing was measured yet")
    # Nobody has answered, and there is nobody to ask.
    asked = karat("round", "close", number, status=1)
    assert "Round 0 has no answers" in asked.stderr
    assert "--yes" in asked.stderr
    assert json.loads(karat("round", "list", number, "--json").stdout)[0]["state"] == "open"
    assert karat("round", "close", number, "--yes").stdout == "Round 0 is closing.\n"

    quick = ("--param", "network=cnn_tiny", "--param", "epochs=1")
    started = karat("job", "start", name, "learn_features", *quick, "--json")
    learning = json.loads(started.stdout)
    assert (learning["params"]["epochs"], learning["params"]["network"]) == (1, "cnn_tiny")
    karat("job", "watch", learning["id"])
    unknown = karat("job", "start", name, "learn_features", "--param", "epoch=1", status=1)
    assert "epoch: there is no such name; the nearest is epochs" in unknown.stderr
    contrary = ("--param", "ratio=0.5", "--param", "count=3")
    refused = karat("job", "start", name, "prune", *contrary, status=1)
    assert "Job prune: give ratio or count" in refused.stderr
    malformed = karat("job", "start", name, "learn_features", "--param", "epoch", status=2)
    assert "--param" in malformed.stderr

    karat("export", number, tmp_path / "labels.csv", "--after", "0")
    assert (tmp_path / "labels.csv").read_text().startswith("annotation_id,")
    karat("export", number, tmp_path / "images.zip")
    assert zipfile.is_zipfile(tmp_path / "images.zip")
    karat("export", number, tmp_path / "pool.parquet", "--unlabeled")
    assert (tmp_path / "pool.parquet").read_bytes()[:4] == b"PAR1"
    karat("export", number, tmp_path / "tasks.json", "--format", "label_studio", "--unlabeled")
    assert len(json.loads((tmp_path / "tasks.json").read_text())) == 8
    wrong = karat("export", number, tmp_path / "tasks.json", "--format", "yolo", status=2)
    assert "coco and label_studio" in wrong.stderr
    unknown = karat("export", number, tmp_path / "labels", status=2, COLUMNS="200")
    assert "Invalid value for --format" in unknown.stderr
    assert "The ending of labels does not tell a format. Choose one of csv, " in unknown.stderr
    unknown = karat("export", number, tmp_path / "a.csv", "--format", "bogus", status=2)
    assert "There is no format 'bogus'." in unknown.stderr


def test_users_tokens_and_algorithms(
    engineer: str, live: Stack, admin: Client, karat: Run, tmp_path: Path
) -> None:
    secret = karat("token", "create", "script", "--expires-in-days", "1").stdout.strip()
    # Empty is unset.
    listed = json.loads(karat("token", "list", "--json", KARAT_TOKEN="").stdout)
    token = next(one for one in listed if one["name"] == "script")
    assert secret not in json.dumps(listed)
    with Client(live.url, secret) as client:
        assert client.me()["email"] == engineer
    karat("token", "revoke", token["id"])
    refused = karat("project", "list", KARAT_TOKEN=secret, status=1)
    assert "unset it, and log in with: karat login" in refused.stderr

    refused = karat("user", "add", "new@example.org", status=1)
    assert "Ask an admin" in refused.stderr
    mine = admin.create_token("test", scope="admin")["secret"]
    email = f"{uuid.uuid4()}@example.org"
    added = json.loads(karat("user", "add", email, "--json", KARAT_TOKEN=mine).stdout)
    assert added["role"] == "annotator"
    with Client(live.url) as client:
        assert client.login(email, added["password"])["email"] == email
    assert email in json.dumps(json.loads(karat("user", "list", "--json").stdout))
    reset = karat("user", "reset-password", email.upper(), KARAT_TOKEN=mine).stdout
    with Client(live.url) as client:
        found = client.login(email, reset.split()[-1])
        assert found["must_change_password"] is True
    unlocked = karat("user", "unlock", email, KARAT_TOKEN=mine).stdout
    assert unlocked == f"{email} may log in again.\n"
    missing = karat("user", "reset-password", "nobody@example.org", KARAT_TOKEN=mine, status=1)
    assert "karat user list" in missing.stderr
    name = f"Cats and dogs of {engineer}"
    made = karat("project", "create", name, "--class", "cat", "--class", "dog", "--json")
    number = json.loads(made.stdout)["id"]
    said = karat("project", "add-member", number, email, "--role", "reviewer").stdout
    assert said == f"{email} is a reviewer of {number}.\n"
    members = json.loads(karat("project", "members", number, "--json").stdout)
    roles = {one["user"]["email"]: one["role"] for one in members}
    assert roles == {engineer: "manager", email: "reviewer"}
    said = karat("project", "remove-member", number, email.upper()).stdout
    assert said == f"{email} is no member of {number} any more.\n"
    said = karat("user", "role", email, "engineer", KARAT_TOKEN=mine).stdout
    assert said == f"{email} is engineer.\n"
    karat("user", "deactivate", added["id"], KARAT_TOKEN=mine)
    now = next(one for one in admin.users() if one["id"] == added["id"])
    assert (now["active"], now["email"], now["role"]) == (False, email, "engineer")
    held = karat("user", "export", engineer, KARAT_TOKEN=mine).stdout
    assert name in [json.loads(one).get("project") for one in held.splitlines()]
    held = karat("user", "export", email, KARAT_TOKEN=mine).stdout
    assert email in held
    assert "karat/" in held, "what the person has used, from the audit log"
    erased = karat("user", "erase", email, "--yes", KARAT_TOKEN=mine).stdout
    assert erased == f"User {added['id']} is a number from now on.\n"
    assert email not in karat("user", "list").stdout
    copy = tmp_path / "audit.jsonl"
    for _ in range(2):
        # Goes on where it ended.
        karat("audit-log", "export", copy, KARAT_TOKEN=mine)
    kept = [json.loads(one)["number"] for one in copy.read_bytes().splitlines()]
    assert kept == list(range(1, len(kept) + 1))
    assert copy.stat().st_mode & 0o077 == 0
    log = karat("audit-log", "export", KARAT_TOKEN=mine).stdout
    assert email not in log
    entries = [json.loads(one) for one in log.splitlines()]
    assert name in [one["project"] for one in entries]
    last = entries[-1]
    for one in itertools.islice(admin.audit_log(last["number"], follow=True), 1):
        assert (one["number"], one["object_type"]) == (last["number"] + 1, "audit")

    catalog = json.loads(karat("algorithms", "--json").stdout)
    mqnet = next(one for one in catalog if one["name"] == "mqnet")
    assert mqnet["kind"] == "strategy"
    assert mqnet["paper"]
    assert mqnet["params_schema"]["type"] == "object"
    strategies = karat("algorithms", "--kind", "strategy").stdout
    assert re.search(r"expected_value +unless you choose", strategies)
    assert re.search(r"most_likely +to find all", strategies)


def test_credentials_are_private_and_serve_their_own_address_only(
    engineer: str, live: Stack, karat: Run, tmp_path: Path
) -> None:
    (file,) = tmp_path.rglob("credentials.json")
    assert file.stat().st_mode & 0o077 == 0
    elsewhere = live.url.replace("127.0.0.1", "localhost")
    refused = karat("--url", elsewhere, "project", "list", status=1)
    assert "karat login" in refused.stderr
    assert engineer in karat("user", "list").stdout


def test_a_token_in_the_environment_is_in_the_way_of_no_login(
    engineer: str, live: Stack, admin: Client, karat: Run
) -> None:
    valid = admin.create_token("other")["secret"]
    password = {"KARAT_PASSWORD": "correct horse battery"}
    for token in ("karat_gone", valid):
        done = karat("login", live.url, "--email", engineer, KARAT_TOKEN=token, **password)
        assert f"as {engineer} (engineer)" in done.stdout
        assert "KARAT_TOKEN" in done.stderr
    refused = karat("project", "list", KARAT_TOKEN="karat_gone", status=1)
    assert "The token in KARAT_TOKEN" in refused.stderr
    karat("--token", valid, "login", live.url, "--email", engineer, status=2, **password)
    done = karat("--token", valid, "login", live.url, KARAT_TOKEN="karat_gone", **password)
    assert f"as {live.admin_email} (admin)" in done.stdout


@pytest.mark.usefixtures("engineer")
def test_a_mistake_is_one_clear_line(karat: Run) -> None:
    for arguments, said in (
        (("project", "show", "no such project"), "karat project list"),
        (("import", "no such project", "."), "There is no project 'no such project'"),
        (("job", "watch", "999999999"), "no such job"),
        (("project", "create", "X", "--class", "a", "--set", "budget=-1"), "budget"),
    ):
        done = karat(*arguments, status=1)
        assert done.stderr.startswith("Error: ")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) <= 2
        assert done.stdout == ""


def test_values_that_cannot_be_sent_are_refused_by_name(
    karat: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    def refused(*more: object) -> str:
        done = karat("project", "create", "X", "--class", "a", *more, status=2)
        # Of the frame that it is shown in, only the words.
        return " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())

    environment["COLUMNS"] = "200"
    assert "A class has a name." in refused("--class", " ")
    for value in ("NaN", "-Infinity", "1e999", "[1, NaN]"):
        said = refused("--set", f"budget={value}")
        assert "--set" in said
        assert f"budget={value}" in said
        assert "finite" in said
    said = refused("--set", "budget=1", "--set", "budget.x=2")
    assert "'budget.x=2' needs names below budget, which is 1 already" in said
    for first, second in (("budget.x=2", "budget=1"), ("budget=1", "budget=2")):
        said = refused("--set", first, "--set", second)
        assert f"'{second}' would replace {first.partition('=')[0]}, which is given too" in said
    settings = tmp_path / "settings.json"
    for content, reason in (
        (b"{", "is not JSON"),
        (b"[]", "must hold a JSON object"),
        (b'{"budget": NaN}', "finite"),
        (b"\xff", "is not UTF-8"),
    ):
        settings.write_bytes(content)
        said = refused("--settings", settings)
        assert "--settings" in said
        assert reason in said
    assert "is not UTF-8" in refused("--guidelines", settings)


def test_a_project_that_is_called_by_the_number_of_another_hides_none(
    engineer: str, karat: Run
) -> None:
    def make(name: str) -> int:
        made = karat("project", "create", name, "--class", "a", "--class", "b", "--json")
        return int(json.loads(made.stdout)["id"])

    def found(reference: str) -> int:
        return int(json.loads(karat("project", "show", reference, "--json").stdout)["id"])

    one = make(f"One of {engineer}")
    other = make(str(one))
    third = make(f"name:{engineer}")
    said = karat("project", "show", one, status=1).stderr
    assert f"{one} is the number of the project 'One of {engineer}' and the name of another" in said
    assert f"Write number:{one} or name:{one}." in said
    assert found(f"number:{one}") == one
    assert found(f"name:{one}") == other
    assert found(str(other)) == other
    assert found(f"One of {engineer}") == one
    assert found(f"name:name:{engineer}") == third


def test_boxes_are_said_and_listed(engineer: str, karat: Run, tmp_path: Path) -> None:
    name = f"Where of {engineer}"
    # What it imports may bring its classes.
    karat("project", "create", f"{name} later", "--task", "boxes")
    refused = karat("project", "start", f"{name} later", status=1).stderr
    assert "at least one class" in refused
    # The server knows what task types of packages need, and which there are.
    unknown = karat("project", "create", name, "--task", "severity", status=1).stderr
    assert "severity" in unknown
    assert "class" not in unknown.replace("classification", "")
    karat("project", "create", name, "--class", "cat", "--task", "boxes")
    karat("import", name, image_folder(tmp_path / "images", 3))
    device = karat("import", name, "/dev/null", status=2).stderr
    assert "neither a file nor a folder" in device
    karat("pool", "verdict", name, "no-objects", "--where", "name=image-000", "--yes")
    assert (
        "cat" in karat("pool", "verdict", name, "cat", "--where", "name=image-001", status=2).stderr
    )
    listed = karat("pool", "list", name).stdout
    assert "no objects" in listed
    (one,) = [it for it in _items(karat, name) if it["state"] == "labeled"]
    assert one["whole_label"] == {"type": "boxes", "boxes": [], "threshold": None}
    assert "No image has more than one verdict." in karat("project", "agreement", name).stdout


def _items(karat: Run, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(karat("pool", "list", name, "--json").stdout)["items"]
    return found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "X", ".", "--dry-run", "--report", "r.csv"), "--report"),
        (("import", "X", ".", "--dry-run", "--add-classes"), "--add-classes"),
        (("pool", "add", "X", "s3://x", "--table", "t.csv", "--include", "*.jpg"), "--include"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(arguments: tuple[str, ...], said: str) -> None:
    # Before anybody is asked anything: no process of its own is needed.
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)
    assert (done.exit_code, f"{said}; leave" in " ".join(done.stderr.split())) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "5"), "0.05 is 5 of 100"),
        (("--missed", "0"), "0.05 is 5 of 100"),
        (("--confidence", "95"), "0.95 is 95 of 100"),
        (("--confidence", "1"), "0.95 is 95 of 100"),
    ],
)
def test_what_is_a_share_or_a_chance_says_so(arguments: tuple[str, ...], said: str) -> None:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ("certify", "X", *arguments))
    assert (done.exit_code, said in " ".join(done.stderr.split())) == (2, True)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("snapshot", "See: karat snapshot list PROJECT"),
        ("job", "See: karat job list"),
        ("artifact", ""),
    ],
)
def test_of_what_is_not_found_it_is_said_what_lists_it(what: str, said: str) -> None:
    refused = NotFound(what)
    assert remedy(KaratError(refused.code, refused.detail, status=404)) == said


def test_a_list_that_is_cut_says_so_where_no_program_reads_it(karat: Run) -> None:
    with receiver() as there:
        page = json.dumps({"items": [{"id": id_} for id_ in (3, 2, 1)], "next_cursor": None})
        there.answers = [status(200, page.encode())] * 2
        listing = ("--url", there.url, "--token", "karat_token", "job", "list", "--json")
        cut = karat(*listing, "--limit", 2)
        assert [one["id"] for one in json.loads(cut.stdout)] == [3, 2]
        assert cut.stderr == "There are more than these 2: give --limit.\n"
        whole = karat(*listing, "--limit", 3)
        assert (len(json.loads(whole.stdout)), whole.stderr) == (3, "")


def test_a_wrong_password_and_an_unreachable_server(live: Stack, karat: Run) -> None:
    wrong = karat("login", live.url, "--email", "x@example.org", KARAT_PASSWORD="no", status=1)
    assert "Check the address and the password." in wrong.stderr
    away = karat("--url", "http://127.0.0.1:1", "project", "list", status=1)
    assert "karat up" in away.stderr
    wrong = karat("project", "list", KARAT_URL="127.0.0.1:8080", status=2)
    assert wrong.stderr.startswith("Error: '127.0.0.1:8080' is no address such as http://")


def test_help_needs_no_heavy_import() -> None:
    script = (
        "import sys; from karat.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'pyarrow', 'httpx', 'numpy', 'sqlalchemy', 'fastapi', 'psycopg'}\n"
        "sys.exit(str(heavy & sys.modules.keys()) if heavy & sys.modules.keys() else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    commands = set(re.findall(r"^│ (\w+)", done.stdout, re.MULTILINE))
    assert commands >= {
        *("up", "demo", "doctor", "login", "project", "import", "export"),
        *("round", "job", "user", "token", "algorithms"),
    }


def test_weights_are_added_listed_and_removed(
    engineer: str, admin: Client, karat: Run, tmp_path: Path
) -> None:
    mine = admin.create_token("weights", scope="write")["secret"]
    name = f"tiny {engineer}"
    tiny_weights(tmp_path / "tiny.safetensors", seed=hash(engineer) % 1000)
    given = ("--architecture", TINY, "--name", name)
    refused = karat("weights", "add", tmp_path / "tiny.safetensors", *given, status=1)
    assert "Ask an admin" in refused.stderr
    missing = karat("weights", "add", tmp_path / "no.safetensors", *given, status=2)
    assert "There is no file" in missing.stderr
    added = karat("weights", "add", tmp_path / "tiny.safetensors", *given, KARAT_TOKEN=mine).stdout
    assert f"fit timm {TINY}; 2 of the head left aside." in added
    listed = json.loads(karat("weights", "list", "--json").stdout)
    assert [one["state"] for one in listed if one["name"] == name] == ["ready"]
    assert TINY in karat("weights", "list").stdout
    settings = ("--set", "model.name=timm", "--set", f"model.params.weights={name}")
    of = ("--set", f"model.params.architecture={TINY}")
    project = json.loads(
        karat(
            "project", "create", f"From {name}", "--class", "cat", *settings, *of, "--json"
        ).stdout
    )
    kept = karat("weights", "remove", name, KARAT_TOKEN=mine, status=1)
    assert f"From {name}" in kept.stderr
    admin.project(project["id"]).delete()
    assert "removed" in karat("weights", "remove", name, KARAT_TOKEN=mine).stdout
    gone = karat("weights", "remove", name, KARAT_TOKEN=mine, status=1)
    assert "There are no weights" in gone.stderr


def test_judges_are_added_tried_and_removed(admin: Client, karat: Run, engineer: str) -> None:
    mine = admin.create_token("judges", scope="write")["secret"]
    name = f"Judy {engineer}"
    refused = karat("judge", "add", name, "https://judge.example.org/v1", "tiny", status=1)
    assert "Ask an admin" in refused.stderr
    here = ("judge", "add", name, "http://127.0.0.1:9/v1", "tiny")
    local = karat(*here, KARAT_TOKEN=mine, status=1)
    assert "KARAT_JUDGE_ALLOW" in local.stderr
    given = ("--price-in", 0.5, "--max-tokens", 64)
    added = karat(
        "judge", "add", name, "https://judge.invalid/v1", "tiny", *given, KARAT_TOKEN=mine
    ).stdout
    assert f"Judge {name} is tiny at https://judge.invalid/v1, without a key." in added
    (listed,) = (one for one in json.loads(karat("judge", "list", "--json").stdout)
                 if one["name"] == name)  # fmt: skip
    assert (listed["price_in"], listed["max_tokens"], listed["has_key"]) == (0.5, 64, False)
    # Of what workers ask: nobody has this name.
    tried = karat("judge", "try", name, KARAT_TOKEN=mine, status=1).stdout
    assert "The judge's host is not known: judge.invalid" in tried
    made = admin.judges.update(listed["id"], key="sk-canary", concurrency=2)
    assert (made["has_key"], made["concurrency"], made["trial"]) == (True, 2, None)
    assert "removed" in karat("judge", "remove", name, KARAT_TOKEN=mine).stdout
    gone = karat("judge", "try", name, KARAT_TOKEN=mine, status=1)
    assert "There is no judge" in gone.stderr
