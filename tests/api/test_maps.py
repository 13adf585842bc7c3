"""What a round saw: tiles, surface, queries, and the images inside an outline."""

import uuid
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sqlalchemy import select

from core.files.storage import sha256
from core.lifecycle import new_job
from core.states import (
    ArtifactKind,
    ExampleState,
    JobKind,
    JobState,
    ProjectRole,
    ProjectState,
    Role,
    Source,
    Split,
    Verdict,
)
from core.tables import Annotation, Artifact, Example, Member, Project, Query
from models.ranking.pool_scores import PoolScores
from tests.api.test_labeling import lease, send, verdict
from tests.api.test_pool_actions import act
from tests.workers.loop import Loop
from tests.world import Caller, World


def get(http: TestClient, caller: Caller, project: Project, path: str, **query: Any) -> Any:
    url = f"/api/projects/{project.id}/{path}"
    return http.get(url, params=query, headers=caller.headers)


def items(http: TestClient, caller: Caller, project: Project, path: str, **query: Any) -> Any:
    response = get(http, caller, project, path, **query)
    assert response.status_code == 200, response.text
    return response.json()


def points(content: bytes) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    kind, count, _, _ = np.frombuffer(content, "<u4", 4)
    assert kind == 0
    assert len(content) == 16 + 12 * count
    floats = np.frombuffer(content, "<f4", 2 * count, 16)
    return floats[:count], floats[count:], np.frombuffer(content, "<u4", count, 16 + 8 * count)


def scored(world: World, count: int) -> tuple[Project, PoolScores]:
    """A project with an open round whose file has `count` synthetic scores; 40 have images."""
    project = world.project(images=40, state=ProjectState.RUNNING)
    round_ = world.open_round(project, 5, number=1)
    rng = np.random.default_rng(0)
    scores = PoolScores(
        np.arange(count),
        np.zeros((count, 2), dtype=np.float32),
        rng.random(count).astype(np.float32),
        rng.standard_normal(count).astype(np.float32),
        rng.random(count).astype(np.float32),
    )
    key = f"projects/{project.id}/rounds/1/scores.parquet"
    path = world.storage.artifact(key)
    scores.to_parquet(path)
    world.session.add(
        Artifact(
            project_id=project.id, round_id=round_.id, kind=ArtifactKind.SCORES, storage_key=key,
            sha256=sha256(path), bytes=path.stat().st_size, meta={},
        )
    )  # fmt: skip
    world.session.commit()
    return project, scores


def test_rounds_of_mqnet_can_be_looked_at(http: TestClient, world: World) -> None:
    strategy = {"name": "mqnet", "params": {"balance": 0}}
    loop, admin = Loop(world, strategy=strategy), world.caller()
    for number in range(2):
        loop.advance(number)
    loop.answer(2, 3)
    loop.answer(2, 1, Verdict.SKIP)
    loop.answer(2, 1, Verdict.UNSURE)
    maps = items(http, admin, loop.project, "maps")["items"]
    assert [one["number"] for one in maps] == [1, 2]
    # 60 images, 8 and then 16 answered.
    assert [one["count"] for one in maps] == [52, 44]
    tile = get(http, admin, loop.project, "maps/2/tiles/0/0/0", version=maps[1]["version"])
    assert "immutable" in tile.headers["cache-control"]
    purity, informativeness, indices = points(tile.content)
    assert (float(purity.min()), float(purity.max())) == (
        maps[1]["purity"]["low"],
        maps[1]["purity"]["high"],
    )
    surface = items(http, admin, loop.project, "maps/2/surface")["surface"]
    assert (surface["name"], surface["exact"]) == ("phi", True)
    asked = items(http, admin, loop.project, "maps/2/queries")
    assert asked["total"] == len(asked["items"]) == 12
    scores = [one["meta_score"] for one in asked["items"]]
    assert scores == sorted(scores, reverse=True)
    assert surface["level"] == pytest.approx(scores[-1], rel=1e-4)
    assert [one["verdict"] for one in asked["items"]][3:6] == ["skip", "unsure", None]
    assert {one["verdict"] for one in asked["items"][:3]} <= {"label", "ood"}
    first = asked["items"][0]
    place = int(np.flatnonzero(indices == first["pool_index"])[0])
    assert first["purity"] == pytest.approx(float(purity[place]))
    assert first["informativeness"] == pytest.approx(float(informativeness[place]))
    one = items(http, admin, loop.project, f"maps/2/images/{first['pool_index']}")
    assert (one["example_id"], one["meta_score"]) == (first["example_id"], scores[0])


def said(asked: Any) -> dict[int, tuple[str | None, int | None]]:
    """Verdict and class of each image of a query set, by pool index."""
    return {one["pool_index"]: (one["verdict"], one["class_id"]) for one in asked["items"]}


