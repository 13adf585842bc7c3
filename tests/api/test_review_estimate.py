"""What a review learns from its decisions, hands out by it, and says of labels not asked about."""

import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.reviews.learning import Learned
from core.files.storage import sha256
from core.lifecycle import new_job
from core.settings import Settings
from core.states import ArtifactKind, ExampleState, JobKind, Role
from core.tables import Artifact, Example, Job, Project, Suggestion
from core.tasks.classification import stored_class
from core.tasks.registry import class_of, label_of
from models.numerics.intervals import clopper_pearson, wilson
from models.relabeling.recalibration import Recalibration, recalibrate
from tests.api.reviewing import call, labeled
from tests.processes import eventually
from tests.world import Caller, World

LABELED, SUGGESTED = 80, 48
# Images by turns cats and dogs; those suggested are sure at first, and less and less so.
WRONG = [0.95 - rank / 100 for rank in range(SUGGESTED)]
RIGHT = [wrong - 0.05 for wrong in WRONG]


@dataclass
class Review:
    """A project of which a job doubts the first labels, in groups of four of one class."""

    http: TestClient
    world: World
    project: Project
    job: Job
    caller: Caller

    def call(self, verb: str, body: Any = None, caller: Caller | None = None) -> dict[str, Any]:
        url = f"/api/projects/{self.project.id}/reviews/{self.job.id}{verb}"
        return call(self.http, self.world, url, body, caller or self.caller)

    def lease(self, n: int = 16, caller: Caller | None = None, **more: Any) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.call("/lease", {"n": n, **more}, caller)["items"]
        return items

    def decide(self, items: list[dict[str, Any]], what: Callable[[dict[str, Any]], str]) -> None:
        sent = [
            {"key": str(uuid.uuid4()), "suggestion_id": one["id"], "decision": what(one)}
            for one in items
        ]
        results = self.call("/decisions", {"decisions": sent})["results"]
        assert [one["status"] for one in results] == ["accepted"] * len(items)

    def audit(self, n: int) -> dict[str, Any]:
        return self.call("/audit", {"n": n}, self.world.caller(Role.ENGINEER, self.project))

    def rows(self, *, audit: bool) -> list[Suggestion]:
        statement = select(Suggestion).where(Suggestion.inclusion.is_not(None).is_(audit))
        return list(self.world.session.scalars(statement.order_by(Suggestion.rank)))

    def url(self, verb: str) -> str:
        return f"/api/projects/{self.project.id}/reviews/{self.job.id}/{verb}"


