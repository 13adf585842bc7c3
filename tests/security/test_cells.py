"""Text that spreadsheets compute, in every CSV that leaves."""

import csv
import io

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from core.files.csv_escape import original, plain
from core.tables import Example
from tests.api.test_subsets import add_subset
from tests.workers.import_files import Pool, zipped
from tests.world import World

FORMULA = '=HYPERLINK("http://evil.example","x")'


@pytest.mark.parametrize(
    "text", [FORMULA, "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "'=1", "''@ada"]
)
def test_a_formula_becomes_text(text: str) -> None:
    assert plain(text) == f"'{text}"


@pytest.mark.parametrize("value", [-1, -0.5, None, "", "1.png", "a=b", "'twas"])
def test_what_is_no_formula_stays(value: object) -> None:
    assert plain(value) == value


@given(st.text("'=+-@ab\n", max_size=6))
def test_what_was_made_plain_comes_back(text: str) -> None:
    assert original(plain(text)) == text


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]


def test_no_csv_holds_a_formula(http: TestClient, world: World) -> None:
    project = world.project(images=4, classes=[FORMULA, "@cat"])
    for example in world.session.scalars(select(Example)):
        example.name = f"+{example.pool_index}.png"
    subset = add_subset(world, project, [0, 1])
    admin = world.caller()
    world.open_round(project, queries=2)
    base = f"/api/projects/{project.id}"
    cat = world.classes(project)[0].id
    http.patch(base, json={"name": FORMULA}, headers=admin.headers)
    answer = {
        "key": "5f0c1f9a-6f0e-4f4e-8a58-5a6f1b6f9c01",
        "query_id": 1, "verdict": "label", "class_id": cat, "seconds": 1,
    }  # fmt: skip
    sent = http.post(f"{base}/labeling/answers", json={"answers": [answer]}, headers=admin.headers)
    assert sent.json()["results"][0]["status"] == "accepted"
    report = Pool(world.session, world.storage, project)
    job = report.add(zipped([("=cmd.png", b"no image"), ("-2.png", b"neither")]))
    texts = [
        http.get(path, headers=admin.headers).text
        for path in (
            f"{base}/export?format=csv",
            f"{base}/subsets/{subset.id}/export?format=csv",
            f"{base}/imports/{job.id}/report.csv",
            "/api/admin/audit.csv",
        )
    ]
    assert f"'{FORMULA}" in cells(texts[0])
    assert "'+0.png" in cells(texts[1])
    assert "'=cmd.png" in cells(texts[2])
    assert f"'{FORMULA}" in cells(texts[3])
    for text in texts:
        assert not [cell for cell in cells(text) if cell.startswith(("=", "@", "+"))]
