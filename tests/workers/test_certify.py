"""Certifying what a model labels: from the start of the job to labels, and back."""

import csv
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, func, select

from core.artifacts.certificates import NO_CLASS, Members, members_file
from core.database.engines import sync_engine
from core.jobs import queue
from core.jobs.messages import GoOnCertifying, RunJob
from core.process.version import build
from core.rounds import new_round, newest_model
from core.settings import Settings
from core.states import CertificateState, ExampleState, JobState, RoundState, Source, Verdict
from core.tables import Annotation, Certificate, Example, Job, ProjectClass, Query, Round
from core.tasks.classification import stored_class
from core.verdicts.consensus import EXAMPLE_STATE_AFTER
from tests.api.test_labeling import running
from tests.certificates import add_certificate
from tests.workers.loop import Loop, run
from tests.workers.starting import done_job
from tests.world import World
from workers.certificates.asking import cost_of_checks
from workers.certificates.observing import go_on_with_all
from workers.certify import handler
from workers.execution.runner import run_job
from workers.jobs.context import sessions
from workers.labels.draws import read_draws
from workers.labels.snapshot import take
from workers.verify.__main__ import verify

KINDS = 3
IMAGES = 330
PROMISE = {"target": 0.2, "confidence": 0.8}
NETWORK = {"name": "cnn_tiny", "params": {"steps": 60, "augment": False}}
PROBE = {"name": "probe", "params": {"least_ood": 2}}


