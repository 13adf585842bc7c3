"""How far annotators agree, beside Krippendorff's own worked example."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import Role, Source, Verdict
from core.tables import Annotation, Example, Project
from core.tasks.classification import stored_class
from tests.api.test_labeling import running, send, verdict
from tests.api.test_overlap import first_query, three
from tests.world import World

# Two coders and ten images, labels a and b: alpha is 0.095 (K. Krippendorff, Computing
# Krippendorff's Alpha-Reliability, 2011, part A).
CODERS = ("0100000000", "1110010010")


def label(world: World, project: Project, column: str, said: str) -> None:
    """One column of labels: a digit is a class, x is OOD, a dot is nothing."""
    classes = world.classes(project)
    examples = world.session.scalars(select(Example).order_by(Example.pool_index)).all()
    for example, letter in zip(examples, said, strict=True):
        if letter == ".":
            continue
        world.session.add(
            Annotation(
                project_id=project.id,
                example_id=example.id,
                source=Source.IMPORT,
                source_name=column,
                client_key=uuid.uuid4(),
                verdict=Verdict.OOD if letter == "x" else Verdict.LABEL,
                label=None if letter == "x" else stored_class(classes[int(letter)].id),
                seconds=0,
                cost=0,
                counted=True,
            )
        )
    world.session.commit()


def agreement(http: TestClient, world: World, project: Project) -> dict[str, Any]:
    caller = world.caller(Role.ENGINEER, project)
    response = http.get(f"/api/projects/{project.id}/agreement", headers=caller.headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_alpha_of_the_published_example(http: TestClient, world: World) -> None:
    project = world.project(images=10)
    for name, said in zip("ab", CODERS, strict=True):
        label(world, project, name, said)
    found = agreement(http, world, project)
    assert found["examples"] == 10
    assert found["classes"]["pairs"] == 10
    assert found["classes"]["share"] == pytest.approx(0.6)
    assert found["classes"]["alpha"] == pytest.approx(0.095, abs=5e-4)
    assert [voter["classes"]["pairs"] for voter in found["voters"]] == [10, 10]
    # All of them say that it is in: they agree, and chance would too.
    assert found["in_ood"] == {"pairs": 10, "share": 1.0, "alpha": None}


def test_alpha_with_missing_labels_and_more_than_two_voters(http: TestClient, world: World) -> None:
    project = world.project(images=6, classes=("p", "q", "r"))
    columns = {"a": "0120x.", "b": "0110x0", "c": "02x0.."}
    for name, said in columns.items():
        label(world, project, name, said)

    found = agreement(http, world, project)["in_ood"]

    # The coincidence matrix, written out.
    units = [[said[i] for said in columns.values() if said[i] != "."] for i in range(6)]
    units = [["x" if one == "x" else "in" for one in unit] for unit in units if len(unit) > 1]
    n = sum(len(unit) for unit in units)
    same = sum(
        (a == b) / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    counts = [sum(unit.count(value) for unit in units) for value in ("in", "x")]
    expected = 1 - sum(c * (c - 1) for c in counts) / (n * (n - 1))
    assert found["alpha"] == pytest.approx(1 - (1 - same / n) / expected)


def test_each_annotator_beside_the_others(http: TestClient, world: World) -> None:
    project = running(world, images=3, queries=3, overlap=3)
    cat, dog = (item.id for item in world.classes(project))
    people = three(world, project)
    for caller, class_id in zip(people, (cat, cat, dog), strict=True):
        query = first_query(http, caller, project)
        send(http, caller, project, verdict(query, "label", class_id=class_id))
    found = agreement(http, world, project)
    shares = {voter["user_id"]: voter["classes"]["share"] for voter in found["voters"]}
    assert shares == {people[0].user.id: 0.5, people[1].user.id: 0.5, people[2].user.id: 0.0}
    assert [voter["votes"] for voter in found["voters"]] == [1, 1, 1]
    assert [voter["classes"]["pairs"] for voter in found["voters"]] == [2, 2, 2]
    assert found["classes"]["pairs"] == 3


def test_without_a_shared_image_there_is_nothing_to_say(http: TestClient, world: World) -> None:
    project = world.project(images=2)
    label(world, project, "a", "0.")
    label(world, project, "b", ".1")
    found = agreement(http, world, project)
    assert found["examples"] == 0
    assert found["in_ood"] == {"pairs": 0, "share": None, "alpha": None}
