"""``karat import`` and ``export`` as a user runs them, and what they say of mistakes."""

import csv
import json
import os
import re
from pathlib import Path
from typing import Any, Final

import pytest

from karat import Client
from karat.commands.new_classes import lacks_classes, new_classes
from tests.karat.helpers import Run, image_folder, png

KNOWN: Final = {"name": "Dog", "count": 5, "known": True}


def project_of(karat: Run, name: str, *classes: str) -> str:
    """Make a project; returns its number."""
    named = [word for one in classes or ("cat", "dog") for word in ("--class", one)]
    return str(json.loads(karat("project", "create", name, *named, "--json").stdout)["id"])


def test_every_row_of_a_label_table_is_told(engineer: str, karat: Run, tmp_path: Path) -> None:
    number = project_of(karat, f"Rows of {engineer}")
    karat("import", number, image_folder(tmp_path / "pool", 3))
    table = tmp_path / "labels.csv"
    column = ("--annotation-column", "label")
    table.write_text("file,label\nimage-000.png,cat\nimage-001.png,\nno.png,dog\n")
    assert karat("import", number, table, *column).stdout.splitlines()[:3] == [
        "0 images added, 0 there already, 1 refused.",
        "Rows about images that were there: 1 labeled, 0 known already, 1 without any.",
        "1 label added, of new images and of others.",
    ]
    table.write_text("file,label\nimage-000.png,cat\n")
    again = karat("import", number, table, *column).stdout
    assert "0 labeled, 1 known already, 0 without any." in again
    table.write_text("file,label\n")
    assert "There was nothing in it" in karat("import", number, table, *column).stdout
    table.write_text("")
    empty = karat("import", number, table, *column, status=1).stderr
    assert empty.startswith("Error: labels.csv is empty: no bytes came.")