@pytest.fixture
def review(http: TestClient, world: World) -> Review:
    project = world.project(images=LABELED)
    cat, dog = (one.id for one in world.classes(project))
    job = new_job(JobKind.RELABEL, project_id=project.id, params={})
    job.result = {"share": 0.5, "class_ids": [cat, dog], "transitions": [[30, 10], [5, 35]]}
    world.session.add(job)
    world.session.flush()
    examples = world.session.scalars(select(Example).order_by(Example.pool_index)).all()
    for rank, example in enumerate(examples):
        given, other = (cat, dog) if rank % 2 == 0 else (dog, cat)
        world.session.add(labeled(example, given))
        if rank < SUGGESTED:
            world.session.add(
                Suggestion(
                    project_id=project.id,
                    job_id=job.id,
                    example_id=example.id,
                    rank=rank,
                    given_label=stored_class(given),
                    suggested_label=stored_class(other),
                    confidence=RIGHT[rank],
                    quality=0.2,
                    wrong=WRONG[rank],
                    alike=2 * (rank // 8) + rank % 2,
                )
            )
    path = world.storage.artifact(f"projects/{project.id}/jobs/{job.id}/relabels.parquet")
    path.parent.mkdir(parents=True)
    given_ids = [class_of(label_of(one.label)) for one in examples]
    table = {
        "example_id": [one.id for one in examples],
        "class_id": given_ids,
        "wrong_probability": [*WRONG, *[0.04] * (LABELED - SUGGESTED)],
        "quality": [0.7] * LABELED,
        "other_class_id": [dog if one == cat else cat for one in given_ids],
        "other_probability": [*RIGHT, *[0.03] * (LABELED - SUGGESTED)],
    }
    pq.write_table(pa.table(table), path)
    world.session.add(
        Artifact(
            project_id=project.id,
            job_id=job.id,
            kind=ArtifactKind.RELABELS,
            storage_key=str(path.relative_to(world.storage.root)),
            sha256=sha256(path),
            bytes=path.stat().st_size,
        )
    )
    world.session.commit()
    return Review(http, world, project, job, world.caller(Role.ANNOTATOR, project))


def keep_cats(review: Review) -> Callable[[dict[str, Any]], str]:
    """Cats are cats, and dogs are none."""
    cat = review.world.classes(review.project)[0].id
    return lambda item: "keep" if item["given_class_id"] == cat else "accept"


def test_before_any_decision_it_says_what_the_job_said(review: Review) -> None:
    found = review.call("/estimate")
    assert (found["decided"], found["precision"], found["audit"]) == (0, None, None)
    assert (found["share"], found["advice"]) == (0.5, "too_few")
    left = found["remaining"]
    assert left["open"] == SUGGESTED
    assert left["expected_wrong"] == pytest.approx(sum(WRONG))
    assert left["expected_right"] == pytest.approx(sum(RIGHT))
    assert left["worth"] == sum(wrong >= 0.5 for wrong in WRONG)
    assert left["next_wrong"] == pytest.approx(sum(WRONG[:20]) / 20)


def test_decisions_teach_at_once_and_the_numbers_are_those_of_the_formula(review: Review) -> None:
    rule = keep_cats(review)
    review.decide(review.lease(19), rule)
    assert review.call("/estimate")["precision"] is None
    review.decide(review.lease(5), rule)
    found = review.call("/estimate")
    decided = [row for row in review.rows(audit=False) if row.decision is not None]
    left = [row for row in review.rows(audit=False) if row.decision is None]
    wrong = sum(row.decision != "keep" for row in decided)
    assert (found["decided"], found["wrong"], found["right"]) == (24, wrong, wrong)
    assert found["precision"] == found["class_precision"] == vars(wilson(wrong, 24))
    for said, decisions, total in (
        ("wrong", ("accept", "other", "ood"), "expected_wrong"),
        ("confidence", ("accept",), "expected_right"),
    ):
        learned = recalibrate(
            [getattr(row, said) for row in decided],
            [row.given_class_id or 0 for row in decided],
            [row.decision in decisions for row in decided],
        )
        now = learned.apply(
            [getattr(row, said) for row in left], [row.given_class_id or 0 for row in left]
        )
        assert found["remaining"][total] == pytest.approx(now.sum())


def test_what_is_worth_more_by_now_comes_first_and_nothing_held_jumps(review: Review) -> None:
    rule = keep_cats(review)
    held = review.lease(24)
    assert [one["rank"] for one in held] == list(range(24))
    review.decide(held[:20], rule)
    items = review.lease(24)
    assert [one["id"] for one in items[:4]] == [one["id"] for one in held[20:]]
    cat = review.world.classes(review.project)[0].id
    kinds = [one["given_class_id"] == cat for one in items[4:]]
    # Of 28 that are left 14 are cats: those come when the dogs are out.
    assert kinds == [False] * 12 + [True] * 8
    # Whoever loads the page again, or asks for fewer, finds them where they were.
    for n in (24, 4, 24):
        assert [one["id"] for one in review.lease(n)] == [one["id"] for one in items[:n]]
    shown = {one["id"]: one["confidence"] for one in items}
    said = {row.id: row.confidence for row in review.rows(audit=False)}
    # Cats are believed less by now.
    assert all(shown[one["id"]] < said[one["id"]] for one in items[16:])


def test_it_says_when_to_stop(review: Review) -> None:
    review.decide(review.lease(20), lambda _: "accept")
    assert review.call("/estimate")["advice"] == "go_on"
    review.decide(review.lease(20), lambda _: "keep")
    found = review.call("/estimate")
    assert found["advice"] == "stop"
    assert found["remaining"]["next_wrong"] < 0.5
    review.decide(review.lease(8), lambda _: "unsure")
    found = review.call("/estimate")
    # Who is unsure says nothing of the job.
    assert (found["advice"], found["decided"], found["remaining"]["open"]) == ("done", 40, 0)


def test_what_is_taken_back_is_unlearned(review: Review) -> None:
    before = review.call("/estimate")
    review.decide(review.lease(24), keep_cats(review))
    review.call("/revert", {}, review.world.caller(Role.ENGINEER, review.project))
    assert review.call("/estimate") == before


def test_a_group_is_handed_out_as_a_whole_and_not_again(review: Review) -> None:
    groups: list[list[int]] = []
    passed: list[int] = []
    while items := review.lease(alike=True, passed=passed):
        assert len({(one["given_class_id"], one["suggested_class_id"]) for one in items}) == 1
        (group,) = {one["alike"] for one in items}
        passed.append(group)
        groups.append([one["id"] for one in items])
    assert sorted(map(len, groups)) == [4] * 12
    other = review.world.caller(Role.ANNOTATOR, review.project)
    # They are on one reviewer's screen, and not on another's.
    assert review.lease(caller=other, alike=True) == []


def test_a_group_of_which_one_is_left_is_none(review: Review) -> None:
    first = review.lease(alike=True)
    review.decide(first[:3], lambda _: "accept")
    assert {one["alike"] for one in review.lease(alike=True)} != {first[0]["alike"]}
    disagreements = f"/api/projects/{review.project.id}/reviews/disagreements/lease"
    found = call(review.http, review.world, disagreements, {"alike": True}, review.caller)
    assert found["items"] == []


def test_an_audit_is_drawn_of_what_is_not_suggested_and_says_what_error_is_left(
    review: Review,
) -> None:
    found = review.audit(20)["audit"]
    undoubted = LABELED - SUGGESTED
    assert (found["size"], found["open"], found["labels"]) == (20, 20, undoubted)
    assert found["inclusion"] == pytest.approx(20 / undoubted)
    assert found["error_left"] is None
    rows = review.rows(audit=True)
    suggested = {row.example_id for row in review.rows(audit=False)}
    assert len({row.example_id for row in rows} - suggested) == 20
    for row in rows:
        assert row.given_class_id != row.suggested_class_id
        said = (row.wrong, row.confidence, row.quality)
        assert said == pytest.approx((0.04, 0.03, 0.7))

    audited = {row.id for row in rows}
    items = review.lease(16)
    assert sum(one["id"] in audited for one in items) == 4
    # Nothing but its numbers, and that it has no group, tells which is which: not its place either.
    kinds = [{name: type(value) for name, value in one.items() if name != "alike"} for one in items]
    assert all(one == kinds[0] for one in kinds)
    assert [one["id"] for one in review.lease(16)] == [one["id"] for one in items]
    review.decide(items, lambda one: "keep" if one["id"] in audited else "accept")
    (first,) = [one for one in review.lease(4) if one["id"] in audited]
    review.decide([first], lambda _: "ood")
    found = review.call("/estimate")
    assert (found["decided"], found["audit"]["decided"], found["audit"]["wrong"]) == (12, 5, 1)
    assert found["audit"]["error_left"] == vars(clopper_pearson(1, 5))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16])
