"""A check of the labels of texts: every form of a data set, and a page that shows what they say."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.check_cases import put
from tests.texts import CLASSES, mailbox
from tests.workers.import_files import zipped
from tests.workers.test_check import checked, refusal

ALL, KINDS = mailbox(90, seed=3)
INSIDE = [number for number, kind in enumerate(KINDS.tolist()) if kind >= 0]
WRONG = INSIDE[:4]
Labeled = list[tuple[int, str, str]]


def labeled() -> Labeled:
    """Number, text and label of each; four labels are wrong."""
    kinds = {number: int(KINDS[number]) for number in INSIDE}
    return [
        (number, ALL[number], CLASSES[kind ^ (number in WRONG)]) for number, kind in kinds.items()
    ]


def csv_of(
    rows: Sequence[tuple[Any, ...]], header: tuple[str, ...] = ("id", "text", "label")
) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode()


def lines(folder: Path) -> Path:
    path = folder / "mails.jsonl"
    path.write_text(
        "".join(json.dumps({"id": n, "text": t, "label": [one]}) + "\n" for n, t, one in labeled())
    )
    return path


def columns(folder: Path) -> Path:
    path = folder / "mails.parquet"
    names = ("id", "text", "label")
    table = pa.table(dict(zip(names, zip(*labeled(), strict=True), strict=True)))
    pq.write_table(table, path)
    return path


def files() -> dict[str, bytes]:
    return {f"{label}/{number}.txt": text.encode() for number, text, label in labeled()}


def archive(folder: Path) -> Path:
    path = folder / "mails.zip"
    path.write_bytes(zipped(list(files().items())))
    return path


def counted(folder: Path) -> Path:
    """With a column that counts votes, which are none."""
    header = ("id", "text", "label", "votes")
    return put(folder, {"mails.csv": csv_of([(*row, 3) for row in labeled()], header)})


FORMS: dict[str, Callable[[Path], Path]] = {
    "csv": lambda folder: put(folder, {"mails.csv": csv_of(labeled())}) / "mails.csv",
    "votes": lambda folder: counted(folder) / "mails.csv",
    "doccano": lines,
    "parquet": columns,
    "folder": lambda folder: put(folder / "mails", files()),
    "zip": archive,
}


def number_of(row: dict[str, Any]) -> int:
    return int(Path(row["file"]).stem)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_labeled_texts_is_checked(tmp_path: Path, form: str) -> None:
    result, rows = checked(FORMS[form](tmp_path), tmp_path)
    assert (result["medium"], result["texts"], result["classes"]) == ("text", 60, [*CLASSES])
    assert {number_of(row) for row in rows[:4]} == {*WRONG}
    assert [row["listed"] for row in rows[:4]] == [True] * 4
    assert "same_text_as" in rows[0]
    page = Path(result["files"]["html"]).read_text().partition("<body>")[2]
    assert ALL[WRONG[0]].split(".")[0] in page
    assert "<img" not in page
    assert "picture" not in page
    assert " image" not in page


def test_columns_of_any_name_are_read_and_what_texts_hold_is_shown_as_text(tmp_path: Path) -> None:
    rows = labeled()
    number, _, label = rows[0]
    rows[0] = (number, "<script>alert(1)</script> & my card", label)
    rows.append((999, rows[5][1], rows[5][2]))
    content = csv_of(rows, ("nr", "title", "topic"))
    path = put(tmp_path, {"mails.csv": content}) / "mails.csv"
    more = {"text_column": "title", "label_column": "topic", "key_column": "nr"}
    result, found = checked(path, tmp_path, **more)
    (again,) = (row for row in found if row["file"] == "999")
    assert again["same_text_as"] == str(rows[5][0])
    assert "1 text is the same as another one, letter by letter." in result["aside"]
    page = Path(result["files"]["html"]).read_text()
    assert "<script" not in page
    assert refusal(path, tmp_path, text_column="title").code == "invalid_column"
    assert refusal(path, tmp_path, text_column="nothing").code == "invalid_column"


def test_what_cannot_be_judged_is_said_of_texts(tmp_path: Path) -> None:
    path = put(tmp_path, {"a.csv": b"text,label\none,cat\ntwo,cat\n,cat\n"}) / "a.csv"
    error = refusal(path, tmp_path)
    assert (error.code, "add texts of another class" in error.detail) == ("one_class", True)
    error = refusal(path, tmp_path, image_column="text")
    assert error.code == "invalid_column" or "image_column" in error.detail
