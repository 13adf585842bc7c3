"""Fields that came with examples: annotators see those that a project shows, and no others."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from core.states import ProjectState, Role
from core.tables import Example, Project
from tests.api.test_labeling import lease, send, url, verdict
from tests.world import World

BROUGHT = {"camera": "north", "label": "cat", "taken": 7, "where": {"lat": 1}}


def project_with(world: World, **settings: Any) -> Project:
    """A project whose examples have brought fields."""
    project = world.project(images=4, state=ProjectState.RUNNING, **settings)
    world.session.execute(update(Example).values(meta=BROUGHT))
    world.open_round(project, 4)
    return project


@pytest.mark.parametrize(
    ("shown", "seen"),
    [
        ([], []),
        (["taken", "camera"], [("taken", 7), ("camera", "north")]),
        (["weather", "camera"], [("camera", "north")]),
        (["where"], []),
    ],
)
def test_annotators_see_the_fields_that_a_project_shows(
    http: TestClient, world: World, shown: list[str], seen: list[tuple[str, Any]]
) -> None:
    project = project_with(world, shown_fields=shown)
    caller = world.caller(Role.ANNOTATOR, project)
    item = lease(http, caller, project)["items"][0]
    send(http, caller, project, verdict(item["query_id"], "ood"))
    [answered] = http.get(url(project, "recent"), headers=caller.headers).json()["items"]
    expected = [{"name": name, "value": value} for name, value in seen]
    assert item["fields"] == expected
    assert answered["fields"] == expected


def test_rows_of_a_project_from_before_there_were_such_fields_show_none(
    http: TestClient, world: World
) -> None:
    project = project_with(world)
    old = {name: value for name, value in project.settings.items() if name != "shown_fields"}
    project.settings = old
    world.session.commit()
    caller = world.caller(Role.ANNOTATOR, project)
    item = lease(http, caller, project)["items"][0]
    assert item["fields"] == []


def test_settings_are_told_what_there_is_to_show(http: TestClient, world: World) -> None:
    project = project_with(world)
    manager, annotator = world.caller(Role.ADMIN), world.caller(Role.ANNOTATOR, project)
    address = f"/api/projects/{project.id}/examples/fields"
    assert http.get(address, headers=annotator.headers).status_code == 403
    assert http.get(address, headers=manager.headers).json()["items"] == [
        {"name": "camera", "value": "north"},
        {"name": "label", "value": "cat"},
        {"name": "taken", "value": 7},
    ]


@pytest.mark.parametrize("wrong", [[""], ["x" * 1001], [f"{n}" for n in range(13)], "camera"])
def test_names_that_cannot_be_are_refused(http: TestClient, world: World, wrong: Any) -> None:
    project = project_with(world)
    body = {"settings": {"shown_fields": wrong}}
    address, headers = f"/api/projects/{project.id}", world.caller(Role.ADMIN).headers
    answer = http.patch(address, json=body, headers=headers)
    assert answer.status_code == 400, answer.text
    assert answer.json()["field"].startswith("settings.shown_fields")


def test_each_field_is_shown_once(http: TestClient, world: World) -> None:
    project = project_with(world)
    body = {"settings": {"shown_fields": ["camera", "taken", "camera"]}}
    address, headers = f"/api/projects/{project.id}", world.caller(Role.ADMIN).headers
    answer = http.patch(address, json=body, headers=headers).json()
    assert answer["settings"]["shown_fields"] == ["camera", "taken"]
