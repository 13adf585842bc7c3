"""Finding images: every filter, scores beside the database, pages that cost the same anywhere."""

import unicodedata
import uuid
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from api.examples import search
from core.states import ArtifactKind, Role, Source, Verdict
from core.tables import Annotation, Artifact, CertificateLot, Example, Project, Round
from models.ranking.pool_scores import PoolScores
from tests.api.test_labeling import lease, running, send, verdict
from tests.api.test_subsets import add_subset
from tests.certificates import add_certificate
from tests.world import Caller, World


def find(http: TestClient, project: Project, caller: Caller, **query: Any) -> list[int]:
    """Pool indices of everything that matches, page after page."""
    found: list[int] = []
    while True:
        page = listed(http, project, caller, **query)
        found += [one["pool_index"] for one in page["items"]]
        if page["next_cursor"] is None:
            return found
        query |= {"cursor": page["next_cursor"]}


def listed(http: TestClient, project: Project, caller: Caller, **query: Any) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/examples"
    response = http.get(url, params=query, headers=caller.headers)
    assert response.status_code == 200, response.text
    page: dict[str, Any] = response.json()
    return page


def counted(http: TestClient, project: Project, caller: Caller, **query: Any) -> dict[str, Any]:
    url = f"/api/projects/{project.id}/examples/count"
    response = http.get(url, params=query, headers=caller.headers)
    assert response.status_code == 200, response.text
    count: dict[str, Any] = response.json()
    return count


def scored(world: World, project: Project, n: int, *, old: bool = False) -> Round:
    """Scores of the first ``n`` images: purity rises, informativeness falls, classes alternate."""
    round_ = world.session.scalars(select(Round).where(Round.project_id == project.id)).one()
    steps = np.arange(n, dtype=np.float32)
    logits = np.zeros((n, 2), dtype=np.float32)
    logits[np.arange(n), np.arange(n) % 2] = 1 + steps
    key = f"projects/{project.id}/rounds/0/scores.parquet"
    path = world.storage.artifact(key)
    purity = steps / np.float32(n)
    PoolScores(np.arange(n), logits, purity, -steps, steps, purity**2).to_parquet(path)
    if old:
        table = pq.read_table(path).drop_columns(["predicted", "confidence", "in_probability"])
        pq.write_table(table, path)
    world.session.add(
        Artifact(
            project_id=project.id,
            round_id=round_.id,
            kind=ArtifactKind.SCORES,
            storage_key=key,
            sha256=f"{project.id}-{old}",
            bytes=path.stat().st_size,
            meta={"class_ids": [one.id for one in world.classes(project)]},
        )
    )
    world.session.commit()
    return round_


