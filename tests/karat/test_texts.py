"""Pools of texts, as users type and import them."""

import csv
import json
import uuid
from collections import Counter
from pathlib import Path

import pytest

from karat import Client, KaratError
from karat.demo.demo_texts import mailbox
from karat.local.stack import Stack
from tests.karat.helpers import Run

TEXTS = (
    ("The invoice is wrong, I was charged twice.", "billing", "Leeds"),
    ("Where is my parcel? The courier never came.", "shipping", "Busan"),
    ("Please refund the amount on my invoice.", "billing", "Pune"),
    ("The parcel arrived open and the box was wet.", "shipping", "Leeds"),
    ("Simmer the lentils for twenty minutes and serve.", "food", "Turin"),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A CSV with two columns of words."""
    path = tmp_path / "mail.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("said", "topic", "place"))
        rows.writerows(TEXTS)
    return path


def test_texts_go_in_are_found_and_come_out(
    live: Stack, karat: Run, admin: Client, table: Path, tmp_path: Path
) -> None:
    token = admin.create_token("texts")["secret"]
    name = f"Mail {uuid.uuid4()}"

    def run(*arguments: object, status: int = 0) -> str:
        done = karat("--url", live.url, *arguments, status=status, KARAT_TOKEN=token)
        return str(done.stdout)

    classes = ("--class", "billing", "--class", "shipping")
    made = json.loads(run("project", "create", name, *classes, "--medium", "text", "--json"))
    assert (made["medium"], made["settings"]["model"]["name"]) == ("text", "auto_text")
    run("project", "create", name, *classes, "--medium", "sound", status=2)
    columns = ("--text-column", "said", "--annotation-column", "topic")
    planned = run("import", name, table, *columns, "--dry-run")
    assert "5 pool. Nothing was stored." in planned
    judged = run("import", name, table, *columns[:2], "--split", "evaluation", "--dry-run")
    assert "texts need labels; say which column holds them with --label-column: topic" in judged
    assert "#texts" not in planned
    assert "texts" in planned
    added = run("import", name, table, *columns)
    assert "5 texts added, 0 there already, 0 refused." in added
    assert "4 labels added, of new texts and of others." in added
    assert "topic says 'food': neither a class" in added
    assert "--add-classes" not in added
    named = run("import", name, table, *columns, "--label-column", "topic", "--add-classes")
    assert named.startswith("Classes made: food.\n")
    assert "1 label added" in named
    assert "5 in the pool" in run("project", "show", name)

    found = run("pool", "list", name, "--search", "invoice")
    assert "2 match." in found
    assert "Please refund the amount" in found
    assert "No text matches." in run("pool", "list", name, "--search", "nowhere")
    wet = json.loads(run("pool", "list", name, "--search", "parcel -courier", "--json"))
    assert [one["excerpt"] for one in wet["items"]] == [TEXTS[3][0]]

    project = admin.project(made["id"])
    (lentils,) = project.pool.find({"search": "lentils"})
    assert project.pool.text(lentils["id"]) == TEXTS[4][0]
    assert "2 texts changed." in run(
        "pool", "verdict", name, "billing", "--where", "search=invoice", "--yes"
    )
    assert "No text has more than one verdict." in run("project", "agreement", name)
    # Features come with the first round, or with a map.
    admin.wait(project.start_job("embedding_map")["id"])
    asked = ("--text", "My package did not arrive", "--limit", 2)
    near = json.loads(run("pool", "similar", name, *asked, "--json"))["items"]
    assert {one["excerpt"] for one in near} == {TEXTS[1][0], TEXTS[3][0]}
    file = tmp_path / "asked.txt"
    file.write_text("My package did not arrive")
    assert json.loads(run("pool", "similar", name, file, "--limit", 2, "--json"))["items"] == near
    with pytest.raises(TypeError):
        project.pool.look_up()

    formats = {one["name"]: one["refused"] for one in project.export_formats()}
    assert formats["doccano"] is None
    out = tmp_path / "out.jsonl"
    run("export", name, out, "--format", "doccano", "--unlabeled")
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["text"] for one in lines] == [text for text, _, _ in TEXTS]
    with pytest.raises(KaratError, match="choose one of csv"):
        project.export(tmp_path / "out.zip")
    assert "<th>texts</th>" in project._repr_html_()


def test_the_mailbox_of_the_demo_is_what_it_says() -> None:
    pool, again, other = mailbox(3), mailbox(3), mailbox(4)
    assert pool == again
    assert pool.evaluation == other.evaluation
    assert len({data for _, data in pool.examples}) == len(pool.examples) == 2000
    counts = Counter(pool.truth.values())
    assert counts.pop(None) == 1200
    assert counts == dict.fromkeys(pool.classes, 200)
    held_out = {data for _, _, data in pool.evaluation}
    assert not held_out & {data for _, data in pool.examples}
    # Names tell nothing, and no slot was left open.
    assert all(name.startswith("text-") for name, _ in pool.examples)
    assert not any("{" in data.decode() for _, data in pool.examples)


def test_a_round_on_texts(karat: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    karat(
        *("demo", "--task", "text", "--exit", "--json", out, "--rounds", 1, "--budget", 40),
        *("--port", 0, "--model", "hashed_ngrams"),
    )
    result = json.loads(out.read_text())
    # Guessing would be right for a quarter.
    assert result["rounds"][0]["accuracy"] > 0.35
    assert result["pool"] == {"texts": 2000, "in_share": 0.4, "evaluation": 400}
    karat("demo", "--task", "sound", status=2)
    karat("demo", "--task", "text", "--model", "auto", "--exit", status=2)
