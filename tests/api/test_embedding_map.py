"""The map of a pool: tiles, colours in their order, outlines as a filter, and who may see it."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlalchemy import select

from api.maps import planes
from core.artifacts.pool_map import Plane
from core.artifacts.selections import SCHEMA as SELECTED
from core.artifacts.selections import write_selection
from core.files.storage import sha256
from core.states import ArtifactKind, ExampleState, JobKind, JobState, ProjectState, Role
from core.tables import Artifact, Example, Job, Project, Query
from core.tasks.classification import stored_class
from models.ranking.pool_scores import PoolScores
from tests.api.test_maps import get, items, points, scored
from tests.api.test_pool_actions import act
from tests.world import Caller, World

MAP = "embedding-map"


def laid_out(world: World, project: Project, count: int, seed: int = 0) -> Artifact:
    """A map of a project's first `count` images, or of images that nobody has imported."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(-1, 1, (count, 2)).astype(np.float32)
    key = f"projects/{project.id}/jobs/{seed}/map.parquet"
    path = world.storage.artifact(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({"pool_index": np.arange(count), "x": at[:, 0], "y": at[:, 1]})
    pq.write_table(table, path)
    artifact = Artifact(
        project_id=project.id, kind=ArtifactKind.EMBEDDING_MAP, storage_key=key,
        sha256=sha256(path), bytes=path.stat().st_size,
        meta={
            "laid_out": count, "features": "auto", "made_at": datetime.now(UTC).isoformat(),
        },
    )  # fmt: skip
    world.session.add(artifact)
    world.session.commit()
    return artifact


def column(content: bytes) -> tuple[int, int, NDArray[Any]]:
    """Kind, number of images, and the values of a tile's colours."""
    kind, count, side, type_ = np.frombuffer(content, "<u4", 4)
    values = np.frombuffer(content, "<f4" if type_ else "<i4", offset=16)
    assert len(values) == (side * side if kind else count)
    return int(kind), int(count), values


def colours(
    http: TestClient, caller: Caller, project: Project, by: str, place: str = "0/0/0"
) -> NDArray[Any]:
    response = get(http, caller, project, f"{MAP}/colours/{by}/{place}")
    assert response.status_code == 200, response.text
    return column(response.content)[2]


def chosen(world: World, project: Project, kept: NDArray[np.bool_], left_out: int = 0) -> Artifact:
    """A selection of the first rows; of the last of them nothing was chosen."""
    count = len(kept)
    reasons = np.where(kept, "best_of_cluster", "not_best").astype(object)
    reasons[count - left_out :] = "held_out"
    columns: dict[str, Any] = {
        **{name: np.zeros(count, dtype=np.int64) for name in SELECTED.names},
        **{name: np.full(count, "", dtype=object) for name in ("source", "status", "asked")},
        "pool_index": np.arange(count)[::-1],
        "kept": kept[::-1],
        "reason": reasons[::-1],
    }
    job = Job(
        project_id=project.id, kind=JobKind.SELECT_INSTRUCTIONS, params={}, state=JobState.SUCCEEDED
    )
    world.session.add(job)
    world.session.flush()
    key = f"projects/{project.id}/jobs/{job.id}/selection.parquet"
    path = world.storage.artifact(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_selection(path, columns)
    artifact = Artifact(
        project_id=project.id, job_id=job.id, kind=ArtifactKind.SELECTION, storage_key=key,
        sha256=sha256(path), bytes=path.stat().st_size, meta={"non_rankable": {"share": None}},
    )  # fmt: skip
    world.session.add(artifact)
    world.session.commit()
    return artifact


def scored_map(world: World, count: int, mapped: int) -> tuple[Project, PoolScores]:
    """A project with scores of `count` images, and a map of the first `mapped`."""
    project, scores = scored(world, count)
    artifact = world.session.scalars(
        select(Artifact).where(Artifact.kind == ArtifactKind.SCORES)
    ).one()
    artifact.meta = {"class_ids": [one.id for one in reversed(world.classes(project))]}
    laid_out(world, project, mapped)
    return project, scores


def outline(artifact: Artifact, polygon: str) -> str:
    return f"{planes.version_of(artifact)}:{polygon}"


EVERYTHING = "-2,-2;2,-2;2,2;-2,2"
RIGHT = "0,-2;2,-2;2,2;0,2"


def test_without_a_map_the_page_is_told_so(http: TestClient, world: World) -> None:
    project, admin = world.project(images=3), world.caller()
    assert items(http, admin, project, MAP) == {"map": None, "scores_round": None}
    for path in ("tiles/0/0/0", "colours/state/0/0/0", "images/0"):
        response = get(http, admin, project, f"{MAP}/{path}")
        assert (response.status_code, response.json()["code"]) == (409, "no_map")
    response = get(http, admin, project, "examples", outline=f"abc:{EVERYTHING}")
    assert (response.status_code, response.json()["code"]) == (409, "no_map")


def test_a_map_says_what_it_is_of_and_what_came_later(http: TestClient, world: World) -> None:
    project, admin = world.project(images=30, evaluation=4), world.caller()
    artifact = laid_out(world, project, 26)
    found = items(http, admin, project, MAP)["map"]
    assert (found["count"], found["later"], found["features"]) == (26, 4, "auto")
    assert found["version"] == planes.version_of(artifact)
    tile = get(http, admin, project, f"{MAP}/tiles/0/0/0", version=found["version"])
    assert "immutable" in tile.headers["cache-control"]
    x, y, indices = points(tile.content)
    assert indices.tolist() == list(range(26))
    assert (float(x.min()), float(x.max())) == (found["x"]["low"], found["x"]["high"])
    assert (float(y.min()), float(y.max())) == (found["y"]["low"], found["y"]["high"])
    url, tag = f"/api/projects/{project.id}/{MAP}/tiles/0/0/0", tile.headers["etag"]
    again = http.get(url, headers={**admin.headers, "If-None-Match": tag})
    assert again.status_code == 304


def test_colours_come_in_the_order_of_the_tile(http: TestClient, world: World) -> None:
    project, scores = scored_map(world, 60, 40)
    admin = world.caller()
    cat = world.classes(project)[0]
    given = {
        0: (ExampleState.LABELED, cat.id), 1: (ExampleState.OOD, None),
        2: (ExampleState.UNSURE, None), 30: (ExampleState.HELD_OUT, None),
    }  # fmt: skip
    statement = select(Example).where(Example.project_id == project.id)
    for example in world.session.scalars(statement):
        if example.pool_index in given:
            example.state, class_id = given[example.pool_index]
            example.label = stored_class(class_id)
    world.session.commit()
    state = colours(http, admin, project, "state")
    assert state[[0, 1, 2, 3, 30, 31]].tolist() == [cat.id, -3, -4, -2, -5, -1]
    # Round 1 asked about the first five.
    assert colours(http, admin, project, "round").tolist() == [1] * 5 + [-1] * 35
    np.testing.assert_array_equal(colours(http, admin, project, "purity"), scores.purity[:40])
    np.testing.assert_array_equal(
        colours(http, admin, project, "informativeness"), scores.informativeness[:40]
    )
    for level_one in ("1/0/0", "1/1/0", "1/0/1", "1/1/1"):
        _, _, indices = points(get(http, admin, project, f"{MAP}/tiles/{level_one}").content)
        np.testing.assert_array_equal(
            colours(http, admin, project, "purity", level_one), scores.purity[indices]
        )


def test_predictions_are_the_latest_and_of_what_was_asked_about_those_of_then(
    http: TestClient, world: World
) -> None:
    project, _ = scored_map(world, 40, 40)
    admin = world.caller()
    cat, dog = (one.id for one in world.classes(project))
    artifact = world.session.scalars(
        select(Artifact).where(Artifact.kind == ArtifactKind.SCORES)
    ).one()
    table = pq.read_table(world.storage.artifact(artifact.storage_key)).slice(5)
    pq.write_table(table, world.storage.artifact(artifact.storage_key))
    artifact.sha256 = sha256(world.storage.artifact(artifact.storage_key))
    query = world.session.scalars(select(Query).order_by(Query.rank)).first()
    assert query is not None
    query.predicted_class_id = cat
    world.session.commit()
    assert colours(http, admin, project, "predicted").tolist() == [cat, *[-1] * 4, *[dog] * 35]
    one = items(http, admin, project, f"{MAP}/images/7")
    assert (one["predicted_class_id"], one["state"], one["round"]) == (dog, "unlabeled", None)
    assert items(http, admin, project, f"{MAP}/images/0")["round"] == 1


def test_what_a_job_keeps_and_drops_is_a_colour(http: TestClient, world: World) -> None:
    project, admin = world.project(images=12), world.caller()
    laid_out(world, project, 12)
    path = f"{MAP}/colours/selection/0/0/0"
    nothing = get(http, admin, project, path)
    assert (nothing.status_code, nothing.json()["code"]) == (409, "not_selected")
    first = chosen(world, project, np.arange(10) % 2 == 0, left_out=2)
    chosen(world, project, np.arange(12) < 3)
    newest = colours(http, admin, project, "selection")
    assert newest.tolist() == [1] * 3 + [0] * 9
    older = column(get(http, admin, project, path, job_id=first.job_id).content)[2]
    # Held out, or there since: no job has chosen from them.
    assert older.tolist() == [1, 0] * 4 + [-1] * 4
    assert get(http, admin, project, path, job_id=10**9).status_code == 404


def test_a_large_pool_comes_as_density_with_colours_of_its_bins(
    http: TestClient, world: World
) -> None:
    count = 120_000
    project, scores = scored_map(world, count, count)
    admin = world.caller()
    cat = world.classes(project)[0]
    artifact = world.session.scalars(
        select(Artifact).where(Artifact.kind == ArtifactKind.EMBEDDING_MAP)
    ).one()
    example = world.session.scalars(select(Example).where(Example.pool_index == 9)).one()
    example.state, example.label = ExampleState.LABELED, stored_class(cat.id)
    world.session.commit()
    shown = Plane(*(pq.read_table(world.storage.artifact(artifact.storage_key))[name].to_numpy()
                    for name in ("pool_index", "x", "y")))  # fmt: skip
    everything = np.arange(count)
    bins = shown.bins_of(everything, 0, 0, 0, 128)
    kind, of, values = column(get(http, admin, project, f"{MAP}/colours/purity/0/0/0").content)
    assert (kind, of) == (1, count)
    wanted = np.bincount(bins, weights=scores.purity, minlength=128 * 128)
    counts = np.bincount(bins, minlength=128 * 128)
    np.testing.assert_allclose(values[counts > 0], wanted[counts > 0] / counts[counts > 0], 1e-5)
    assert np.isnan(values[counts == 0]).all()
    # One label is seen among all that nobody has looked at.
    state = colours(http, admin, project, "state")
    assert state[bins[9]] == cat.id
    assert set(state) == {cat.id, -1, -2}
    # A place is kept where one row is.
    chosen(world, project, everything == 9)
    selected = colours(http, admin, project, "selection")
    assert (selected == 1).nonzero()[0].tolist() == [bins[9]]
    np.testing.assert_array_equal(selected >= 0, counts > 0)
    deep = points(get(http, admin, project, f"{MAP}/tiles/4/3/3").content)[2]
    np.testing.assert_array_equal(
        colours(http, admin, project, "purity", "4/3/3"), scores.purity[deep]
    )


def test_an_outline_is_a_filter_like_others(http: TestClient, world: World) -> None:
    project = world.project(images=40, evaluation=3, state=ProjectState.RUNNING)
    world.open_round(project, 6)
    admin = world.caller()
    artifact = laid_out(world, project, 40)
    table = pq.read_table(world.storage.artifact(artifact.storage_key))
    inside = np.flatnonzero(table["x"].to_numpy() > 0).tolist()
    assert 5 < len(inside) < 35
    drawn = outline(artifact, RIGHT)
    found = items(http, admin, project, "examples", outline=drawn)["items"]
    assert [one["pool_index"] for one in found] == inside
    assert items(http, admin, project, "examples/count", outline=drawn) == {
        "count": len(inside), "exact": True,
    }  # fmt: skip
    waiting = items(http, admin, project, "examples", outline=drawn, state="queried")["items"]
    assert [one["pool_index"] for one in waiting] == [one for one in inside if one < 6]
    changed = act(http, project, admin, "hold-out", filters={"outline": drawn})
    ids = {one["id"] for one in found if one["state"] == "unlabeled"}
    assert set(changed["example_ids"]) == ids
    held = items(http, admin, project, "examples", state="held_out")["items"]
    assert {one["id"] for one in held} == ids


def test_what_was_outlined_on_another_map_is_acted_on_no_more(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(images=20), world.caller()
    before = outline(laid_out(world, project, 20), EVERYTHING)
    tile = f"{MAP}/tiles/0/0/0"
    version = before.partition(":")[0]
    assert get(http, admin, project, tile, version=version).status_code == 200
    laid_out(world, project, 20, seed=1)
    for path, query in (
        ("examples", {"outline": before}), (tile, {"version": version}),
        (f"{MAP}/colours/state/0/0/0", {"version": version}),
        (f"{MAP}/images/3", {"version": version}),
    ):  # fmt: skip
        response = get(http, admin, project, path, **query)
        assert (response.status_code, response.json()["code"]) == (409, "map_changed"), path
    url = f"/api/projects/{project.id}/examples/hold-out"
    refused = http.post(url, json={"filters": {"outline": before}}, headers=admin.headers)
    assert refused.json()["code"] == "map_changed"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"{MAP}/tiles/1/2/0", 400, "no_such_tile"),
        (f"{MAP}/colours/state/2/0/4", 400, "no_such_tile"),
        (f"{MAP}/tiles/17/0/0", 422, None),
        (f"{MAP}/colours/beauty/0/0/0", 422, None),
        (f"{MAP}/images/99", 404, None),
        (f"{MAP}/images/-1", 422, None),
    ],
)
def test_what_is_not_on_the_map_is_refused(
    http: TestClient, world: World, path: str, status: int, code: str | None
) -> None:
    project, admin = world.project(images=9), world.caller()
    laid_out(world, project, 9)
    response = get(http, admin, project, path)
    assert response.status_code == status, response.text
    if code is not None:
        assert response.json()["code"] == code