def test_each_filter_finds_what_it_says_and_all_have_to_hold(
    http: TestClient, world: World
) -> None:
    project = running(world, images=12, queries=6, evaluation=2, overlap=2)
    admin, other = world.caller(), world.caller(Role.ANNOTATOR, project)
    cat, dog = world.classes(project)
    mine = [item["query_id"] for item in lease(http, admin, project, 4)["items"]]
    theirs = [item["query_id"] for item in lease(http, other, project, 2)["items"]]
    send(
        http,
        admin,
        project,
        verdict(mine[0], "label", class_id=cat.id),
        verdict(mine[1], "label", class_id=dog.id),
        verdict(mine[2]),
        verdict(mine[3], "unsure"),
    )
    send(
        http,
        other,
        project,
        verdict(theirs[0], "label", class_id=cat.id),
        verdict(theirs[1], "ood"),
    )
    world.session.execute(
        update(Example).where(Example.pool_index == 7).values(name="Bee 100%.png", import_id=5)
    )
    composed = "고양이.png"
    for place, name in ((9, composed), (10, unicodedata.normalize("NFD", composed))):
        world.session.execute(update(Example).where(Example.pool_index == place).values(name=name))
    world.session.add(
        Annotation(
            project_id=project.id,
            example_id=world.session.scalars(
                select(Example.id).where(Example.project_id == project.id, Example.pool_index == 8)
            ).one(),
            source=Source.IMPORT,
            source_name="label",
            client_key="0b4a5a0e-0000-4000-8000-000000000008",
            verdict=Verdict.OOD,
            seconds=0,
            cost=0,
            counted=True,
        )
    )
    world.session.commit()
    for query, expected in (
        ({}, list(range(12))),
        ({"split": "all"}, list(range(14))),
        ({"split": "evaluation"}, [12, 13]),
        ({"state": "queried"}, [4, 5]),
        # Nobody has looked at those that are kept to evaluate on, and nobody is to.
        ({"state": "unlabeled"}, list(range(6, 12))),
        ({"state": "unlabeled", "split": "all"}, list(range(6, 14))),
        ({"state": "ood"}, [2]),
        ({"class_id": cat.id}, [0]),
        ({"class_id": cat.id, "split": "all"}, [0, 12]),
        ({"verdict": "ood"}, [1, 2, 8]),
        ({"annotator_id": other.user.id}, [0, 1]),
        ({"annotator_id": other.user.id, "verdict": "ood"}, [1]),
        ({"source": "import"}, [8]),
        ({"verdict": "label"}, [0, 1]),
        # Its word in addresses from before.
        ({"verdict": "class"}, [0, 1]),
        ({"disagreement": True}, [1]),
        ({"disagreement": False}, [0, 2, 3]),
        ({"import_id": 5}, [7]),
        ({"name": "bee 100%"}, [7]),
        ({"name": "%"}, [7]),
        # A Mac writes names in other letters than a keyboard sends.
        ({"name": unicodedata.normalize("NFC", "고양이")}, [9, 10]),
        ({"name": unicodedata.normalize("NFD", "고양이")}, [9, 10]),
        ({"verdict": "label", "disagreement": True, "state": "labeled"}, [1]),
    ):
        assert find(http, project, admin, **query) == expected, query
        assert counted(http, project, admin, **query) == {"count": len(expected), "exact": True}
    engineer = world.caller(Role.ENGINEER)
    url = f"/api/projects/{project.id}/examples"
    assert http.get(url, headers=engineer.headers).status_code == 404
    assert http.get(url, headers=other.headers).status_code == 403


def test_what_people_have_said_is_not_taken_from_the_model(http: TestClient, world: World) -> None:
    project, admin = running(world, images=8, queries=2), world.caller()
    certificate = add_certificate(world, project)
    lot = world.session.scalars(
        select(CertificateLot).where(CertificateLot.certificate_id == certificate.id)
    ).first()
    assert lot is not None
    places = select(Example.pool_index, Example.id).where(Example.project_id == project.id)
    ids = dict(world.session.execute(places).all())
    for place, source, said in (
        (3, Source.MODEL, Verdict.LABEL),
        (3, Source.REVIEW, Verdict.UNSURE),
        (4, Source.MODEL, Verdict.LABEL),
        (5, Source.REVIEW, Verdict.SKIP),
    ):
        by_model = source is Source.MODEL
        world.session.add(
            Annotation(
                project_id=project.id,
                example_id=ids[place],
                annotator_id=None if by_model else admin.user.id,
                lot_id=lot.id if by_model else None,
                source=source,
                client_key=uuid.uuid4(),
                verdict=said,
                label={"class_id": lot.class_id} if said is Verdict.LABEL else None,
                seconds=0,
                cost=0,
                counted=True,
            )
        )
    world.session.commit()
    for query, expected in (
        ({"verdict": "label"}, [3, 4]),
        ({"source": "model"}, [4]),
        ({"source": "people"}, [3]),
        ({"source": "people", "verdict": "label"}, []),
        ({"source": "people", "verdict": "unsure"}, [3]),
        ({"source": "people", "verdict": "skip"}, [5]),
        ({"source": "people", "annotator_id": admin.user.id}, [3]),
    ):
        assert find(http, project, admin, **query) == expected, query


