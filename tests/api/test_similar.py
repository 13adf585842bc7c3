"""Images in the order of their likeness to others, as a list like any other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlalchemy import insert, select

from core.artifacts import nearness
from core.artifacts.nearness import complete_screen, similarities, unit_mean
from core.states import ExampleState, Split
from core.tables import Example, Project
from tests.api.test_labeling import running
from tests.api.test_pool_actions import act, ids_of
from tests.api.test_pool_search import counted, find, listed, scored
from tests.world import World


def features(world: World, project: Project, n: int, name: str = "auto") -> NDArray[np.float32]:
    """Features of the first ``n`` images, kept as a round keeps them; returned with length 1."""
    rows = np.random.default_rng(7).standard_normal((n, 6)).astype(np.float32)
    path = world.storage.features(project.id) / f"{name}-0123456789abcdef.npy"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, rows * np.arange(1, n + 1, dtype=np.float32)[:, None])
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def order(rows: NDArray[np.float32], *to: int) -> list[int]:
    found = np.argsort(-(rows @ unit_mean([rows[one] for one in to])), kind="stable")
    return [int(one) for one in found]


def refused(http: TestClient, url: str, headers: dict[str, str], **query: Any) -> tuple[int, str]:
    response = http.get(url, params=query, headers=headers)
    return response.status_code, response.json()["code"]


def test_the_most_similar_come_first_with_every_filter(http: TestClient, world: World) -> None:
    project, admin = running(world, images=20, queries=6, evaluation=3), world.caller()
    ids = ids_of(world, project)
    # One image of the pool was imported after the features were made.
    rows = features(world, project, 22)
    pool = [one for one in order(rows, 4) if one < 20]
    assert pool[0] == 4
    for limit in (1, 7, 100):
        assert find(http, project, admin, similar_to=str(ids[4]), limit=limit) == pool
    everything = {"similar_to": str(ids[4]), "split": "all"}
    assert find(http, project, admin, **everything) == order(rows, 4)
    assert find(http, project, admin, sort="similarity", **everything) == order(rows, 4)[::-1]
    assert find(http, project, admin, sort="pool_index", **everything) == list(range(22))
    queried = [one for one in pool if one < 6]
    assert find(http, project, admin, similar_to=str(ids[4]), state="queried") == queried
    page = listed(http, project, admin, similar_to=str(ids[4]), limit=3)
    assert [one["similarity"] for one in page["items"]] == pytest.approx(
        (rows[pool[:3]] @ rows[4]).tolist(), abs=1e-5
    )
    assert {one["isolation"] for one in page["items"]} == {None}
    assert listed(http, project, admin)["items"][0]["similarity"] is None
    # To several: the direction between them, whatever the lengths of their features.
    several = ",".join(str(ids[one]) for one in (2, 9, 15))
    expected = [one for one in order(rows, 2, 9, 15) if one < 20]
    assert find(http, project, admin, similar_to=several, limit=4) == expected


def test_what_is_similar_enough_is_counted_and_acted_on(http: TestClient, world: World) -> None:
    project, admin = running(world, images=20, queries=2), world.caller()
    ids = ids_of(world, project)
    rows = features(world, project, 20)
    near = [one for one in order(rows, 7) if rows[one] @ rows[7] >= 0.2]
    assert 2 < len(near) < 12
    alike = {"similar_to": str(ids[7]), "similarity_min": 0.2}
    assert find(http, project, admin, **alike) == near
    assert counted(http, project, admin, **alike) == {"count": len(near), "exact": True}
    scored(world, project, 15)
    by_purity = sorted((one for one in near if one < 15), reverse=True)
    assert find(http, project, admin, sort="-purity", **alike) == by_purity
    among = [one for one in near if 5 <= one < 15]
    assert find(http, project, admin, purity_min=5 / 15, **alike) == among
    unlabeled: dict[str, Any] = {"filters": {**alike, "state": "unlabeled"}}
    changed = act(http, project, admin, "hold-out", **unlabeled)
    assert changed["example_ids"] == [ids[one] for one in near if one >= 2]


def test_what_cannot_be_compared_says_why(http: TestClient, world: World) -> None:
    project, other = running(world, images=8, queries=2), running(world, images=2, queries=1)
    admin = world.caller()
    ids, foreign = ids_of(world, project), ids_of(world, other)[0]
    url = f"/api/projects/{project.id}/examples"
    ask: dict[str, Any] = {"url": url, "headers": admin.headers}
    assert refused(http, **ask, similar_to=str(ids[0])) == (409, "no_features")
    features(world, project, 6)
    assert refused(http, **ask, similar_to=f"{ids[0]},{foreign}") == (404, "not_found")
    assert refused(http, **ask, similar_to=str(ids[7])) == (409, "no_features_yet")
    # One that has features says enough.
    assert len(find(http, project, admin, similar_to=f"{ids[0]},{ids[7]}")) == 6
    assert refused(http, **ask, sort="-similarity") == (400, "similar_to_what")
    assert refused(http, **ask, similarity_min=0.5) == (400, "similar_to_what")
    assert refused(http, **ask, similar_file=1) == (404, "not_found")
    assert refused(http, **ask, sort="-isolation") == (409, "not_compared")
    for bad in ("", "0", "1,", "1;2", "-3", "9" * 19, ",".join(["1"] * 201)):
        assert refused(http, **ask, similar_to=bad)[0] == 422, bad


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 300), st.integers(2, 40), st.integers(0, 2**16), st.sampled_from([1, 8, 64]))
def test_a_screen_changes_none_of_what_is_compared_in_full(
    tmp_path_factory: pytest.TempPathFactory, count: int, width: int, seed: int, compared: int
) -> None:
    path: Path = tmp_path_factory.mktemp("features") / "auto-1.npy"
    generator = np.random.default_rng(seed)
    # Rows share a few directions, as features do, and a column more that is not compared.
    shared = generator.standard_normal((count, 3)) @ generator.standard_normal((3, width + 1))
    noisy = shared + 0.05 * generator.standard_normal(shared.shape)
    rows: NDArray[np.float32] = noisy.astype(np.float32)
    np.save(path, rows)
    wanted = unit_mean([rows[0, :width]])
    exact = similarities(path, wanted, width)
    unit = rows[:, :width] / np.linalg.norm(rows[:, :width], axis=1, keepdims=True)
    assert exact == pytest.approx(unit @ wanted, abs=1e-5)
    assert complete_screen(path, width, least=1)
    assert not complete_screen(path, width, least=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearness, "COMPARED", compared)
        screened = similarities(path, wanted, width)
    best = np.argsort(-screened, kind="stable")[:compared]
    assert screened[best] == pytest.approx(exact[best], abs=1e-5)
    # Directions for all: the screen is exact, too.
    if width <= 64:
        assert np.sort(screened) == pytest.approx(np.sort(exact), abs=1e-4)
    np.save(path, np.concatenate([rows, rows]))
    assert len(similarities(path, wanted, width)) == 2 * count


def test_a_pool_whose_scores_are_lost_is_shown_without_them(http: TestClient, world: World) -> None:
    project, admin = running(world, images=6, queries=4), world.caller()
    (cat, _) = world.classes(project)
    scored(world, project, 6)
    features(world, project, 6)
    world.storage.artifact(f"projects/{project.id}/rounds/0/scores.parquet").unlink()
    url = f"/api/projects/{project.id}"
    page = listed(http, project, admin)
    assert (len(page["items"]), page["scores_round"]) == (6, None)
    assert page["items"][0]["purity"] is None
    assert counted(http, project, admin, state="queried")["count"] == 4
    one = f"{url}/examples/{page['items'][0]['id']}"
    for path in (one, f"{one}/neighbours", f"{url}/duplicates"):
        assert http.get(path, headers=admin.headers).status_code == 200, path
    body = {"filters": {"name": page["items"][5]["name"]}}
    held = http.post(f"{url}/examples/hold-out", json=body, headers=admin.headers)
    assert len(held.json()["example_ids"]) == 1
    for query in (
        {"purity_min": 0.5}, {"predicted": cat.id}, {"sort": "-purity"}, {"round": 0},
    ):  # fmt: skip
        lost = http.get(f"{url}/examples", params=query, headers=admin.headers)
        assert (lost.status_code, lost.json()["code"]) == (409, "scores_file_missing"), query


def test_groups_of_many_copies_come_once_also_to_programs_of_javascript(
    http: TestClient, world: World
) -> None:
    project, admin = world.project(images=2), world.caller()
    alike = [
        {
            **{"project_id": project.id, "pool_index": index, "name": f"{index}.png"},
            **{"content_hash": index.to_bytes(32), "media_type": "image/png", "bytes": 1},
            **{"width": 8, "height": 8, "meta": {}},
            **{"split": Split.POOL, "state": ExampleState.UNLABELED},
        }
        for index in range(2, 2202)
    ]
    world.session.execute(insert(Example), alike)
    statement = select(Example).where(Example.project_id == project.id)
    found = world.session.scalars(statement.order_by(Example.pool_index)).all()
    for place, one in enumerate(found):
        one.duplicates_of = found[place % 2].id
    world.session.commit()
    pages = f"/api/projects/{project.id}/duplicates?limit=1"
    first = http.get(pages, headers=admin.headers).json()
    # Their programs hold no larger number as it is.
    assert first["next_cursor"] < 2**53
    second = http.get(f"{pages}&cursor={first['next_cursor']}", headers=admin.headers).json()
    seen = [(one["id"], one["images"]) for page in (first, second) for one in page["items"]]
    assert seen == [(found[1].id, 1101), (found[0].id, 1101)]
