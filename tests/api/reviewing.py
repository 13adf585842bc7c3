"""Calls of a review, as its page makes them."""

import uuid
from typing import Any

from fastapi.testclient import TestClient

from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, Example
from core.tasks.classification import stored_class
from tests.world import Caller, World


def call(http: TestClient, world: World, url: str, body: Any, caller: Caller) -> dict[str, Any]:
    """What the route answers: to a GET, or where there is a ``body`` to a POST.

    Args:
        http: The server.
        world: What it works with; its objects are read anew afterwards.
        url: Of the route.
        body: Sent as JSON; None asks.
        caller: Who calls.
    """
    response = (
        http.get(url, headers=caller.headers)
        if body is None
        else http.post(url, json=body, headers=caller.headers)
    )
    assert response.status_code == 200, response.text
    world.session.expire_all()
    found: dict[str, Any] = response.json()
    return found


def labeled(example: Example, class_id: int) -> Annotation:
    """The label that an image came with, which is still to be added."""
    example.state, example.label = ExampleState.LABELED, stored_class(class_id)
    return Annotation(
        project_id=example.project_id,
        example_id=example.id,
        source=Source.IMPORT,
        source_name="label",
        client_key=uuid.uuid4(),
        verdict=Verdict.LABEL,
        label=stored_class(class_id),
        seconds=0,
        cost=0,
        counted=True,
    )