def test_every_fourth_image_is_of_the_audit_however_many_are_handed_out_at_once(
    review: Review, n: int
) -> None:
    review.audit(20)
    audited = {row.id for row in review.rows(audit=True)}
    seen: list[bool] = []
    while len(seen) < 16:
        items = review.lease(n)
        seen += [one["id"] in audited for one in items]
        review.decide(items, lambda _: "keep")
        assert sum(seen) == len(seen) // 4


def test_what_is_learned_is_sent_in_one_statement_for_any_number_of_classes() -> None:
    statements = set()
    for count in (1, 2, 300):
        correction = Recalibration(0.1, 0.9, dict.fromkeys(range(count), 0.3))
        learned = Learned(correction, correction, decided=count)
        statements.add(str(select(learned.worth())))
    assert len(statements) == 1


def test_an_audit_can_be_made_larger_up_to_every_label(review: Review) -> None:
    review.audit(10)
    assert review.audit(5)["audit"]["size"] == 10
    found = review.audit(1000)["audit"]
    assert (found["size"], found["inclusion"]) == (LABELED - SUGGESTED, 1.0)
    assert {row.inclusion for row in review.rows(audit=True)} == {1.0}
    assert len({row.example_id for row in review.rows(audit=True)}) == LABELED - SUGGESTED
    # Suggestions out, the rest is the audit.
    review.decide(review.lease(256), lambda _: "keep")
    assert review.call("/estimate")["audit"]["decided"] == LABELED - SUGGESTED