class Pool(Loop):
    """Dark images and middling ones are classes, light ones are none; people always know."""

    def __init__(self, world: World, images: int = IMAGES, **settings: Any) -> None:
        super().__init__(
            world,
            images=images,
            evaluation=0,
            classes=("dark", "middling", "light"),
            strategy={"name": "random"},
            **{"purity": PROBE, "model": NETWORK, "max_rounds": 1, **settings},
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
        found = self.waiting(round_, n)
        for number, (query, example) in enumerate(found):
            verdict, class_id = self.truth(example)
            if number < wrong:
                verdict, class_id = (
                    (Verdict.LABEL, self.classes[0].id) if class_id is None else (Verdict.OOD, None)
                )
            self._store(round_, query, example, verdict, class_id)
        self.session.commit()
        return len(found)

    def learn(self, known: int = 60) -> None:
        """The first round, after which the project is finished; labels of many were imported."""
        statement = select(Example).where(
            Example.project_id == self.project.id, Example.state == ExampleState.UNLABELED
        )
        self.know(self.session.scalars(statement.order_by(Example.id).limit(known)).all())
        self.say(self.rounds()[0])
        assert self.finish(0).state is JobState.SUCCEEDED

    def know(self, examples: Iterable[Example]) -> None:
        """Labels of these are imported."""
        for example in examples:
            verdict, class_id = self.truth(example)
            self.session.add(
                Annotation(
                    project_id=self.project.id,
                    example_id=example.id,
                    source=Source.IMPORT,
                    source_name="known",
                    client_key=func.gen_random_uuid(),
                    verdict=verdict,
                    label=stored_class(class_id),
                    seconds=0.0,
                    cost=0.0,
                    counted=True,
                )
            )
            example.state, example.label = EXAMPLE_STATE_AFTER[verdict], stored_class(class_id)
        self.session.commit()

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

    def sweep(self, answered_in: int | None = None) -> None:
        self.session.rollback()
        go_on_with_all(sessions(), self.world.storage, answered_in=answered_in)
        self.session.expire_all()

    def answer_all(self, http: TestClient, certificate_id: int, wrong: int = 0) -> dict[str, Any]:
        """People answer whatever a certificate asks, until it is decided."""
        for _ in range(40):
            round_ = self.rounds()[-1]
            if round_.state is RoundState.OPEN:
                said = self.say(round_, wrong=wrong)
                assert said > 0
                wrong = 0
                self.sweep(self.project.id)
            if round_.state is RoundState.CLOSING:
                run(self.session, self.session.get_one(Job, round_.job_id))
            found = self.shown(http, certificate_id)
            if found["state"] != "asking":
                return found
        raise AssertionError("it never ends")

    def done(self, http: TestClient, what: str, certificate_id: int) -> dict[str, Any]:
        """Have it applied or revoked, and wait for the workers."""
        asked = self.call(http, "post", f"/{certificate_id}/{what}")
        assert asked.status_code == 202, asked.text
        self.sweep()
        return self.shown(http, certificate_id)

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
    http: TestClient, world: World, installation: Settings
) -> None:
    pool = Pool(world)
    pool.learn()
    begun = pool.certify(http)
    assert (begun["state"], begun["round"], begun["auto"]) == ("asking", 1, 0)
    assert begun["answered"] == 0 < begun["waiting"] == begun["asked"]
    assert str(pool.project.state) == "running"
    asked = pool.session.scalars(select(Query).where(Query.round_id == pool.rounds()[1].id)).all()
    assert all(query.audit and query.predicted_class_id is not None for query in asked)
    refused = pool.call(http, "post", f"/{begun['id']}/apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "certificate_asking")
    ready = pool.answer_all(http, begun["id"])
    assert ready["state"] == "ready", ready
    assert ready["asked"] > begun["asked"]
    assert [str(one.state) for one in pool.rounds()] == ["closed"] * 2, "asked in one round"
    # No model has learned from what was looked at, and none of it was labeled by the model.
    assert ready["is_current"]
    assert str(pool.project.state) == "finished"
    assert pool.by_model() == []
    before = pool.labels()
    unlabeled = {index for index, (state, _) in before.items() if state is ExampleState.UNLABELED}

    # No image is counted twice: what was checked has a label.
    assert ready["auto"] + ready["people"] + ready["answered"] <= ready["images"]

    applied = pool.done(http, "apply", begun["id"])
    now = pool.labels()
    given = pool.by_model()
    assert applied["auto"] == ready["auto"] == len(given) >= 60
    assert applied["lots"]["passed"] > 0
    examples = {one.id: one for one in pool.session.scalars(select(Example))}
    for one in given:
        example = examples[one.example_id]
        assert example.pool_index in unlabeled
        assert now[example.pool_index] == (
            ExampleState.OOD if one.verdict is Verdict.OOD else ExampleState.LABELED,
            one.class_id,
        )
        assert (one.seconds, one.cost, one.annotator_id) == (0, 0, None)
        assert one.probability is not None
    assert applied["bound"]["wrong"] <= 0.2 * applied["bound"]["of"] == 0.2 * len(given)
    assert {index: now[index] for index in now.keys() - unlabeled} == {
        index: before[index] for index in before.keys() - unlabeled
    }
    people_first(http, pool, given)
    exported(http, pool, given)
    report(http, pool, applied)

    verified(installation)
    revoked = pool.done(http, "revoke", begun["id"])
    verified(installation)
    assert (revoked["state"], revoked["auto"]) == ("revoked", 0)
    assert revoked["people"] >= ready["people"] + len(given)
    after = pool.labels()
    # But for the one that somebody has judged meanwhile.
    changed = {index for index in before if after[index] != before[index]}
    assert len(changed) == 1
    assert sum(one.verdict is Verdict.SKIP for one in pool.by_model()) == len(given)
    # What was handed over before is what it was.
    taken = in_snapshot(http, pool)
    assert sum(row["source"] == "model" for row in taken) == len(given) - 1
    assert all(float(row["bound"]) <= 0.2 for row in taken if row["source"] == "model")
    people = in_snapshot(http, pool, "&people_only=true")
    assert people == [row for row in taken if row["source"] != "model"]


def in_snapshot(http: TestClient, pool: Pool, more: str = "") -> list[dict[str, str]]:
    """What holds in the snapshot that was taken of the applied certificate."""
    url = f"/api/projects/{pool.project.id}/export?effective=true&snapshot=certified{more}"
    return [*csv.DictReader(http.get(url, headers=pool.admin.headers).text.splitlines())]


def verified(installation: Settings) -> None:
    """Nothing of it looks to ``karat verify`` as if it were lost or wrong."""
    engine = sync_engine(installation)
    try:
        found = list(verify(engine, installation, running=False))
    finally:
        engine.dispose()
    assert [(one.name, one.objects) for one in found if one.level == "problem"] == []


def people_first(http: TestClient, pool: Pool, given: list[Annotation]) -> None:
    """What a person says stands above what the model has said, and counts as a person's."""
    one = given[0]
    body = {"ids": [one.example_id], "verdict": "unsure"}
    url = f"/api/projects/{pool.project.id}/examples"
    said = http.post(f"{url}/verdict", json=body, headers=pool.admin.headers)
    assert said.json()["example_ids"] == [one.example_id], said.text
    detail = http.get(f"{url}/{one.example_id}", headers=pool.admin.headers).json()
    assert detail["state"] == "unsure"
    by_model = next(vote for vote in detail["annotations"] if vote["source"] == "model")
    assert by_model["lot"]["bound"] <= 0.2
    for source, count in (("model", len(given) - 1), ("people", IMAGES - len(pool_left(pool)))):
        found = http.get(f"{url}/count?source={source}", headers=pool.admin.headers).json()
        assert found["count"] == count, source


def pool_left(pool: Pool) -> list[int]:
    """Images that no person has judged."""
    said = select(Annotation.example_id).where(Annotation.source != Source.MODEL)
    statement = select(Example.id).where(
        Example.project_id == pool.project.id, Example.id.not_in(said)
    )
    return list(pool.session.scalars(statement))


def exported(http: TestClient, pool: Pool, given: list[Annotation]) -> None:
    """Exports say what the model has labeled, and can do without it."""
    url = f"/api/projects/{pool.project.id}/export?effective=true"
    rows = [*csv.DictReader(http.get(url, headers=pool.admin.headers).text.splitlines())]
    by_model = [row for row in rows if row["source"] == "model"]
    assert len(by_model) == len(given) - 1
    assert {row["annotator"] for row in by_model} == {"model"}
    assert all(float(row["bound"]) <= 0.2 and row["lot"] and row["probability"] for row in by_model)
    people = http.get(f"{url}&people_only=true", headers=pool.admin.headers).text.splitlines()
    assert len(people) - 1 == len(rows) - len(by_model)
    made = http.post(
        f"/api/projects/{pool.project.id}/snapshots",
        json={"name": "certified"},
        headers=pool.admin.headers,
    ).json()
    assert made["counts"]["by_model"] == len(by_model)
    url = f"/api/projects/{pool.project.id}/export?format=parquet"
    table = read_parquet(http.get(url, headers=pool.admin.headers).content)
    assert table["label_source"].to_pylist().count("model") == len(given) - 1
    people = read_parquet(http.get(f"{url}&people_only=true", headers=pool.admin.headers).content)
    assert set(people["label_source"].to_pylist()) == {"person"}


def read_parquet(content: bytes) -> pa.Table:
    return pq.read_table(pa.BufferReader(content))


def report(http: TestClient, pool: Pool, applied: dict[str, Any]) -> None:
    """Somebody who was not there can read what was looked at, and what was not."""
    found = pool.call(http, "get", f"/{applied['id']}/report").json()
    assert found["looked_at"]["images"] == IMAGES
    assert found["looked_at"]["drawn"] == applied["answered"]
    assert found["looked_at"]["people"] + found["not_looked_at"] == IMAGES
    assert found["digests"]["model"] == applied["model"]["digest"]
    assert found["versions"]["karat"] == build()
    assert {"draws_uniform", "people_right", "all_together"} <= set(found["assumptions"])
    assert "earlier_draws" not in found["assumptions"]
    assert [one["name"] for one in found["per_class"]] == ["dark", "middling", None]


def test_in_a_running_project_draws_come_first_and_outlive_their_round(
    http: TestClient, world: World
) -> None:
    pool = Pool(world, images=300, max_rounds=None, zero_wait=False)
    pool.learn()
    before = (pool.rounds()[1].budget, pool.rounds()[1].queries)
    begun = pool.certify(http, target=0.1)
    assert (begun["round"], begun["warnings"]) == (1, begun["warnings"])
    round_ = pool.rounds()[1]
    # They are no part of what the round may cost, and are asked before all else.
    assert (round_.budget - before[0], round_.queries - before[1]) == (begun["asked"],) * 2
    statement = select(Query).where(Query.round_id == round_.id, ~Query.done).order_by(Query.rank)
    first = pool.session.scalars(statement.limit(begun["asked"])).all()
    assert all(query.audit and query.requested for query in first)
    pool.say(round_, 3)
    # An answer makes it go on once nothing waits, and a sweep in any case.
    pool.sweep(pool.project.id)
    assert pool.shown(http, begun["id"])["answered"] == 0
    pool.sweep()
    shown = pool.shown(http, begun["id"])
    assert shown["answered"] == 3
    assert shown["expected_answers"] >= shown["waiting"] == begun["asked"] - 3
    job = pool.close(1)
    # Meanwhile somebody answers one of them, which the next round pays for as for the others.
    ((query, example),) = pool.waiting(pool.rounds()[1], 1)
    pool._store(pool.rounds()[2], query, example, *pool.truth(example))
    pool.session.commit()
    assert run(pool.session, job).state is JobState.SUCCEEDED
    shown = pool.shown(http, begun["id"])
    assert (shown["state"], shown["is_current"], shown["round"]) == ("asking", False, 2)
    assert shown["waiting"] == begun["asked"] - 3
    following = pool.rounds()[2]
    assert following.budget - following.settings["budget"] == begun["asked"] - 3
    # What was drawn and nobody has looked at yet was not checked.
    report = pool.call(http, "get", f"/{begun['id']}/report").json()
    assert report["looked_at"]["drawn"] == 3
    # Whoever answers faster than sweeps come finds the next ones in the next round all the same.
    pool.say(pool.rounds()[2], shown["waiting"] - 1)
    waiting = queue.waiting(GoOnCertifying.queue)
    assert pool.finish(2).state is JobState.SUCCEEDED
    # Another worker takes it, as this one may have other jobs to do.
    assert pool.shown(http, begun["id"])["answered"] == 3
    assert queue.waiting(GoOnCertifying.queue) == waiting + 1
    pool.sweep(pool.project.id)
    shown = pool.shown(http, begun["id"])
    assert (shown["state"], shown["round"], shown["answered"]) == ("asking", 3, begun["asked"])
    checks = [query for query in waiting_in(pool, 3) if query.requested]
    assert 0 < len(checks) == shown["waiting"]
    for _ in range(40):
        waiting = pool.shown(http, begun["id"])["waiting"]
        pool.say(pool.rounds()[3], waiting)
        pool.sweep(pool.project.id)
        if pool.shown(http, begun["id"])["state"] != "asking":
            break
    ready = pool.shown(http, begun["id"])
    assert ready["state"] == "ready", ready
    assert "a newer one may be better" in ready["warnings"][-1]
    # What was drawn taught nobody anything, and the round goes on.
    assert pool.rounds()[3].state is RoundState.OPEN
    assert pool.done(http, "apply", begun["id"])["auto"] > 0
    # Whoever sends one to the queue from now on asks for no check.
    url, headers = f"/api/projects/{pool.project.id}/examples/queue", pool.admin.headers
    assert http.post(url, json={"ids": [example.id]}, headers=headers).json()["again"] == 1
    assert cost_of_checks(pool.session, new_round(pool.project, 4)) == 0


def test_a_model_that_is_wrong_labels_nothing_and_says_why(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(world, images=200)
    pool.learn()
    begun, judged = retried(http, pool, monkeypatch, target=0.05)
    # Retried, it takes what there is to label by then.
    file = pool.session.scalars(members_file(begun["id"])).one()
    members = Members.load(world.storage.artifact(file.storage_key))
    assert judged not in members.example_id
    refused = pool.answer_all(http, begun["id"], wrong=10_000)
    assert (refused["state"], refused["auto"], refused["bound"]) == ("refused", 0, None)
    assert refused["refused"]
    assert pool.project.state == "finished"
    answer = pool.call(http, "post", f"/{begun['id']}/apply")
    assert (answer.status_code, answer.json()["code"]) == (409, "certificate_refused")
    # With a few answers little can be promised, and what people say stays.
    few = pool.certify(http, target=0.01, at_most=2)
    assert any("that were begun before: 1." in one for one in few["warnings"])
    few = pool.answer_all(http, few["id"])
    assert few["state"] == "refused"
    assert few["asked"] <= 2


def retried(
    http: TestClient, pool: Pool, monkeypatch: pytest.MonkeyPatch, **promise: Any
) -> tuple[dict[str, Any], int]:
    """A certificate whose job has failed once, and the example that was judged meanwhile."""

    def broken(*_: Any) -> None:
        raise ValueError("broken")

    with monkeypatch.context() as only:
        only.setattr(handler, "keep", broken)
        begun = pool.call(http, "post", json=PROMISE | promise).json()
        job = pool.session.get_one(Job, begun["job_id"])
        message = RunJob.of(job)
        pool.session.rollback()
        run_job(message, handler)
    assert pool.shown(http, begun["id"])["state"] == "refused"
    free = select(Example.id).where(Example.state == ExampleState.UNLABELED).limit(1)
    (judged,) = pool.session.scalars(free).all()
    pool.session.rollback()
    url, headers = f"/api/projects/{pool.project.id}/examples", pool.admin.headers
    body = {"ids": [judged], "verdict": "ood"}
    http.post(f"{url}/verdict", json=body, headers=headers).raise_for_status()
    http.post(f"/api/jobs/{job.id}/retry", headers=headers).raise_for_status()
    pool.session.refresh(job)
    message = RunJob.of(job)
    pool.session.rollback()
    run_job(message, handler)
    return pool.shown(http, begun["id"]), judged


def test_somebody_else_looks_at_what_contradicts_the_model(http: TestClient, world: World) -> None:
    pool = Pool(world, images=200)
    pool.learn()
    expected(http, pool)
    begun = pool.certify(http)
    certificate = pool.session.get_one(Certificate, begun["id"])
    known = {"pairs": 60, "disagreed": 0, "share": 0.0, "high": 0.02}
    certificate.result = {**certificate.result, "human": known}
    pool.session.commit()
    pool.say(pool.rounds()[1], 2, wrong=1)
    pool.sweep()
    shown = pool.shown(http, begun["id"])
    assert shown["human"] == known
    again = pool.session.scalars(
        select(Query).where(Query.again_after.is_not(None), ~Query.done)
    ).one()
    assert not again.audit
    assert sum(lot["wrong"] for lot in shown["lots_of"]) == 0
    # It stands at the head of the queue, and whoever looks now finds that the model is right.
    pool.say(pool.rounds()[1], 1)
    pool.sweep()
    shown = pool.shown(http, begun["id"])
    assert shown["answered"] == 2
    assert sum(lot["wrong"] for lot in shown["lots_of"]) == 0


def test_what_can_be_promised_is_said_where_nothing_can(http: TestClient, world: World) -> None:
    pool = Pool(world, images=200)
    pool.learn()
    wanted = PROMISE | {"target": 0.001}
    job = done_job(http, pool.world, pool.project, "certify", wanted, dry_run=True)
    assert job.result is not None, job.error
    estimate = job.result["estimate"]
    assert estimate["in_vain"] == 1
    less = estimate["less"]
    assert 0.001 < less["target"] <= 0.3
    assert less["in_vain"] <= 0.5
    assert less["auto"] > less["answers"]
    assert 0 < less["answers_low"] <= less["answers"] <= less["answers_high"]
    # It is what a guarantee of that is said to take.
    wanted["target"] = less["target"]
    job = done_job(http, pool.world, pool.project, "certify", wanted, dry_run=True)
    assert job.result is not None, job.error
    told = job.result["estimate"]
    assert {**told, **less} == {**told, "target": less["target"]}
    assert told["less"] is None


def expected(http: TestClient, pool: Pool) -> int:
    """What it would take is told before anybody is asked, and nothing is kept."""
    job = done_job(http, pool.world, pool.project, "certify", PROMISE, dry_run=True)
    assert job.result is not None, job.error
    estimate = job.result["estimate"]
    assert set(estimate["phases"]) == {"gather", "score"}
    assert 0 < estimate["answers_low"] <= estimate["answers"] <= estimate["answers_high"]
    assert estimate["auto"] > 0
    assert estimate["in_vain"] < 0.5
    ids = {one.id for one in pool.classes}
    assert set(estimate["left"]) <= {None, *ids}
    assert pool.session.scalar(select(Certificate.id)) is None
    return int(estimate["answers"])


@pytest.mark.parametrize("max_rounds", [1, None], ids=["asked anew", "by its scores"])
def test_a_model_names_classes_in_the_order_of_its_round(
    http: TestClient, world: World, max_rounds: int | None
) -> None:
    pool = Pool(world, images=230, max_rounds=max_rounds, zero_wait=False)
    dark, middling = ({"id": one.id, "name": one.name} for one in pool.classes)
    url, headers = f"/api/projects/{pool.project.id}", pool.admin.headers

    def have(*wanted: dict[str, Any]) -> int:
        found = http.patch(url, json={"classes": wanted}, headers=headers)
        return int(found.json()["classes"][0]["id"])

    have({"name": "fog"}, dark, middling)
    pool.learn()
    # One that nobody has used goes, two come, one of them in use, and the others change places.
    haze = have({"name": "haze"}, {"name": "mist"}, middling, dark)
    free = select(Example.id).where(Example.state == ExampleState.UNLABELED).limit(1)
    body = {"ids": [pool.session.scalar(free)], "verdict": "label", "class_id": haze}
    http.post(f"{url}/examples/verdict", json=body, headers=headers).raise_for_status()
    expected(http, pool)
    file = pool.session.scalars(members_file(pool.certify(http)["id"])).one()
    members = Members.load(world.storage.artifact(file.storage_key))
    truth = np.array([dark["id"], middling["id"], NO_CLASS])[members.pool_index % KINDS]
    assert (members.class_id == truth).mean() > 0.8
    model = pool.session.execute(newest_model(pool.project.id)).one()[0]
    model.meta = {**model.meta, "class_ids": [haze, 0, 0]}
    pool.session.commit()
    job = done_job(http, world, pool.project, "certify", PROMISE, dry_run=True)
    assert job.error is not None
    assert job.error["code"] == "class_gone"


def test_what_others_ask_in_its_round_outlives_it(http: TestClient, world: World) -> None:
    pool = Pool(world, images=200)
    pool.learn()
    begun = pool.certify(http, target=0.4)
    url = f"/api/projects/{pool.project.id}/audit"
    asked = http.post(url, json={"n": 4}, headers=pool.admin.headers).json()
    assert asked == {"asked": 4, "round": begun["round"]}
    for _ in range(40):
        if pool.shown(http, begun["id"])["state"] != "asking":
            break
        for query in waiting_in(pool):
            if query.audit_probability is None:
                example = pool.session.get_one(Example, query.example_id)
                pool._store(pool.rounds()[1], query, example, *pool.truth(example))
        pool.session.commit()
        pool.sweep()
    assert pool.shown(http, begun["id"])["state"] == "ready"
    assert (pool.rounds()[1].state, len(waiting_in(pool))) == (RoundState.OPEN, 4)
    # Nor does it end with another that is taken back.
    other = pool.certify(http)
    assert (other["round"], len(waiting_in(pool))) == (1, 4 + other["waiting"])
    assert pool.done(http, "revoke", other["id"])["state"] == "revoked"
    pool.session.expire_all()
    assert (pool.rounds()[1].state, len(waiting_in(pool))) == (RoundState.OPEN, 4)
    # Answered, they judge the model as draws of any other round.
    pool.say(pool.rounds()[1])
    run(pool.session, pool.close(1))
    assert pool.project.state == "finished"
    drawn = read_draws(pool.session, pool.project.id, 1)
    judged = np.isin(drawn.indices, take(pool.session, pool.project.id, 1).audited)
    assert (~np.isnan(drawn.probability[judged])).sum() == 4
    # Given up after all that it asked was answered, it leaves no round open.
    third = pool.certify(http)
    pool.say(pool.rounds()[2])
    assert (pool.rounds()[2].state, waiting_in(pool, 2)) == (RoundState.OPEN, [])
    assert pool.done(http, "revoke", third["id"])["state"] == "revoked"
    run(pool.session, pool.session.get_one(Job, pool.rounds()[2].job_id))
    assert (pool.rounds()[2].state, pool.project.state) == (RoundState.CLOSED, "finished")


def waiting_in(pool: Pool, number: int = 1) -> list[Query]:
    """What waits in a round's queue."""
    asked = select(Query).where(Query.round_id == pool.rounds()[number].id, ~Query.done)
    return list(pool.session.scalars(asked))


def test_one_with_a_broken_file_keeps_no_other_from_going_on(world: World) -> None:
    projects = [running(world, images=60, queries=4) for _ in range(2)]
    broken, other = (
        add_certificate(world, one, CertificateState.ASKING, passed=False) for one in projects
    )
    file = world.session.scalars(members_file(broken.id)).one()
    world.storage.artifact(file.storage_key).write_bytes(b"no table")
    world.session.rollback()
    go_on_with_all(sessions(), world.storage)
    world.session.expire_all()
    assert (broken.state, broken.observations) == ("asking", [])
    assert other.observations