@pytest.mark.parametrize("old", [False, True])
def test_scores_and_predictions_filter_and_order(http: TestClient, world: World, old: bool) -> None:
    project, admin = running(world, images=10, queries=2), world.caller()
    cat, dog = world.classes(project)
    scored(world, project, 8, old=old)
    assert find(http, project, admin, purity_min=0.5) == [4, 5, 6, 7]
    assert find(http, project, admin, purity_min=0.25, purity_max=0.5) == [2, 3, 4]
    assert find(http, project, admin, informativeness_max=-6.0) == [6, 7]
    assert find(http, project, admin, predicted=dog.id) == [1, 3, 5, 7]
    assert find(http, project, admin, predicted=cat.id, state="queried") == [0]
    assert find(http, project, admin, sort="-purity", limit=3) == [7, 6, 5, 4, 3, 2, 1, 0]
    assert find(http, project, admin, sort="informativeness", state="unlabeled") == [
        7, 6, 5, 4, 3, 2,
    ]  # fmt: skip
    assert find(http, project, admin, sort="confidence") == list(range(8))
    assert counted(http, project, admin, purity_min=0.5) == {"count": 4, "exact": True}
    assert counted(http, project, admin, purity_max=0.5, state="queried")["count"] == 2
    page = listed(http, project, admin, sort="-purity", limit=1)
    assert page["scores_round"] == 0
    (first,) = page["items"]
    assert (first["purity"], first["predicted_class_id"]) == (0.875, dog.id)
    assert first["confidence"] == pytest.approx(1 / (1 + np.exp(-8)))
    assert first["in_probability"] == (None if old else 0.875**2)
    unscored = listed(http, project, admin)["items"][9]
    assert (unscored["purity"], unscored["predicted_class_id"]) == (None, None)


def test_what_a_subset_kept_and_dropped_is_found_with_every_other_filter(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=12, queries=4), world.caller()
    other = running(world, images=4)
    one = add_subset(world, project, [7, 0, 3, 9])
    two = add_subset(world, project, [3, 4])
    elsewhere = add_subset(world, other, [1])
    for query, expected in (
        ({"kept_by": one.id}, [0, 3, 7, 9]),
        ({"dropped_by": one.id}, [1, 2, 4, 5, 6, 8, 10, 11]),
        ({"kept_by": two.id, "dropped_by": one.id}, [4]),
        ({"kept_by": one.id, "dropped_by": one.id}, []),
        ({"dropped_by": one.id, "state": "queried"}, [1, 2]),
        ({"kept_by": one.id, "split": "evaluation"}, []),
    ):
        assert find(http, project, admin, limit=3, **query) == expected, query
        assert counted(http, project, admin, **query) == {"count": len(expected), "exact": True}
    # Most of what it knows was never scored, and comes all the same unless a score is asked for.
    scored(world, project, 5)
    assert find(http, project, admin, kept_by=one.id) == [0, 3, 7, 9]
    assert find(http, project, admin, dropped_by=one.id, sort="-purity", limit=2) == [4, 2, 1]
    assert find(http, project, admin, dropped_by=one.id, purity_min=0.3) == [2, 4]
    # What is done with all that match is done with these.
    url = f"/api/projects/{project.id}/examples"
    body = {"filters": {"dropped_by": one.id}}
    held = http.post(f"{url}/hold-out", json=body, headers=admin.headers).json()
    assert len(held["example_ids"]) == 6
    assert held["left_out"] == {"in_queue": 2}

    for subset_id in (elsewhere.id, 999_999):
        response = http.get(url, params={"kept_by": subset_id}, headers=admin.headers)
        assert response.status_code == 404
    unread = add_subset(world, project, [5])
    world.storage.artifact(unread.storage_key).unlink()
    lost = http.get(url, params={"dropped_by": unread.id}, headers=admin.headers)
    assert (lost.status_code, lost.json()["code"]) == (409, "subset_file_missing")


def test_what_needs_scores_says_so_where_there_are_none(http: TestClient, world: World) -> None:
    project, admin = running(world), world.caller()
    url = f"/api/projects/{project.id}/examples"
    for query, field in (({"purity_min": 0.5}, "purity_min"), ({"sort": "-purity"}, "sort")):
        response = http.get(url, params=query, headers=admin.headers)
        assert (response.status_code, response.json()["code"]) == (409, "no_scores")
        assert response.json()["field"] == field
    response = http.get(url, params={"round": 3}, headers=admin.headers)
    assert response.status_code == 404
    for query in ({"purity_min": "nan"}, {"state": "lost"}, {"colour": "red"}):
        assert http.get(url, params=query, headers=admin.headers).status_code == 422