def test_a_name_that_is_not_utf_8_is_told_and_the_rest_goes_in(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    number = project_of(karat, f"Names of {engineer}")
    folder = image_folder(tmp_path / "pool", 2)
    named = os.fsdecode(os.fsencode(folder) + b"/caf\xe9.png")
    Path(named).write_bytes(png(7))
    done = karat("import", number, folder)
    assert done.stdout.startswith("2 images added, 0 there already, 1 refused.")
    assert "Left out: its name is not UTF-8; rename it" in done.stderr
    assert done.stderr.endswith(": caf\\xe9.png\n")
    alone = karat("import", number, named, status=2).stderr
    assert "caf\\xe9.png cannot be sent: its name is not UTF-8; rename it" in alone
    (tmp_path / "empty").mkdir()
    empty = karat("import", number, tmp_path / "empty", status=2).stderr
    assert empty.startswith("Error: ")
    assert "empty holds no file that can be sent. Name a folder of images" in empty


def test_an_export_of_what_holds_leaves_out_what_was_corrected(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    number = project_of(karat, f"Holds of {engineer}")
    pool = image_folder(tmp_path / "pool", 1)
    (pool / "metadata.csv").write_text("file_name,camera\nimage-000.png,3\n")
    karat("import", number, pool)
    table, saved = tmp_path / "labels.csv", tmp_path / "saved.csv"
    for label in ("cat", "dog"):
        table.write_text(f"file,label\nimage-000.png,{label}\n")
        karat("import", number, table, "--annotation-column", "label")

    def classes(*options: str) -> list[str]:
        karat("export", number, saved, *options)
        return [row["class"] for row in csv.DictReader(saved.read_text().splitlines())]

    assert classes() == ["cat", "dog"]
    assert classes("--effective") == ["dog"]
    # By what came along, as of the pool.
    values = json.loads(karat("pool", "fields", number, "camera", "--json").stdout)
    assert values["items"] == [{"value": "3", "count": 1}]
    assert "camera" in karat("pool", "fields", number).stdout
    assert classes("--where", "camera=3", "--where", "class=cat") == []
    assert classes("--where", "camera=3", "--where", "class=dog") == ["cat", "dog"]
    wrong = karat("export", number, tmp_path / "images.zip", "--effective", status=2).stderr
    assert "--effective" in wrong


def test_an_export_names_the_classes_that_lack_images(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    number = project_of(karat, f"Lacking of {engineer}", "cat", "dog", "CON")
    folder = tmp_path / "pool"
    for at, path in enumerate(("train/cat", "train/CON", "val/cat", "val/dog")):
        (folder / path).mkdir(parents=True)
        (folder / path / f"{at}.png").write_bytes(png(at))
    karat("import", number, folder, "--annotation-column", "label")
    yolo = ("--format", "yolo")
    assert karat("export", number, tmp_path / "yolo.zip", *yolo).stderr.splitlines() == [
        "Warning: no evaluation image shows 'CON': what is measured says nothing of it.",
        "Warning: no labeled image shows 'dog': nothing can be trained on it.",
    ]
    assert karat("export", number, tmp_path / "folders.zip").stderr.splitlines() == [
        "Warning: no labeled image shows 'dog': nothing can be trained on it."
    ]
    assert karat("export", number, tmp_path / "all.csv").stderr == ""
    # Of a part nothing is said to be lacking.
    part = karat("export", number, tmp_path / "part.zip", *yolo, "--where", "split=evaluation")
    assert part.stderr == ""


def test_a_csv_for_excel_begins_with_a_mark_also_in_a_pipe(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    number = project_of(karat, f"Mark of {engineer}")
    saved = tmp_path / "saved.csv"
    karat("export", number, saved, "--bom")
    assert saved.read_bytes().startswith(b"\xef\xbb\xbfannotation_id,")
    piped = karat("export", number, "-", "--format", "csv", "--bom")
    assert piped.stdout.splitlines() == saved.read_text().splitlines()
    assert "Wrote -" in piped.stderr
    wrong = karat("export", number, tmp_path / "saved.jsonl", "--bom", status=2).stderr
    assert "--bom" in wrong


def test_instruction_data_leaves_as_it_was_in_a_snapshot(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    rows = [{"instruction": f"Add {n} and 1.", "input": "", "output": f"{n + 1}"} for n in range(3)]
    pool, saved = tmp_path / "rows.jsonl", tmp_path / "saved.jsonl"
    pool.write_text("".join(f"{json.dumps(one)}\n" for one in rows[:2]))
    made = karat("project", "create", f"Asked by {engineer}", "--task", "instructions", "--json")
    number = str(json.loads(made.stdout)["id"])
    karat("import", number, pool)
    assert "one: 2 texts, 0 labeled" in karat("snapshot", "create", number, "one").stdout
    pool.write_text(f"{json.dumps(rows[2])}\n")
    karat("import", number, pool)
    karat("export", number, saved, "--snapshot", "one")
    # Of instruction data JSON Lines are Alpaca's.
    assert [json.loads(line) for line in saved.read_text().splitlines()] == rows[:2]
    karat("snapshot", "create", number, "two")
    told = karat("snapshot", "diff", number, "one", "two").stdout
    assert "1 added, 0 gone, 0 count as something else" in told


def test_an_import_is_planned_and_what_is_not_sure_is_said(
    engineer: str, karat: Run, admin: Client, tmp_path: Path
) -> None:
    number = project_of(karat, f"Plans of {engineer}")
    for seed, name in enumerate(("train/cat", "train/dog", "test/cat", "samples", "docs/frog")):
        folder = tmp_path / "pool" / name
        folder.mkdir(parents=True)
        (folder / f"{seed}.png").write_bytes(png(seed))
    chosen = ("--folder-split", "docs=leave_out")
    planned = karat("import", number, tmp_path / "pool", *chosen, "--dry-run").stdout
    assert "2 pool, 1 evaluation, 2 left out. Nothing was stored." in planned
    assert "Say what a folder or value is with --folder-split NAME=SPLIT." in planned
    assert "frog (no class)" in planned
    assert "--add-classes" not in planned
    middle = "Images are typically 12 × 12; the model"
    assert f"{middle} would see 16 × 16." in planned
    assert karat("pool", "list", number, "--where", "split=all").stdout.startswith("No image")
    plan = json.loads(
        karat("import", number, tmp_path / "pool", *chosen, "--dry-run", "--json").stdout
    )
    done = json.loads(karat("import", number, tmp_path / "pool", *chosen, "--json").stdout)
    assert plan["by_split"] == done["by_split"]
    assert plan["input_size"] == done["input_size"]
    assert done["notes"] == [f"{middle} sees 16 × 16."]
    assert plan["left_out"] == done["left_out"] == 2
    told = karat("import", number, tmp_path / "pool", "--folder-split", "samples=pool").stdout
    assert "Left out: docs/ stands beside" in told
    wrong = karat("import", number, tmp_path / "pool", "--folder-split", "docs", status=2)
    assert "must be FOLDER=SPLIT" in wrong.stderr
    unknown = karat("import", number, tmp_path / "pool", "--folder-split", "doc=pool", status=1)
    assert "There is no folder 'doc' in it." in unknown.stderr
    for seed, name in enumerate(("train/Owl", "train/owl", "test/owl", "test/cat"), 10):
        folder = tmp_path / "more" / name
        folder.mkdir(parents=True)
        (folder / f"{seed}.png").write_bytes(png(seed))
    planned = karat("import", number, tmp_path / "more", "--dry-run").stdout
    assert "Names that are no class become classes with --add-classes." in planned
    lacking = karat("import", number, tmp_path / "more").stdout
    assert "3 images added, 0 there already, 1 refused." in lacking
    assert "label 'owl' is not a class of the project" in lacking
    assert "import again with --add-classes." in lacking
    made = karat("import", number, tmp_path / "more", "--add-classes").stdout
    assert made.startswith("Classes made: owl.\n1 image added, 3 there already, 0 refused.")
    shown = json.loads(karat("project", "show", number, "--json").stdout)
    assert [one["name"] for one in shown["classes"]] == ["cat", "dog", "owl"]
    for seed, name in enumerate(("cat", "owl" * 40), 20):
        folder = tmp_path / "long" / name
        folder.mkdir(parents=True)
        (folder / f"{seed}.png").write_bytes(png(seed))
    refused = karat("import", number, tmp_path / "long", "--add-classes", status=1).stderr
    waits = re.search(r"What was sent waits in the list of imports as job (\d+),", refused)
    assert waits is not None, refused
    assert admin.project(int(number)).start_import(int(waits[1]))["state"] == "queued"


def test_reasons_that_differ_in_what_they_name_are_told_once(
    engineer: str, karat: Run, tmp_path: Path
) -> None:
    made = karat("project", "create", f"Asked by {engineer}", "--task", "instructions", "--json")
    rows = [{"messages": [{"role": f"bot {n}", "content": "Hello."}]} for n in range(5)]
    lines = [*map(json.dumps, rows), "[1]", '{"messages": 5,', '{"messages":\t5, "and": 7,']
    (tmp_path / "chats.jsonl").write_text("\n".join(lines))
    number = str(json.loads(made.stdout)["id"])
    told = karat("import", number, tmp_path / "chats.jsonl", status=1).stdout.splitlines()
    assert told[0] == "0 texts added, 0 there already, 8 refused."
    assert told[1].startswith("  5 × such as: message 1 is by 'bot 0'; known are system, ")
    assert told[1].endswith(": chats.jsonl, line 1, chats.jsonl, line 2, chats.jsonl, line 3, …")
    assert told[2].startswith("  2 × is no JSON: Expecting property name ")
    assert told[2].endswith(": chats.jsonl, line 7, chats.jsonl, line 8")
    assert told[3] == "  is not an object: chats.jsonl, line 6"
    assert told[4].startswith("  To see what became of each, ")


def test_new_classes_stand_as_they_are_listed_and_come_once() -> None:
    def labels(**counts: int) -> Any:
        return [{"name": name, "count": count, "known": False} for name, count in counts.items()]

    plan: Any = {
        "groups": [
            {"proposal": "pool", "labels": [*labels(Big_cat=1, ood=9, ant=2), KNOWN]},
            {"proposal": "evaluation", "labels": [{**KNOWN, "name": "big cat", "known": False}]},
            {"proposal": "leave_out", "labels": labels(bee=3)},
            {"proposal": "auxiliary_ood", "labels": labels(texture=3)},
        ],
        "class_names": ["zebra", "big cat"],
    }
    assert new_classes(plan, []) == ["zebra", "big cat", "ant"]
    # Where there are classes already, what is only listed is no matter.
    assert new_classes(plan, ["Dog", "Ant"]) == ["big cat"]
    assert new_classes(plan | {"groups": []}, []) == ["zebra", "big cat"]
    # More than a project may have.
    many = [f"{n}" for n in range(1000)]
    assert new_classes(plan | {"class_names": many}, []) == ["ant", "big cat"]
    folders: Any = {"groups": [{"proposal": "class", "labels": labels(fold_10=1, fold_2=1)}]}
    assert new_classes(folders | {"split": "pool"}, []) == ["fold_2", "fold_10"]
    assert new_classes(folders | {"split": "auxiliary_ood"}, []) == []


NO_CLASS_OF: Final = "a class of the project, nor the number of one (0 to 1), ood, unsure or skip"
LISTED: Final = "which is not a class of the project; add it, and import again"


@pytest.mark.parametrize(
    ("refused", "noted", "lacks"),
    [
        ("label 'owl' is not a class of the project", "", True),
        ('label "cat\'s" is not a class of the project', "", True),
        ("label 'big-cat' is not a class of the project (it may be any of 'a', 'b')", "", False),
        ("", f"label says 'owl': neither {NO_CLASS_OF}", True),
        ("", f"doccano says 'owl', {LISTED}", True),
        ("", f"it is of 'owl', {LISTED}", True),
        ("", f"topic says 'owl': neither {NO_CLASS_OF}", False),
        ("", "several columns of classes are 1: cat, dog", False),
        # About images that are there, of which none is taken.
        (f"label says 'owl': neither {NO_CLASS_OF}", "", False),
        (f"Label Studio says 'owl', {LISTED}", "", False),
    ],
)
def test_classes_are_offered_where_a_plan_has_their_names(
    refused: str, noted: str, lacks: bool
) -> None:
    untaken = {f"a label is not taken: {noted}": 1}
    result = {"added": 1, "duplicates": 0, "noted": untaken, "refused_by_reason": {refused: 1}}
    assert lacks_classes(result) is lacks
    # Of rows about images that are there some labels are taken.
    assert lacks_classes({**result, "added": 0}) is (lacks and not noted)
