"""What came with examples finds them, in lists, counts and whatever acts on all that match."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from api.examples import search
from core.states import ExampleState, Role
from core.tables import Example, Project
from tests.api.test_labeling import running
from tests.api.test_pool_search import counted, find
from tests.world import Caller, World

BROUGHT: list[dict[str, Any]] = [
    {"camera": 3, "score": 0.5, "taken": "2024-03-01T10:00:00"},
    {"camera": "3", "score": "0.7", "taken": "2024-03-31T23:59:00"},
    {"camera": "north", "score": "n/a", "taken": "2024-04-01"},
    {"camera": "North 2", "is_dark": True, "taken": "2023-12-31"},
    {"a=b": "x<1", 'say "hi"': " ja ", "camera": "007"},
    {"camera": None, "where": {"lat": 1}, "score": "1e3"},
    {"카메라": "북쪽", "score": 12345678901234567},
    {},
]


def project_with(world: World) -> Project:
    project = running(world, images=len(BROUGHT), queries=1)
    for place, meta in enumerate(BROUGHT):
        world.session.execute(
            update(Example)
            .where(Example.project_id == project.id, Example.pool_index == place)
            .values(meta=meta)
        )
    world.session.commit()
    return project


def test_fields_are_compared_as_what_they_are(http: TestClient, world: World) -> None:
    project, admin = project_with(world), world.caller()
    for fields, expected in (
        (["camera=3"], [0, 1]),
        # In quotes it is text alone.
        (['camera="3"'], [1]),
        (["camera=3.0"], [0]),
        (["camera=007"], [4]),
        (["camera=north"], [2]),
        (["camera=North 2"], [3]),
        # Several values of one field are alternatives; all else has to hold.
        (["camera=north", "camera=3", "score>0"], [0, 1]),
        (["camera"], [0, 1, 2, 3, 4]),
        (["!camera"], [5, 6, 7]),
        (["where"], [5]),
        (["is_dark=true"], [3]),
        (["is_dark=1"], []),
        (["score<0.7"], [0]),
        (["score<=0.7"], [0, 1]),
        (["score>.6"], [1, 5, 6]),
        (["score>12345678901234566", "score<12345678901234568"], [6]),
        (["score=n/a"], [2]),
        (["taken>=2024-03-01"], [0, 1, 2]),
        # A day has its hours.
        (["taken<=2024-03-31"], [0, 1, 3]),
        (["taken>2024-03-31"], [2]),
        (["taken>=2024-03", "taken<=2024-03"], [0, 1]),
        (["taken<2024"], [3]),
        (['"a=b"="x<1"'], [4]),
        (['"say \\"hi\\""=" ja "'], [4]),
        (["카메라=북쪽"], [6]),
        (["nothing=1"], []),
        (["!nothing"], list(range(8))),
        (['camera=") || true || ("'], []),
    ):
        found = find(http, project, admin, fields=fields)
        assert found == expected, fields
        count = counted(http, project, admin, fields=fields, state="unlabeled", split="all")
        assert count == {"count": len([one for one in expected if one]), "exact": True}


def test_what_is_no_condition_is_refused_with_how_it_is_written(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(), world.caller()
    url = f"/api/projects/{project.id}"
    for wrong in ("", "camera=", "=3", "!camera=3", "camera!=3", '"camera', 'a="', '"a\\u0000"'):
        params = {"fields": ["camera=3", wrong]}
        for answer in (
            http.get(f"{url}/examples", params=params, headers=admin.headers),
            http.post(f"{url}/examples/hold-out", json={"filters": params}, headers=admin.headers),
            http.get(f"{url}/export", params=params, headers=admin.headers),
        ):
            assert answer.status_code == 422, (wrong, answer.text)
            assert answer.json()["field"].endswith("fields.1")
            assert "Write a condition on a field as NAME=VALUE" in answer.text


def values(http: TestClient, project: Project, caller: Caller, of: str, **query: Any) -> Any:
    url = f"/api/projects/{project.id}/examples/fields/values"
    answer = http.get(url, params={"of": of, **query}, headers=caller.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_values_of_a_field_are_counted_among_what_matches(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, admin = project_with(world), world.caller()
    found = values(http, project, admin, "camera")
    assert (found["many"], found["exact"]) == (False, True)
    counts = {one["value"]: one["count"] for one in found["items"]}
    assert counts == {"3": 2, "north": 1, "North 2": 1, "007": 1}
    assert found["items"][0] == {"value": "3", "count": 2}
    # What is asked of the field itself is left out, and all else holds.
    asked = ["camera=north", "taken<=2024-03-31"]
    found = values(http, project, admin, "camera", fields=asked)
    assert {one["value"] for one in found["items"]} == {"3", "North 2"}
    assert values(http, project, admin, "weather")["items"] == []
    monkeypatch.setattr("api.examples.service._MOST_VALUES", 3)
    assert values(http, project, admin, "camera") == {"items": [], "many": True, "exact": True}
    # Of a part of a large pool.
    monkeypatch.setattr(search, "_SMALLEST_PART", 4)
    monkeypatch.setattr(search, "_SECONDS", 0.0)
    part = values(http, project, admin, "camera")
    assert not part["exact"]
    assert {one["value"]: one["count"] for one in part["items"]} == {
        "3": 4,
        "north": 2,
        "North 2": 2,
    }
    annotator = world.caller(Role.ANNOTATOR, project)
    url = f"/api/projects/{project.id}/examples/fields/values?of=camera"
    assert http.get(url, headers=annotator.headers).status_code == 403


def test_what_acts_on_all_that_matches_goes_by_fields(http: TestClient, world: World) -> None:
    project, admin = project_with(world), world.caller()
    url = f"/api/projects/{project.id}"
    filters = {"fields": ["score>0.6"]}
    answer = http.post(
        f"{url}/examples/hold-out", json={"filters": filters}, headers=admin.headers
    ).json()
    held = select(Example.pool_index).where(
        Example.project_id == project.id, Example.state == ExampleState.HELD_OUT
    )
    assert sorted(world.session.scalars(held)) == [1, 5, 6]
    assert len(answer["example_ids"]) == 3
    body = {"name": "sharp", "filters": filters}
    taken = http.post(f"{url}/snapshots", json=body, headers=admin.headers).json()
    assert taken["counts"]["examples"] == 3
    assert taken["filters"]["fields"] == ["score>0.6"]
