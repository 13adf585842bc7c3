"""A class goes while boxes of it are on their way: one of the two comes first, and says so."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.states import Decision, Role
from core.tables import Annotation, Example, Project, ProjectClass, Suggestion
from tests.api.test_boxes import box, boxed, result, said
from tests.api.test_labeling import lease, send
from tests.processes import Hold, eventually
from tests.world import Caller, World


def without(http: TestClient, world: World, project: Project, gone: int) -> Callable[[], Any]:
    """Remove a class."""
    kept = [one.id for one in world.classes(project) if one.id != gone]
    names = [one.name for one in world.classes(project) if one.id != gone]
    body = {"classes": [{"id": id_, "name": name} for id_, name in zip(kept, names, strict=True)]}
    headers, url = world.caller().headers, f"/api/projects/{project.id}"
    return lambda: http.patch(url, json=body, headers=headers)


def drawn(http: TestClient, project: Project, caller: Caller, class_id: int) -> Callable[[], Any]:
    """Answer with a box of a class."""
    item = lease(http, caller, project)["items"][0]
    answer = said(item["query_id"], box(class_id, 1, 1, 2, 2))
    return lambda: send(http, caller, project, answer)


def test_who_draws_first_keeps_the_class(http: TestClient, world: World) -> None:
    project = boxed(world)
    cat = world.classes(project)[0].id
    answer = drawn(http, project, world.caller(Role.ANNOTATOR, project), cat)
    remove = without(http, world, project, cat)
    world.session.commit()
    hold = Hold("annotations", "true")
    with ThreadPoolExecutor(2) as threads:
        answered = threads.submit(answer)
        eventually(hold.waiting, "the answer is about to be stored")
        removed = threads.submit(remove)
        eventually(hold.blocks, "the class waits for the answer")
        hold.let_go()
    assert result(answered.result()) == ("accepted", None)
    assert (removed.result().status_code, removed.result().json()["code"]) == (409, "class_in_use")


@pytest.mark.parametrize("how", ["answer", "decision"])
def test_who_removes_first_has_the_boxes_refused(http: TestClient, world: World, how: str) -> None:
    project = boxed(world)
    cat = world.classes(project)[0].id
    label = {"type": "boxes", "boxes": [box(cat, 1, 1, 2, 2)]}
    url, headers = f"/api/projects/{project.id}", world.caller().headers
    example = world.session.scalars(select(Example).order_by(Example.id)).first()
    assert example is not None
    example_id = example.id
    if how == "answer":
        draw = drawn(http, project, world.caller(Role.ANNOTATOR, project), cat)
    else:
        suggestion = Suggestion(
            project_id=project.id, example_id=example_id, rank=0, given_label=None,
            suggested_label={"type": "boxes", "boxes": []}, confidence=0.5,
        )  # fmt: skip
        world.session.add(suggestion)
        world.session.commit()
        decision = {
            "key": "0b7e0f0a-55f0-4b5c-8f0e-5f5b8f1f0004", "suggestion_id": suggestion.id,
            "decision": Decision.OTHER.value, "label": label, "seconds": 1.0,
        }  # fmt: skip
        place = f"{url}/reviews/disagreements/decisions"
        draw = lambda: http.post(place, json={"decisions": [decision]}, headers=headers)  # noqa: E731
    remove = without(http, world, project, cat)
    world.session.commit()
    hold = Hold("former_class_names", "true")
    with ThreadPoolExecutor(2) as threads:
        removed = threads.submit(remove)
        eventually(hold.waiting, "the class is about to go")
        answered = threads.submit(draw)
        eventually(hold.blocks, "the box waits for its class")
        hold.let_go()
    assert removed.result().status_code == 200, removed.result().text
    found = answered.result()
    sent = found if how == "answer" else found.json()
    assert result(sent) == ("rejected", "unknown_class")
    named = select(func.count()).select_from(Annotation)
    assert world.session.scalar(named) == 0
    assert world.session.get(ProjectClass, cat) is None
