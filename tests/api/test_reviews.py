"""Reviewing suggestions: decisions are annotations, and each can be taken back."""

import json
import threading
import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.lifecycle import new_job
from core.states import (
    ExampleState,
    JobKind,
    ProjectState,
    Role,
    RoundState,
    Source,
    Verdict,
)
from core.tables import Annotation, Example, Job, Project, Query, Round, Suggestion
from core.tasks.classification import stored_class
from core.verdicts.consensus import lock_examples
from tests.api.reviewing import call, labeled
from tests.api.test_labeling import lease, send, verdict
from tests.world import Caller, World
from workers.labels.snapshot import take


@dataclass
class Review:
    """A project whose five images a file calls cats, of which a job doubts the first three."""

    http: TestClient
    world: World
    project: Project
    job: Job
    caller: Caller

    @property
    def classes(self) -> tuple[int, int]:
        cat, dog = (item.id for item in self.world.classes(self.project))
        return cat, dog

    def call(self, verb: str, body: Any = None, caller: Caller | None = None) -> dict[str, Any]:
        url = f"/api/projects/{self.project.id}/reviews/{self.job.id}{verb}"
        return call(self.http, self.world, url, body, caller or self.caller)

    def lease(self, n: int = 3, caller: Caller | None = None) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.call("/lease", {"n": n}, caller)["items"]
        return items

    def decide(
        self, *decisions: tuple[int, str | None], caller: Caller | None = None, **more: Any
    ) -> dict[str, Any]:
        sent = [
            {"key": str(uuid.uuid4()), "suggestion_id": id_, "decision": decision, **more}
            for id_, decision in decisions
        ]
        return self.call("/decisions", {"decisions": sent}, caller)

    def examples(self) -> list[Example]:
        statement = select(Example).where(Example.project_id == self.project.id)
        return list(self.world.session.scalars(statement.order_by(Example.pool_index)))

    def labels(self) -> list[int]:
        known = take(self.world.session, self.project.id, None)
        labels: list[int] = known.labels.outputs(-1).tolist()
        return labels


@pytest.fixture
def review(http: TestClient, world: World) -> Review:
    project = world.project(images=5)
    job = new_job(JobKind.RELABEL, project_id=project.id, params={})
    world.session.add(job)
    world.session.flush()
    cat, dog = (item.id for item in world.classes(project))
    examples = world.session.scalars(select(Example).order_by(Example.pool_index)).all()
    for rank, example in enumerate(examples):
        world.session.add(labeled(example, cat))
        if rank < 3:
            world.session.add(
                Suggestion(
                    project_id=project.id,
                    job_id=job.id,
                    example_id=example.id,
                    rank=rank,
                    given_label=stored_class(cat),
                    suggested_label=stored_class(dog),
                    confidence=0.9 - rank / 10,
                    quality=0.2,
                )
            )
    world.session.commit()
    return Review(http, world, project, job, world.caller(Role.ANNOTATOR, project))


def test_suggestions_come_the_surest_first_with_what_there_is_to_know(review: Review) -> None:
    cat, dog = review.classes
    items = review.lease(2)
    assert [item["rank"] for item in items] == [0, 1]
    assert items[0]["given_class_id"] == cat
    assert items[0]["suggested_class_id"] == dog
    assert (items[0]["confidence"], items[0]["quality"]) == (0.9, 0.2)
    image = review.http.get(items[0]["image_url"], headers=review.caller.headers)
    assert image.status_code == 200


def test_two_reviewers_see_different_suggestions_and_each_keeps_its_own(review: Review) -> None:
    other = review.world.caller(Role.ANNOTATOR, review.project)
    mine = [item["id"] for item in review.lease(2)]
    assert [item["id"] for item in review.lease(2)] == mine
    theirs = [item["id"] for item in review.lease(3, other)]
    assert len(theirs) == 1
    assert not set(mine) & set(theirs)


def test_each_decision_has_its_effect_on_the_label(review: Review) -> None:
    first, second, third = (item["id"] for item in review.lease())
    found = review.decide((first, "accept"), (second, "ood"), (third, "keep"))
    assert [result["status"] for result in found["results"]] == ["accepted"] * 3
    assert found["review"]["open"] == 0
    assert found["review"]["decided"] == {"accept": 1, "ood": 1, "keep": 1, "other": 0, "unsure": 0}
    assert review.labels() == [1, -1, 0, 0, 0]
    cat, dog = review.classes
    assert [(item.state.value, item.label_class_id) for item in review.examples()] == [
        ("labeled", dog),
        ("ood", None),
        *[("labeled", cat)] * 3,
    ]


def test_who_is_unsure_takes_the_label_out_of_training(review: Review) -> None:
    first, *_ = review.lease()
    review.decide((first["id"], "unsure"))
    assert review.examples()[0].state is ExampleState.UNSURE
    assert len(review.labels()) == 4