def since(asked: Any) -> dict[int, tuple[str, int | None]]:
    """What is known of images now, where that is something else."""
    return {
        one["pool_index"]: (one["since"]["state"], one["since"]["class_id"])
        for one in asked["items"]
        if one["since"] is not None
    }


def answer_again(http: TestClient, loop: Loop, caller: Caller, images: list[int]) -> None:
    """Ask about images again; all are dogs now."""
    ids = {one.pool_index: one.id for one in loop.session.scalars(select(Example)).all()}
    act(http, loop.project, caller, "queue", ids=[ids[index] for index in images])
    handed = lease(http, caller, loop.project, len(images))["items"]
    assert {item["example_id"] for item in handed} == {ids[index] for index in images}
    dog = loop.classes[1].id
    send(
        http, caller, loop.project,
        *(verdict(item["query_id"], "label", class_id=dog) for item in handed),
    )  # fmt: skip


def test_a_closed_round_shows_what_was_said_then_and_what_changed_since(
    http: TestClient, world: World
) -> None:
    loop, admin = Loop(world, modes=["grid"]), world.caller()
    loop.advance(0)
    loop.answer(1, 6)
    loop.answer(1, 1, Verdict.SKIP)
    loop.answer(1, 1, Verdict.UNSURE)
    # It is open: what it shows is what is so now.
    asked = items(http, admin, loop.project, "maps/1/queries")
    assert since(asked) == {}
    told = said(asked)
    assert loop.finish(1).state is JobState.SUCCEEDED
    first = said(items(http, admin, loop.project, "maps/0/queries"))
    asked = items(http, admin, loop.project, "maps/1/queries")
    assert (said(asked), since(asked)) == (told, {})

    order = [one["pool_index"] for one in asked["items"]]
    inside = [index for index, (kind, _) in told.items() if kind == "label"]
    ood = [index for index, (kind, _) in told.items() if kind == "ood"]
    skipped, unsure, unanswered = order[6], order[7], order[8]
    again = [inside[0], ood[0], skipped, unsure]
    assert (told[skipped][0], told[unsure][0], told[unanswered][0]) == ("skip", "unsure", None)
    answer_again(http, loop, admin, again)
    # A file may say that a label is older than all of this; nobody here had heard of it.
    imported = new_job(JobKind.IMPORT_POOL, project_id=loop.project.id, params={})
    imported.started_at = datetime.now(UTC)
    world.session.add(imported)
    world.session.flush()
    image = world.session.scalars(select(Example).where(Example.pool_index == unanswered)).one()
    world.session.add(
        Annotation(
            project_id=loop.project.id, example_id=image.id, source=Source.IMPORT,
            source_name="label", job_id=imported.id, client_key=uuid.uuid4(),
            verdict=Verdict.OOD, seconds=0, cost=0, counted=True,
            created_at=datetime(2001, 1, 1, tzinfo=UTC),
        )
    )  # fmt: skip
    image.state = ExampleState.OOD
    world.session.commit()

    cat, dog = (one.id for one in loop.classes)
    now: dict[int, tuple[str, int | None]] = {
        index: ("labeled", dog) for index in again if told[index] != ("label", dog)
    }
    now[unanswered] = ("ood", None)
    asked = items(http, admin, loop.project, "maps/1/queries")
    assert said(asked) == told
    assert since(asked) == now
    assert said(items(http, admin, loop.project, "maps/0/queries")) == first
    # What the round's figures count, its tiles show.
    figures = items(http, admin, loop.project, "rounds")["items"][1]["answered"]
    shown = Counter(kind for kind, _ in told.values() if kind is not None)
    # "class" is the old name of "label", which older clients read.
    assert figures.pop("class") == figures["label"]
    assert {kind: count for kind, count in figures.items() if count} == shown

    # Each image by itself, and all within an outline, say the same.
    everything = "-1e9,-1e9;-1e9,1e9;1e9,1e9;1e9,-1e9"
    inside_all = items(
        http, admin, loop.project, "maps/1/images", polygon=everything, limit=100
    )["items"]  # fmt: skip
    assert {one["pool_index"] for one in inside_all if one["since"]} == set(now)
    for one in inside_all:
        kind, class_id = told.get(one["pool_index"], (None, None))
        state = {"label": "labeled", "ood": "ood", "unsure": "unsure"}.get(str(kind), "unlabeled")
        assert (one["state"], one["class_id"]) == (state, class_id)
        assert one == items(http, admin, loop.project, f"maps/1/images/{one['pool_index']}")
    # The next round is open, and was asked again.
    following = items(http, admin, loop.project, "maps/2/queries")
    assert since(following) == {}
    assert {said(following)[index] for index in again} == {("label", dog)}
    assert cat != dog


