"""Certifying what a model labels: from the start of the job to labels, and back."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, func, select

from core.messages import RunJob
from core.rounds import close
from core.states import (
    CertificateState,
    ExampleState,
    JobState,
    ProjectState,
    RoundState,
    Source,
    Verdict,
)
from core.tables import Annotation, Certificate, Example, Job, ProjectClass, Query, Round
from core.tasks.classification import stored_class
from tests.workers.loop import Loop, run
from tests.world import World
from workers.advance import handler as advance
from workers.certify import handler
from workers.certify.observing import go_on_with_all
from workers.context import sessions
from workers.runner import run_job

KINDS = 3
PROMISE = {"target": 0.1, "confidence": 0.9}


class Pool(Loop):
    """Dark images and middling ones are classes, light ones are none; people always know."""

    def __init__(self, world: World, images: int = 240, **settings: Any) -> None:
        super().__init__(
            world,
            images=images,
            evaluation=0,
            classes=("dark", "middling", "light"),
            model={"name": "cnn_tiny", "params": {"steps": 120, "augment": False}},
            strategy={"name": "random"},
            **{"max_rounds": 1, **settings},
        )
        light = self.classes.pop()
        self.session.execute(delete(ProjectClass).where(ProjectClass.id == light.id))
        self.session.commit()
        self.admin = world.caller()

    def truth(self, example: Example) -> tuple[Verdict, int | None]:
        kind = example.pool_index % KINDS
        if kind == KINDS - 1:
            return Verdict.OOD, None
        return Verdict.LABEL, self.classes[kind].id

    def say(self, round_: Round, n: int | None = None, wrong: int = 0) -> int:
        """People answer a round's queue, ``wrong`` of them not as it is; returns how many."""
        statement = (
            select(Query, Example)
            .join(Example, Example.id == Query.example_id)
            .where(Query.round_id == round_.id, ~Query.done)
            .order_by(Query.rank)
            .limit(n)
        )
        found = self.session.execute(statement).all()
        for number, (query, example) in enumerate(found):
            verdict, class_id = self.truth(example)
            if number < wrong:
                verdict, class_id = (
                    (Verdict.LABEL, self.classes[0].id) if class_id is None else (Verdict.OOD, None)
                )
            self._store(round_, query, example, verdict, class_id)
        self.session.commit()
        return len(found)

    def learn(self) -> None:
        """The first round, after which the project is finished."""
        self.say(self.rounds()[0])
        assert self.finish(0).state is JobState.SUCCEEDED

    def call(self, http: TestClient, method: str, path: str = "", **how: Any) -> Any:
        url = f"/api/projects/{self.project.id}/certificates{path}"
        return http.request(method, url, headers=self.admin.headers, **how)

    def certify(self, http: TestClient, **promise: Any) -> dict[str, Any]:
        """Begin a certificate, and let its job run."""
        begun = self.call(http, "post", json=PROMISE | promise)
        assert begun.status_code == 202, begun.text
        job = self.session.get_one(Job, begun.json()["job_id"])
        message = RunJob.of(job)
        self.session.rollback()
        run_job(message, handler)
        self.session.expire_all()
        assert job.state is JobState.SUCCEEDED, job.error
        return self.shown(http, begun.json()["id"])

    def shown(self, http: TestClient, certificate_id: int) -> dict[str, Any]:
        self.session.rollback()
        found: dict[str, Any] = self.call(http, "get", f"/{certificate_id}").json()
        return found

    def sweep(self) -> None:
        self.session.rollback()
        go_on_with_all(sessions(), self.world.storage)
        self.session.expire_all()

    def answer_all(self, http: TestClient, certificate_id: int, wrong: int = 0) -> dict[str, Any]:
        """People answer whatever a certificate asks, until it is decided."""
        for _ in range(20):
            round_ = self.rounds()[-1]
            if round_.state is RoundState.OPEN:
                said = self.say(round_, wrong=wrong)
                assert said > 0
                wrong = 0
                run(self.session, self.close(round_.number))
            found = self.shown(http, certificate_id)
            if found["state"] != "asking":
                return found
        raise AssertionError("it never ends")

    def labels(self) -> dict[int, tuple[ExampleState, int | None]]:
        """What every image counts as, by pool index."""
        self.session.expire_all()
        statement = select(Example).where(Example.project_id == self.project.id)
        return {
            one.pool_index: (one.state, one.label_class_id)
            for one in self.session.scalars(statement)
        }

    def by_model(self) -> list[Annotation]:
        self.session.expire_all()
        statement = select(Annotation).where(
            Annotation.project_id == self.project.id, Annotation.source == Source.MODEL
        )
        return list(self.session.scalars(statement.order_by(Annotation.id)))


def test_people_look_at_a_few_and_the_model_labels_the_rest_until_it_is_taken_back(
    http: TestClient, world: World
) -> None:
    pool = Pool(world)
    pool.learn()
    before = pool.labels()
    begun = pool.certify(http)
    print(begun)
    assert begun["state"] == "asking"
    assert pool.project.state is ProjectState.RUNNING
    found = pool.answer_all(http, begun["id"])
    print(found)
    assert found["state"] == "ready", found