def waiting(connection: psycopg.Connection) -> int:
    """How many in its database wait for a lock."""
    # What a transaction has seen of the others stays, but for this.
    connection.execute("SELECT pg_stat_clear_snapshot()")
    found = connection.execute(
        "SELECT pid FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return len(found.fetchall())


def test_an_audit_locks_its_images_in_the_order_in_which_decisions_do(
    review: Review, installation: Settings
) -> None:
    """Otherwise each could hold what the other waits for."""
    review.audit(10)
    first, *others = sorted(row.id for row in review.rows(audit=True))
    engineer = review.world.caller(Role.ENGINEER, review.project)
    audit = partial(review.http.post, review.url("audit"), headers=engineer.headers)
    found: list[Any] = []
    drawing = threading.Thread(target=lambda: found.append(audit(json={"n": 20})))
    with psycopg.connect(installation.libpq_url) as deciding:
        # Written anew it lies behind the others, where a scan comes upon it last.
        deciding.execute("UPDATE suggestions SET rank = rank WHERE id = %s", [first])
        deciding.commit()
        deciding.execute("SELECT FROM suggestions WHERE id = %s FOR UPDATE", [first])
        drawing.start()
        eventually(lambda: waiting(deciding) == 1, "the audit waits")
        free = "SELECT id FROM suggestions WHERE id = ANY(%s) ORDER BY id FOR UPDATE SKIP LOCKED"
        assert [id_ for (id_,) in deciding.execute(free, [others])] == others
    drawing.join(30)
    assert found[0].json()["audit"]["size"] == 20


def test_who_draws_at_the_same_time_draws_one_audit(review: Review, installation: Settings) -> None:
    engineer = review.world.caller(Role.ENGINEER, review.project)
    audit = partial(review.http.post, review.url("audit"), headers=engineer.headers)
    found: list[Any] = []
    drawing = [
        threading.Thread(target=lambda: found.append(audit(json={"n": 20}))) for _ in range(2)
    ]
    with psycopg.connect(installation.libpq_url) as other:
        other.execute("SELECT FROM projects WHERE id = %s FOR UPDATE", [review.project.id])
        for one in drawing:
            one.start()
        eventually(lambda: waiting(other) == 2, "both wait")
    for one in drawing:
        one.join(30)
    assert [one.json()["audit"]["size"] for one in found] == [20, 20]
    rows = review.rows(audit=True)
    assert [row.rank for row in rows] == list(range(20))


def test_files_of_earlier_versions_are_audited_by_what_is_confused_most(review: Review) -> None:
    file = review.world.session.scalars(select(Artifact)).one()
    path = review.world.storage.artifact(file.storage_key)
    missing = ["wrong_probability", "other_class_id", "other_probability"]
    table = pq.read_table(path).drop_columns(missing)
    pq.write_table(table, path)
    review.audit(20)
    cat, dog = (one.id for one in review.world.classes(review.project))
    for row in review.rows(audit=True):
        expected = (dog, 10 / 40) if row.given_class_id == cat else (cat, 5 / 40)
        assert (row.suggested_class_id, row.confidence) == expected


def refusals(review: Review) -> Iterator[tuple[str, Caller, dict[str, int], int, str]]:
    engineer = review.world.caller(Role.ENGINEER, review.project)
    missing = f"/api/projects/{review.project.id}/reviews/{review.job.id + 1}/audit"
    disputed = f"/api/projects/{review.project.id}/reviews/disagreements/audit"
    yield review.url("audit"), review.caller, {"n": 5}, 403, "reviewer_required"
    yield review.url("audit"), engineer, {"n": 0}, 422, "malformed"
    yield missing, engineer, {"n": 5}, 404, "not_found"
    yield disputed, engineer, {"n": 5}, 404, "not_found"


def test_who_may_not_or_asks_for_nothing_is_refused(review: Review) -> None:
    for url, caller, body, status, code in refusals(review):
        response = review.http.post(url, json=body, headers=caller.headers)
        assert (response.status_code, response.json()["code"]) == (status, code), url


def test_where_everything_is_suggested_there_is_nothing_to_audit(review: Review) -> None:
    for example in review.world.session.scalars(select(Example)):
        if example.pool_index >= SUGGESTED:
            example.state, example.label = ExampleState.UNLABELED, None
    review.world.session.commit()
    engineer = review.world.caller(Role.ENGINEER, review.project)
    response = review.http.post(review.url("audit"), json={"n": 5}, headers=engineer.headers)
    assert (response.status_code, response.json()["code"]) == (409, "nothing_to_audit")