@pytest.mark.parametrize("said_at", ["before", "after"])
def test_of_an_answer_a_closed_round_shows_what_it_was_corrected_to_by_then(
    http: TestClient, world: World, said_at: str
) -> None:
    loop, admin = Loop(world), world.caller()
    headers = world.token(loop.annotator)[1]
    annotator = Caller(loop.annotator, headers)
    world.session.add(
        Member(project_id=loop.project.id, user_id=loop.annotator.id, role=ProjectRole.ANNOTATOR)
    )
    world.session.commit()
    loop.answer(0, 7)
    if said_at == "after":
        assert loop.finish(0).state is JobState.SUCCEEDED
    first = world.session.scalars(select(Annotation).order_by(Annotation.id)).first()
    assert first is not None
    assert (first.verdict, first.query_id is None) == (Verdict.OOD, False)
    dog = loop.classes[1].id
    corrected = verdict(
        first.query_id or 0, "label", class_id=dog, supersedes=str(first.client_key)
    )
    world.session.commit()
    send(http, annotator, loop.project, corrected)
    if said_at == "before":
        assert loop.finish(0).state is JobState.SUCCEEDED
    asked = items(http, admin, loop.project, "maps/0/queries")
    expected = {"before": (("label", dog), {}), "after": (("ood", None), {0: ("labeled", dog)})}
    assert (said(asked)[0], since(asked)) == expected[said_at]


def test_a_held_out_image_is_said_to_be_so_since(http: TestClient, world: World) -> None:
    loop, admin = Loop(world), world.caller()
    loop.advance(0)
    loop.advance(1)
    left = world.session.scalars(
        select(Example).where(Example.state == ExampleState.UNLABELED, Example.split == Split.POOL)
    ).first()
    assert left is not None
    path, id_ = f"maps/1/images/{left.pool_index}", left.id
    world.session.commit()
    before = items(http, admin, loop.project, path)
    assert (before["state"], before["since"]) == ("unlabeled", None)
    act(http, loop.project, admin, "hold-out", ids=[id_])
    held_out = {"state": "held_out", "class_id": None, "boxes": None}
    assert items(http, admin, loop.project, path) == {**before, "since": held_out}


def test_findings_of_a_round_agree_with_its_answers(http: TestClient, world: World) -> None:
    # The same purity throughout: of what another has chosen nothing is told by it.
    loop, admin = Loop(world, purity={"name": "knn"}), world.caller()
    for number in range(2):
        loop.advance(number)
    first, second, _ = items(http, admin, loop.project, "rounds")["items"]
    assert first["purity_auroc"] is None
    assert first["ood_left"]["by_purity"] is None
    assert first["ood_left"]["unlabeled"] == 52
    assert first["ood_left"]["count"] == first["ood_left"]["by_random"]["count"]
    assert (first["annotator_seconds"], second["annotator_seconds"]) == (8.0, 8.0)
    statement = (
        select(Query.purity, Annotation.verdict)
        .join(Annotation, Annotation.query_id == Query.id)
        .where(Annotation.round_id == loop.rounds()[1].id)
    )
    purity, verdicts = zip(*world.session.execute(statement).all(), strict=True)
    inside = [verdict is Verdict.LABEL for verdict in verdicts]
    assert second["purity_auroc"] == pytest.approx(roc_auc_score(inside, purity))
    estimate = second["ood_left"]
    assert estimate["by_purity"]["answers"] == 8
    assert 0 <= estimate["low"] <= estimate["count"] <= estimate["high"] <= 44


def test_a_large_pool_comes_as_density_and_in_single_images_when_zoomed(
    http: TestClient, world: World
) -> None:
    project, scores = scored(world, 150_000)
    admin = world.caller()
    whole = get(http, admin, project, "maps/1/tiles/0/0/0").content
    kind, count, side, _ = np.frombuffer(whole, "<u4", 4)
    assert (kind, count, side) == (1, 150_000, 128)
    bins = np.frombuffer(whole, "<u4", offset=16).reshape(side, side)
    x, y = scores.purity.astype(np.float64), scores.informativeness.astype(np.float64)
    expected, _, _ = np.histogram2d(y, x, bins=side, range=[[y.min(), y.max()], [x.min(), x.max()]])
    # Values on the edge of a bin may fall to either side of it.
    assert np.abs(bins - expected).sum() <= 4
    assert bins.sum() == 150_000
    found = []
    level = 3
    for column in range(8):
        for row in range(8):
            content = get(http, admin, project, f"maps/1/tiles/{level}/{column}/{row}").content
            if np.frombuffer(content, "<u4", 1)[0] == 1:
                found.append(int(np.frombuffer(content, "<u4", offset=16).sum()))
                continue
            purity, informativeness, _ = points(content)
            low = y.min() + row * np.ptp(y) / 8
            assert (informativeness >= low - 1e-6).all()
            assert (purity <= x.min() + (column + 1) * np.ptp(x) / 8 + 1e-6).all()
            found.append(len(purity))
    # Every image is in exactly one tile of a level.
    assert sum(found) == 150_000
    beyond = get(http, admin, project, "maps/1/tiles/1/2/0")
    assert (beyond.status_code, beyond.json()["code"]) == (400, "no_such_tile")