def test_pages_neither_repeat_nor_lose_anything_while_labels_come_in(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=20, queries=20), world.caller()
    scored(world, project, 20)
    for sort in ("pool_index", "-informativeness"):
        first = listed(http, project, admin, sort=sort, limit=5)
        # An image of the page before changes its state, and new ones arrive.
        query = lease(http, admin, project, 1)["items"][0]["query_id"]
        send(http, admin, project, verdict(query))
        world.add_images(project, 2)
        world.session.commit()
        rest = find(http, project, admin, sort=sort, limit=5, cursor=first["next_cursor"])
        indices = [one["pool_index"] for one in first["items"]] + rest
        assert indices[:20] == list(range(20))
        assert len(set(indices)) == len(indices)


def test_a_search_that_takes_long_is_handed_out_in_parts(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few matches in a large pool: each request looks at a part, and says how far it got."""
    project, admin = running(world, images=1000, queries=0), world.caller()
    world.session.execute(
        update(Example).where(Example.pool_index.in_((3, 990))).values(name="rare.png")
    )
    world.session.commit()
    monkeypatch.setattr(search, "_SECONDS", 0.0)
    monkeypatch.setattr(search, "_SMALLEST_PART", 100)
    page = listed(http, project, admin, name="rare", limit=10)
    assert [one["pool_index"] for one in page["items"]] == [3]
    assert 0 < page["searched"] < 1
    assert find(http, project, admin, name="rare", limit=10) == [3, 990]
    estimate = counted(http, project, admin, name="rare")
    assert not estimate["exact"]


def test_default_views_of_a_large_pool_read_an_index_and_no_more(
    http: TestClient, world: World
) -> None:
    project, admin = running(world, images=4, queries=0), world.caller()
    insert_many(world, project, 30_000)
    for query in ({}, {"split": "all"}, {"state": "ood"}):
        statements = planned(http, world, project, admin, cursor=20_000, **query)
        assert statements
        for statement, plan in statements:
            assert "Seq Scan on examples" not in plan, plan
            # Of one split alone a page is a bounded range, whose few rows may be sorted.
            assert "Sort" not in plan or not query, plan
            assert "OFFSET" not in statement.upper()


def insert_many(world: World, project: Project, n: int) -> None:
    """Rows without files, some 2 % of them OOD."""
    world.session.execute(
        text(
            "INSERT INTO examples (project_id, pool_index, content_hash, media_type, bytes, width,"
            " height, split, state, name, meta)"
            " SELECT :project, 1000 + i, decode(lpad(to_hex(i), 64, '0'), 'hex'), 'image/png', 1,"
            " 8, 8, 'pool', CASE WHEN i % 50 = 0 THEN 'ood' ELSE 'unlabeled' END,"
            " 'image ' || i || '.png', '{}' FROM generate_series(1, :n) AS i"
        ),
        {"project": project.id, "n": n},
    )
    world.session.commit()
    world.session.connection(execution_options={"isolation_level": "AUTOCOMMIT"}).execute(
        text("VACUUM ANALYZE examples")
    )
    world.session.rollback()


def planned(
    http: TestClient, world: World, project: Project, caller: Caller, **query: Any
) -> list[tuple[str, str]]:
    """Statements that read examples for a page, with their plans."""
    from sqlalchemy import event
    from sqlalchemy.dialects import postgresql

    engine = http.app.state.engine.sync_engine  # type: ignore[attr-defined]
    seen: list[Any] = []

    def note(_: Any, clause: Any, *__: Any) -> None:
        seen.append(clause)

    event.listen(engine, "before_execute", note)
    try:
        listed(http, project, caller, **query)
    finally:
        event.remove(engine, "before_execute", note)
    found = []
    for clause in seen:
        compiled = clause.compile(
            dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
            compile_kwargs={"literal_binds": True},
        )
        if "FROM examples LEFT" in str(compiled):
            plan = world.session.execute(text("EXPLAIN " + str(compiled).replace(":", "\\:")))
            found.append((str(compiled), "\n".join(row[0] for row in plan)))
    return found
