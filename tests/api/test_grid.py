"""Leases for the grid: alike images together, by the rules of every lease; and the modes."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import delete, func, select, update

from core.states import Role, RoundState
from core.tables import Project, Query, Round
from tests.api.test_labeling import lease, running, send, url, verdict
from tests.world import Caller, World


def predict(world: World, project: Project, groups: Sequence[str]) -> None:
    """Let the model take the images of the queue for these, over and over."""
    ids = {item.name: item.id for item in world.classes(project)}
    for query in world.session.scalars(select(Query).where(Query.project_id == project.id)):
        example = query.rank // project.settings["overlap"]
        group = groups[example % len(groups)]
        query.predicted_class_id = ids.get(group, ids["cat"])
        query.probability = 0.9
        query.in_probability = 0.1 if group == "ood" else 0.8
    world.session.commit()


def grouped(
    http: TestClient, caller: Caller, project: Project, n: int, tab: str | None = None
) -> list[dict[str, Any]]:
    body = {"n": n, "client": tab or str(uuid.uuid4()), "grouped": True}
    response = http.post(url(project, "lease"), json=body, headers=caller.headers)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def ranks(items: list[dict[str, Any]]) -> list[int]:
    return [item["rank"] for item in items]


def test_alike_images_come_together_from_the_head_on(http: TestClient, world: World) -> None:
    project = running(world, images=40, queries=40)
    predict(world, project, ["cat", "dog", "ood"])
    caller = world.caller(Role.ANNOTATOR, project)
    first = grouped(http, caller, project, 4)
    assert ranks(first) == [0, 3, 6, 9]
    assert {item["predicted_class_id"] for item in first} == {world.classes(project)[0].id}
    assert (first[0]["probability"], first[0]["in_probability"]) == (0.9, 0.8)
    # The rest of the window: what is left of the first group comes after the next groups' best.
    assert ranks(grouped(http, caller, project, 4)) == [1, 4, 7, 10]
    assert ranks(grouped(http, caller, project, 4)) == [2, 5, 8, 11]


def test_leases_of_a_closed_round_are_in_nobodys_way(http: TestClient, world: World) -> None:
    project = running(world, images=40, queries=12, budget=4)
    caller, tab = world.caller(Role.ANNOTATOR, project), str(uuid.uuid4())
    # More than the round pays for, as the tail of its queue is for those who need not wait.
    first = lease(http, caller, project, 12, tab)["items"]
    assert len(first) == 12
    for item in first[:4]:
        send(http, caller, project, verdict(item["query_id"]))
    before = world.session.scalars(select(Round).where(Round.number == 0)).one()
    assert before.state is RoundState.CLOSING
    before.state = RoundState.CLOSED
    world.session.execute(delete(Round).where(Round.number == 1))
    world.session.commit()
    world.open_round(project, 12, 1)
    expiring = dict(world.session.execute(select(Query.id, Query.lease_expires_at)).all())
    for _ in range(2):
        items = grouped(http, caller, project, 12, tab)
        assert [item["round"] for item in items] == [1] * 4
    kept = {item["query_id"] for item in first[4:]}
    world.session.rollback()
    now = dict(world.session.execute(select(Query.id, Query.lease_expires_at)).all())
    assert {id_: now[id_] for id_ in kept} == {id_: expiring[id_] for id_ in kept}


def test_unpredicted_images_come_by_rank(http: TestClient, world: World) -> None:
    project = running(world, images=40, queries=40)
    caller = world.caller(Role.ANNOTATOR, project)
    items = grouped(http, caller, project, 5)
    assert ranks(items) == [0, 1, 2, 3, 4]
    assert {item["predicted_class_id"] for item in items} == {None}


def test_order_is_kept_where_the_budget_pays_for_less_than_the_window(
    http: TestClient, world: World
) -> None:
    project = running(world, images=40, queries=40, budget=10)
    predict(world, project, ["cat", "dog", "ood"])
    caller = world.caller(Role.ANNOTATOR, project)
    assert ranks(grouped(http, caller, project, 4)) == [0, 1, 2, 3]


def test_a_grid_never_holds_more_than_the_budget_pays_for(http: TestClient, world: World) -> None:
    project = running(world, images=40, queries=40, budget=6, zero_wait=True)
    caller = world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    items = grouped(http, caller, project, 40, tab)
    assert len(items) == 6
    send(http, caller, project, *(verdict(item["query_id"]) for item in items[:2]))
    assert ranks(grouped(http, caller, project, 40, tab)) == ranks(items[2:])


def test_nobody_gets_an_image_twice_and_no_two_the_same(http: TestClient, world: World) -> None:
    project = running(world, images=24, queries=24, overlap=2, budget=1000)
    predict(world, project, ["cat", "dog"])
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    mine, again, theirs = (grouped(http, caller, project, 6) for caller in (one, one, two))
    assert [item["example_id"] for item in mine] == [item["example_id"] for item in theirs]
    assert not {i["query_id"] for i in mine} & {i["query_id"] for i in theirs}
    assert len({item["example_id"] for item in [*mine, *again]}) == 12
    send(http, one, project, *(verdict(item["query_id"]) for item in [*mine, *again]))
    after = grouped(http, one, project, 24)
    assert not {i["example_id"] for i in after} & {i["example_id"] for i in [*mine, *again]}


def test_a_reloaded_page_finds_what_it_held_and_a_closed_one_lets_go(
    http: TestClient, world: World
) -> None:
    project = running(world, images=40, queries=40)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    tab = str(uuid.uuid4())
    held = ranks(grouped(http, one, project, 6, tab))
    body = {"client": tab, "after_seconds": 20}
    left = http.post(url(project, "release"), json=body, headers=one.headers)
    assert left.json() == {"released": 6}
    assert not set(ranks(grouped(http, two, project, 6))) & set(held)
    assert ranks(grouped(http, one, project, 6, tab)) == held
    http.post(url(project, "release"), json=body, headers=one.headers)
    latest = select(func.max(Query.lease_expires_at)).where(Query.rank.in_(held))
    until = world.session.scalar(latest)
    assert until is not None
    assert until - datetime.now(UTC) <= timedelta(seconds=20)
    world.session.execute(update(Query).values(lease_expires_at=func.now()))
    world.session.commit()
    assert ranks(grouped(http, two, project, 6)) == held


def test_both_modes_are_allowed_unless_the_project_says_otherwise(
    http: TestClient, world: World
) -> None:
    project = running(world)
    annotator, engineer = world.caller(Role.ANNOTATOR, project), world.caller(Role.ADMIN)
    path = f"/api/projects/{project.id}"
    assert http.get(path, headers=annotator.headers).json()["modes"] == ["single", "grid"]
    change = {"settings": {"modes": ["grid"]}}
    assert http.patch(path, json=change, headers=engineer.headers).status_code == 200
    assert http.get(path, headers=annotator.headers).json()["modes"] == ["grid"]


def test_a_project_without_a_mode_is_refused(http: TestClient, world: World) -> None:
    project = running(world)
    engineer = world.caller(Role.ADMIN)
    change: dict[str, Any] = {"settings": {"modes": []}}
    refused = http.patch(f"/api/projects/{project.id}", json=change, headers=engineer.headers)
    assert refused.status_code == 400
    problem = refused.json()
    assert problem["field"] == "settings.modes"
    assert "allow single, grid or both" in problem["detail"]


def test_settings_from_before_the_modes_allow_both(http: TestClient, world: World) -> None:
    project = running(world)
    project.settings = {key: one for key, one in project.settings.items() if key != "modes"}
    world.session.commit()
    engineer = world.caller(Role.ADMIN)
    found = http.get(f"/api/projects/{project.id}", headers=engineer.headers).json()
    assert found["modes"] == found["settings"]["modes"] == ["single", "grid"]