def test_images_inside_an_outline_come_in_pages(http: TestClient, world: World) -> None:
    project, scores = scored(world, 40)
    admin = world.caller()
    outline = [(0.1, -0.5), (0.9, -1.0), (0.6, 0.2), (0.9, 1.5), (0.2, 1.0)]
    polygon = ";".join(f"{x},{y}" for x, y in outline)
    truth = {
        int(index)
        for index, x, y in zip(scores.indices, scores.purity, scores.informativeness, strict=True)
        if even_odd(float(x), float(y), outline)
    }
    assert 5 < len(truth) < 35
    seen: list[int] = []
    cursor: dict[str, int] = {}
    while True:
        page = items(http, admin, project, "maps/1/images", polygon=polygon, limit=4, **cursor)
        assert page["total"] == len(truth)
        seen += [one["pool_index"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == sorted(truth)
    names = world.session.scalars(
        select(Example.name).where(Example.project_id == project.id, Example.pool_index == seen[0])
    )
    first = items(http, admin, project, "maps/1/images", polygon=polygon)["items"][0]
    assert first["name"] == names.one()


def even_odd(x: float, y: float, outline: list[tuple[float, float]]) -> bool:
    """Count the edges that a ray to the right crosses."""
    inside = False
    for (x1, y1), (x2, y2) in zip(outline, outline[1:] + outline[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            inside = not inside
    return inside


@pytest.mark.parametrize(
    "polygon", ["", "1,2;3,4", "1,2;3,4;x,5", "1,2,3;4,5;6,7", "nan,1;2,3;4,5"]
)
def test_outlines_that_are_none_are_refused(http: TestClient, world: World, polygon: str) -> None:
    project, _ = scored(world, 40)
    response = get(http, world.caller(), project, "maps/1/images", polygon=polygon)
    assert response.status_code == 400
    assert (response.json()["code"], response.json()["field"]) == (
        "invalid_polygon",
        "polygon",
    )


def test_only_engineers_of_the_project_see_maps(http: TestClient, world: World) -> None:
    project, _ = scored(world, 40)
    annotator = world.caller(Role.ANNOTATOR, project)
    stranger = world.caller(Role.ENGINEER)
    for path in ("maps", "maps/1/surface", "maps/1/queries", "maps/1/tiles/0/0/0", "outlook"):
        assert get(http, annotator, project, path).status_code == 403
        assert get(http, stranger, project, path).status_code == 404
    assert get(http, world.caller(), project, "maps/0/surface").status_code == 404


def test_a_lost_file_is_named(http: TestClient, world: World) -> None:
    project, _ = scored(world, 40)
    path = world.storage.artifact(f"projects/{project.id}/rounds/1/scores.parquet")
    content = path.read_bytes()
    path.unlink()
    response = get(http, world.caller(), project, "maps/1/surface")
    assert (response.status_code, response.json()["code"]) == (409, "scores_missing")
    assert items(http, world.caller(), project, "maps")["items"] == []
    path.write_bytes(content)
    assert [one["count"] for one in items(http, world.caller(), project, "maps")["items"]] == [40]


def test_projects_with_the_same_classes_are_comparable(http: TestClient, world: World) -> None:
    project = world.project(images=6, state=ProjectState.RUNNING, seed=1)
    twin = world.project(images=6, state=ProjectState.FINISHED, seed=2, classes=("dog", "cat"))
    other_pool = world.project(images=4, state=ProjectState.RUNNING)
    world.project(images=6)
    world.project(images=6, state=ProjectState.RUNNING, classes=("cat", "bird"))
    admin = world.caller()
    found = items(http, admin, project, "comparable")["items"]
    assert [(one["id"], one["seed"], one["same_pool"]) for one in found] == [
        (other_pool.id, 0, False),
        (twin.id, 2, True),
    ]
    engineer = world.caller(Role.ENGINEER, project, twin)
    assert [one["id"] for one in items(http, engineer, project, "comparable")["items"]] == [twin.id]