def test_provenance_of_a_decision(review: Review) -> None:
    first, *_ = review.lease()
    review.decide((first["id"], "accept"), seconds=2.5)
    row = review.world.session.scalars(select(Annotation).order_by(Annotation.id.desc())).first()
    assert row is not None
    assert (row.source, row.job_id) == (Source.REVIEW, review.job.id)
    assert (row.annotator_id, row.seconds, row.cost) == (review.caller.user.id, 2.5, 0)


def test_a_decision_can_be_changed_and_taken_back(review: Review) -> None:
    first, *_ = review.lease()
    review.decide((first["id"], "accept"))
    review.decide((first["id"], "ood"))
    assert review.labels()[0] == -1
    found = review.decide((first["id"], None))
    assert found["review"]["open"] == 3
    assert review.labels() == [0] * 5
    # All of it stays on record.
    rows = review.world.session.scalars(select(Annotation).where(Annotation.job_id.is_not(None)))
    assert [row.verdict.value for row in rows.all()] == ["label", "ood", "skip"]


def test_a_whole_sequence_in_one_request(review: Review) -> None:
    first, *_ = review.lease()
    id_ = first["id"]
    found = review.decide((id_, "accept"), (id_, None), (id_, "keep"), (id_, "ood"), (id_, None))
    assert [result["status"] for result in found["results"]] == ["accepted"] * 5
    assert found["review"]["open"] == 3
    assert review.labels() == [0] * 5


def test_a_retry_changes_nothing(review: Review) -> None:
    first, *_ = review.lease()
    sent = {"key": str(uuid.uuid4()), "suggestion_id": first["id"], "decision": "accept"}
    once = review.call("/decisions", {"decisions": [sent]})["results"][0]
    again = review.call("/decisions", {"decisions": [sent]})["results"][0]
    assert (once["status"], again["status"]) == ("accepted", "duplicate")
    assert once["annotation_id"] == again["annotation_id"]


def test_who_decides_second_is_kept_and_changes_nothing(review: Review) -> None:
    other = review.world.caller(Role.ANNOTATOR, review.project)
    first, *_ = review.lease()
    review.decide((first["id"], "accept"))
    sent = {"key": str(uuid.uuid4()), "suggestion_id": first["id"], "decision": "ood"}
    late = review.call("/decisions", {"decisions": [sent]}, other)["results"][0]
    assert late["status"] == "late"
    assert review.call("/decisions", {"decisions": [sent]}, other)["results"] == [late]
    kept = review.world.session.get_one(Annotation, late["annotation_id"])
    assert (kept.verdict, kept.counted) == (Verdict.OOD, False)
    assert review.labels()[0] == 1
    back = review.decide((first["id"], None), caller=other)["results"][0]
    assert (back["status"], back["code"]) == ("rejected", "not_decided")


def test_what_does_not_exist_is_rejected_and_the_rest_goes_on(review: Review) -> None:
    first, *_ = review.lease()
    results = review.decide((10**9, "keep"), (first["id"], "keep"))["results"]
    assert [result["status"] for result in results] == ["rejected", "accepted"]
    assert results[0]["code"] == "unknown_suggestion"


def test_recent_decisions_can_be_reopened_after_a_reload(review: Review) -> None:
    first, second, _ = review.lease()
    review.decide((first["id"], "accept"), (second["id"], "keep"))
    items = review.call("/recent")["items"]
    assert [(item["id"], item["decision"]) for item in items] == [
        (second["id"], "keep"),
        (first["id"], "accept"),
    ]


def test_a_review_is_reverted_as_a_whole_by_engineers_alone(review: Review) -> None:
    first, second, _ = review.lease()
    review.decide((first["id"], "accept"), (second["id"], "ood"))
    url = f"/api/projects/{review.project.id}/reviews/{review.job.id}/revert"
    assert review.http.post(url, headers=review.caller.headers).status_code == 403
    engineer = review.world.caller(Role.ENGINEER, review.project)
    found = review.call("/revert", {}, engineer)
    assert found["reverted"] == 2
    assert found["review"]["open"] == 3
    assert review.labels() == [0] * 5


def test_strangers_see_no_review(review: Review) -> None:
    stranger = review.world.caller(Role.ENGINEER)
    base = f"/api/projects/{review.project.id}/reviews"
    for url in (base, f"{base}/{review.job.id}", f"{base}/{review.job.id}/recent"):
        assert review.http.get(url, headers=stranger.headers).status_code == 404


def test_a_project_lists_its_reviews(review: Review) -> None:
    url = f"/api/projects/{review.project.id}/reviews"
    (found,) = review.http.get(url, headers=review.caller.headers).json()["items"]
    assert (found["job_id"], found["total"], found["open"]) == (review.job.id, 3, 3)
    missing = review.http.get(f"{url}/999999", headers=review.caller.headers)
    assert missing.status_code == 404


def test_a_label_that_was_corrected_meanwhile_is_shown_and_kept(review: Review) -> None:
    _, dog = review.classes
    session = review.world.session
    before = session.scalars(select(Annotation).order_by(Annotation.id)).first()
    assert before is not None
    session.add(
        Annotation(
            project_id=review.project.id,
            example_id=before.example_id,
            source=Source.IMPORT,
            source_name="label",
            client_key=uuid.uuid4(),
            verdict=Verdict.LABEL,
            label=stored_class(dog),
            seconds=0,
            cost=0,
            counted=True,
            supersedes_id=before.id,
        )
    )
    review.examples()[0].label = stored_class(dog)
    session.commit()
    first, *_ = review.lease()
    assert first["given_class_id"] == dog
    review.decide((first["id"], "keep"))
    assert review.labels()[0] == 1