def test_a_map_whose_file_is_gone_is_made_anew_or_restored(http: TestClient, world: World) -> None:
    project, admin = world.project(images=9), world.caller()
    artifact = laid_out(world, project, 9)
    path = world.storage.artifact(artifact.storage_key)
    content = path.read_bytes()
    path.unlink()
    assert items(http, admin, project, MAP)["map"] is None
    response = get(http, admin, project, f"{MAP}/tiles/0/0/0")
    assert (response.status_code, response.json()["code"]) == (409, "map_file_missing")
    path.write_bytes(content)
    assert items(http, admin, project, MAP)["map"]["count"] == 9


def test_only_who_manages_the_project_sees_its_map(http: TestClient, world: World) -> None:
    project = world.project(images=9)
    laid_out(world, project, 9)
    callers = [
        (world.caller(Role.ANNOTATOR, project), 403),
        (world.caller(Role.ENGINEER), 404),
        (world.caller(Role.ENGINEER, project), 200),
    ]
    for path in (MAP, f"{MAP}/tiles/0/0/0", f"{MAP}/colours/state/0/0/0", f"{MAP}/images/0"):
        for caller, status in callers:
            assert get(http, caller, project, path).status_code == status, path


@settings(
    max_examples=80, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(text=st.text(alphabet="0123456789abcdef:;,.-eE xnif", max_size=60))
def test_no_outline_breaks_anything(http: TestClient, world: World, text: str) -> None:
    if not hasattr(world, "mapped"):
        project = world.project(images=5)
        world.mapped = (project, world.caller(), laid_out(world, project, 5))  # type: ignore[attr-defined]
    project, admin, artifact = world.mapped  # type: ignore[attr-defined]
    for drawn in (text, outline(artifact, text)):
        response = get(http, admin, project, "examples", outline=drawn)
        assert response.status_code in {200, 400, 409, 422}, response.text


corner = st.tuples(st.floats(-2, 2, width=32), st.floats(-2, 2, width=32))


@settings(max_examples=200, deadline=None)
@given(polygon=st.lists(corner, min_size=3, max_size=9), seed=st.integers(0, 9))
def test_who_is_inside_is_who_an_even_odd_count_of_crossings_says(
    polygon: list[tuple[float, float]], seed: int
) -> None:
    at = np.random.default_rng(seed).uniform(-2, 2, (60, 2)).astype(np.float32)
    found = Plane(np.arange(60), at[:, 0], at[:, 1]).inside(polygon)
    for (x, y), is_inside in zip(at.astype(float).tolist(), found.tolist(), strict=True):
        crossings = 0
        for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
            if (y < y1) != (y < y2) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                crossings += 1
        assert is_inside == (crossings % 2 == 1)
