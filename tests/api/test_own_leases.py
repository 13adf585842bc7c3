"""What one person holds under several names: a killed browser gives back, an open one keeps."""

import uuid
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from core.states import ProjectState, Role
from core.tables import Annotation, Project, Query, Round
from tests.api import test_labeling as labeling
from tests.api.test_labeling import running, send, verdict
from tests.world import Caller, World


def lease(
    http: TestClient,
    caller: Caller,
    project: Project,
    tab: str,
    open_tabs: list[str] | None = None,
    n: int = 4,
) -> dict[str, Any]:
    return labeling.lease(http, caller, project, n, tab, open_tabs)


def ids(leased: dict[str, Any]) -> list[int]:
    return [item["query_id"] for item in leased["items"]]


def names(count: int) -> list[str]:
    return [str(uuid.uuid4()) for _ in range(count)]


def holders(world: World) -> dict[int, str]:
    """Of each query that is leased, by which client."""
    world.session.expire_all()
    statement = select(Query.id, Query.lease_client).where(Query.lease_expires_at > func.now())
    return {id_: str(client) for id_, client in world.session.execute(statement)}


def later(world: World, seconds: float) -> None:
    """Let time go by for what is leased."""
    earlier = Query.lease_expires_at - timedelta(seconds=seconds)
    world.session.execute(update(Query).values(lease_expires_at=earlier))
    world.session.commit()


def test_a_new_page_gets_what_a_killed_browser_held(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    killed, new = names(2)
    before = ids(lease(http, caller, project, killed))
    later(world, 6)
    assert ids(lease(http, caller, project, new, [new])) == before
    assert holders(world) == dict.fromkeys(before, new)


def test_pages_that_open_at_once_leave_each_other_what_they_get(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    killed, first, second, third = names(4)
    before = ids(lease(http, caller, project, killed))
    later(world, 6)
    # Each listed the open pages before the others were there.
    assert ids(lease(http, caller, project, first, [first])) == before
    # By a server whose clock is ahead, or while the request of the other was on its way.
    later(world, -20)
    others = ids(lease(http, caller, project, second, [second]))
    assert not set(others) & set(before)
    assert ids(lease(http, caller, project, first)) == before
    # Whoever wants all says that none is open.
    assert ids(lease(http, caller, project, third, [], n=8)) == sorted([*before, *others])


def test_a_page_that_opens_in_a_pause_has_its_images_after_it(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    killed, new = names(2)
    before = ids(lease(http, caller, project, killed))
    later(world, 6)
    pause = update(Project).values(state=ProjectState.PAUSED)
    world.session.execute(pause)
    world.session.commit()
    assert ids(lease(http, caller, project, new, [new])) == []
    world.session.execute(pause.values(state=ProjectState.RUNNING))
    world.session.commit()
    assert ids(lease(http, caller, project, new)) == before


def test_an_open_tab_keeps_what_it_holds(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    first, second = names(2)
    held = ids(lease(http, caller, project, first, []))
    others = ids(lease(http, caller, project, second, [first]))
    assert not set(others) & set(held)
    # Both go on asking, as tabs do: neither ever loses anything to the other.
    for _ in range(2):
        assert ids(lease(http, caller, project, first)) == held
        assert ids(lease(http, caller, project, second)) == others


def test_a_tab_that_lost_its_images_gets_others_and_takes_none_back(
    http: TestClient, world: World
) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    office, home = names(2)
    held = ids(lease(http, caller, project, office, []))
    assert ids(lease(http, caller, project, home, [])) == held
    instead = ids(lease(http, caller, project, office))
    assert len(instead) == 4
    assert not set(instead) & set(held)
    assert ids(lease(http, caller, project, home)) == held


def test_verdicts_of_the_tab_before_are_stored_once_each(http: TestClient, world: World) -> None:
    project = running(world)
    caller = world.caller(Role.ANNOTATOR, project)
    old, new = names(2)
    token = lease(http, caller, project, old, [])["lease_token"]
    first, second, *_ = ids(lease(http, caller, project, new, []))
    # One that was on its way as the browser was killed, sent again by the page that came after.
    early = verdict(first, "unsure", lease_token=token)
    for expected in ("accepted", "duplicate"):
        (result,) = send(http, caller, project, early)["results"]
        assert (result["status"], result["counted"]) == (expected, True)
    assert first not in ids(lease(http, caller, project, new))
    # One of an image that the new page was quicker with: kept, and not counted twice.
    send(http, caller, project, verdict(second))
    late = verdict(second, "unsure", lease_token=token)
    statuses = [send(http, caller, project, late)["results"][0]["status"] for _ in range(2)]
    assert statuses == ["late", "duplicate"]
    stored = select(Annotation.query_id, Annotation.verdict, Annotation.counted)
    rows = world.session.execute(stored.order_by(Annotation.id)).all()
    assert [tuple(row) for row in rows] == [
        (first, "unsure", True),
        (second, "ood", True),
        (second, "unsure", False),
    ]
    assert world.session.scalar(select(Round.spent)) == 2.0


def test_what_others_hold_is_left_alone(http: TestClient, world: World) -> None:
    project, elsewhere = running(world), running(world)
    one = world.caller(Role.ANNOTATOR, project, elsewhere)
    two = world.caller(Role.ANNOTATOR, project)
    mine, theirs, in_another_project, new = names(4)
    held = ids(lease(http, one, project, mine))
    kept = ids(lease(http, two, project, theirs))
    kept_there = ids(lease(http, one, elsewhere, in_another_project))
    leased = lease(http, one, project, new, [], n=20)
    assert set(leased_ids := ids(leased)) >= set(held)
    assert not set(leased_ids) & set(kept)
    after = holders(world)
    assert {after[id_] for id_ in kept} == {theirs}
    assert {after[id_] for id_ in kept_there} == {in_another_project}


def test_of_several_annotators_each_gets_their_own_back(http: TestClient, world: World) -> None:
    project = running(world, images=6, queries=6, overlap=2)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    killed, theirs, new = names(3)
    held = lease(http, one, project, killed)["items"]
    kept = ids(lease(http, two, project, theirs))
    again = lease(http, one, project, new, [])["items"]
    assert [item["example_id"] for item in again] == [item["example_id"] for item in held]
    assert ids(lease(http, two, project, theirs)) == kept


def test_more_than_a_page_asks_for_is_free_for_all(http: TestClient, world: World) -> None:
    project = running(world, images=8, queries=8)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    grid, new, theirs = names(3)
    held = ids(lease(http, one, project, grid, n=8))
    assert ids(lease(http, one, project, new, [], n=3)) == held[:3]
    assert ids(lease(http, two, project, theirs, n=8)) == held[3:]


def test_who_holds_the_rest_themself_hears_so(http: TestClient, world: World) -> None:
    project = running(world, images=4, queries=4)
    one, two = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    first, second, theirs = names(3)
    held = lease(http, one, project, first, [])
    assert held["held_elsewhere"] is False
    waiting = lease(http, one, project, second, [first])
    assert (waiting["items"], waiting["status"]["waiting_for"]) == ([], "others")
    assert waiting["held_elsewhere"] is True
    # To anybody else it is a colleague who has them.
    assert lease(http, two, project, theirs)["held_elsewhere"] is False
    world.session.execute(update(Query).values(lease_expires_at=func.now()))
    world.session.commit()
    assert ids(lease(http, two, project, theirs)) == ids(held)
    assert lease(http, one, project, second)["held_elsewhere"] is False