@pytest.fixture
def asked(review: Review) -> Round:
    """An open round that asks about the first two images."""
    session = review.world.session
    review.project.state = ProjectState.RUNNING
    round_ = review.world.open_round(review.project, 0)
    for rank, example in enumerate(review.examples()[:2]):
        session.add(
            Query(
                project_id=review.project.id, round_id=round_.id, example_id=example.id, rank=rank
            )
        )
    session.commit()
    return round_


def done(review: Review) -> list[bool]:
    return list(review.world.session.scalars(select(Query.done).order_by(Query.rank)))


@pytest.mark.usefixtures("asked")
def test_what_is_reviewed_is_asked_of_nobody_but_for_the_last_of_a_round(review: Review) -> None:
    first, second, _ = review.lease()
    review.decide((first["id"], "accept"))
    assert done(review) == [True, False]
    review.decide((second["id"], "accept"))
    assert done(review) == [True, False]


@pytest.mark.parametrize("all_at_once", [False, True])
def test_what_was_asked_before_a_review_is_asked_again_once_it_is_taken_back(
    review: Review, asked: Round, all_at_once: bool
) -> None:
    first, *_ = review.lease()
    review.decide((first["id"], "accept"))
    review.decide((first["id"], "ood"))
    assert done(review) == [True, False]
    if all_at_once:
        review.call("/revert", {}, review.world.caller(Role.ENGINEER, review.project))
    else:
        review.decide((first["id"], None))
    assert done(review) == [False, False]
    # It is asked, and the round does not end before it is answered.
    for left in (1, 0):
        cat = review.classes[0]
        (item,) = lease(review.http, review.caller, review.project, 1)["items"]
        answer = verdict(item["query_id"], "label", class_id=cat)
        send(review.http, review.caller, review.project, answer)
        review.world.session.refresh(asked)
        assert (asked.state is RoundState.OPEN) == bool(left)


@pytest.mark.usefixtures("asked")
def test_what_was_answered_late_is_not_asked_again(review: Review) -> None:
    (item,) = lease(review.http, review.caller, review.project, 1)["items"]
    first, *_ = review.lease()
    review.decide((first["id"], "accept"))
    late = verdict(item["query_id"], "label", class_id=review.classes[0])
    send(review.http, review.caller, review.project, late)
    review.decide((first["id"], None))
    assert done(review) == [True, False]


def test_a_round_that_has_ended_asks_nobody_again(review: Review, asked: Round) -> None:
    first, *_ = review.lease()
    review.decide((first["id"], "accept"))
    asked.state = RoundState.CLOSED
    review.world.session.commit()
    review.decide((first["id"], None))
    assert done(review) == [True, False]


def test_a_class_that_is_suggested_cannot_vanish(review: Review) -> None:
    engineer = review.world.caller(Role.ENGINEER, review.project)
    cat = review.world.classes(review.project)[0]
    response = review.http.patch(
        f"/api/projects/{review.project.id}",
        json={"classes": [{"id": cat.id, "name": "cat"}, {"name": "horse"}]},
        headers=engineer.headers,
    )
    assert (response.status_code, response.json()["code"]) == (409, "class_in_use")


def test_an_import_waits_for_a_review_of_the_same_image(review: Review) -> None:
    """Otherwise each would read the votes without the other's, and the later write would hold."""
    first, *_ = review.lease()
    session = review.world.session
    session.execute(lock_examples(Example.id == first["example_id"]))
    done: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: done.append(review.decide((first["id"], "accept"))))
    thread.start()
    thread.join(1.0)
    assert thread.is_alive()
    session.commit()
    thread.join(30)
    assert done[0]["results"][0]["status"] == "accepted"


def effective(review: Review) -> dict[int, str]:
    engineer = review.world.caller(Role.ENGINEER, review.project)
    response = review.http.get(
        f"/api/projects/{review.project.id}/export?format=jsonl", headers=engineer.headers
    )
    rows = [json.loads(line) for line in response.text.splitlines()]
    found = [row for row in rows if row["effective"]]
    assert len({row["example_id"] for row in found}) == len(found)
    return {row["pool_index"]: row["class"] or row["verdict"] for row in found}


def test_the_export_marks_what_holds_through_a_review_and_its_end(review: Review) -> None:
    first, second, third = review.lease()
    assert effective(review) == dict.fromkeys(range(5), "cat")
    review.decide((first["id"], "accept"), (second["id"], "ood"), (third["id"], "keep"))
    assert effective(review) == {0: "dog", 1: "ood", 2: "cat", 3: "cat", 4: "cat"}
    review.call("/revert", {}, review.world.caller(Role.ENGINEER, review.project))
    assert effective(review) == dict.fromkeys(range(5), "cat")
