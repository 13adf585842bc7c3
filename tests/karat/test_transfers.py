"""``karat import`` and ``export`` as a user runs them, and what they say of mistakes."""

import json
from pathlib import Path

from tests.karat.helpers import Run, image_folder


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
        "Rows about images that were there: 1 labeled, 0 with labels known already, 1 without any.",
        "1 labels added, of new images and of others.",
    ]
    table.write_text("file,label\nimage-000.png,cat\n")
    again = karat("import", number, table, *column).stdout
    assert "0 labeled, 1 with labels known already, 0 without any." in again
