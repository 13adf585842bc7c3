"""Certificates as the API keeps them: what may be begun, applied and revoked, and by whom."""

import csv
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from core.artifacts.certificates import NO_CLASS, Draw, Members, members_file
from core.states import CertificateState, ExampleState, Source
from core.tables import (
    Annotation,
    Artifact,
    Certificate,
    CertificateLot,
    Example,
    Job,
    Project,
    Query,
)
from tests.api.test_labeling import lease, running, send, verdict
from tests.certificates import add_certificate, add_model
from tests.world import World
from workers.certificates import applying, observing
from workers.certificates.asking import ask_no_more
from workers.certificates.observing import go_on_with_all

WHAT = {"target": 0.2, "confidence": 0.8}


class Scene:
    """A project in which some wait in a queue and others do not, and who manages it."""

    def __init__(self, http: TestClient, world: World, **how: Any) -> None:
        self.http, self.world, self.admin = http, world, world.caller()
        self.project: Project = running(world, **{"images": 12, "queries": 4, **how})
        self.cat, self.dog = world.classes(self.project)

    def call(self, method: str, path: str = "", **how: Any) -> Any:
        url = f"/api/projects/{self.project.id}/certificates{path}"
        return self.http.request(method, url, headers=self.admin.headers, **how)

    def done(self, what: str, certificate_id: int) -> Any:
        """Have it applied or revoked, and wait for the workers."""
        asked = self.call("post", f"/{certificate_id}/{what}")
        assert asked.status_code == 202, asked.text
        go_on_with_all(sessionmaker(self.world.session.get_bind()), self.world.storage)
        return self.call("get", f"/{certificate_id}").json()

    def swept(self, certificate_id: int) -> Any:
        """A certificate after workers have gone on with all."""
        self.world.session.rollback()
        go_on_with_all(sessionmaker(self.world.session.get_bind()), self.world.storage)
        self.world.session.expire_all()
        return self.call("get", f"/{certificate_id}").json()

    def say(self, example_ids: Sequence[int], class_id: int) -> None:
        """Somebody says that these images are of a class, whatever was said of them before."""
        body = {"ids": list(example_ids), "verdict": "label", "class_id": class_id}
        url = f"/api/projects/{self.project.id}/examples/verdict"
        said = self.http.post(url, json=body, headers=self.admin.headers)
        assert said.json()["example_ids"] == list(example_ids), said.text

    def code(self, method: str, path: str = "", **how: Any) -> tuple[int, str]:
        answer = self.call(method, path, **how)
        return answer.status_code, answer.json().get("code", "")

    def stands(self) -> dict[int, tuple[ExampleState, int | None]]:
        self.world.session.expire_all()
        statement = select(Example).where(Example.project_id == self.project.id)
        return {
            one.pool_index: (one.state, one.label_class_id)
            for one in self.world.session.scalars(statement)
        }


@pytest.fixture
def scene(http: TestClient, world: World) -> Scene:
    return Scene(http, world)


def test_nothing_is_certified_without_a_model_or_with_nothing_to_label(
    http: TestClient, world: World, scene: Scene
) -> None:
    assert scene.code("post", json=WHAT) == (409, "no_model")
    add_model(world, scene.project)
    begun = scene.call("post", json=WHAT)
    assert begun.status_code == 202, begun.text
    told = begun.json()
    assert (told["state"], told["images"], told["target"]) == ("scoring", 8, 0.2)
    assert told["missed_in"] == 0.2
    assert told["lots"] == {"passed": 0, "people": 0, "open": 0}
    job = world.session.get_one(Job, told["job_id"])
    assert job.params["confidence"] == 0.8
    assert scene.code("post", json=WHAT) == (409, "job_active")
    assert scene.call("post", f"/{told['id']}/revoke").json()["state"] == "revoked"
    world.session.refresh(job)
    assert job.state == "cancelled"
    again = scene.http.post(f"/api/jobs/{job.id}/retry", headers=scene.admin.headers)
    assert (again.status_code, again.json()["code"]) == (409, "certificate_revoked")
    add_certificate(world, scene.project, CertificateState.ASKING)
    assert scene.code("post", json=WHAT) == (409, "certificate_open")
    all_asked = Scene(http, world, images=4)
    add_model(world, all_asked.project)
    assert all_asked.code("post", json=WHAT) == (409, "nothing_unlabeled")


def test_one_is_under_way_at_a_time_whatever_becomes_of_its_job(world: World, scene: Scene) -> None:
    add_model(world, scene.project)
    told = scene.call("post", json=WHAT).json()
    jobs = f"/api/jobs/{told['job_id']}"
    cancelled = scene.http.post(f"{jobs}/cancel", headers=scene.admin.headers)
    assert cancelled.json()["state"] == "cancelled"
    # Cancelled before it began, it keeps no other waiting.
    refused = scene.call("get", f"/{told['id']}").json()
    assert (refused["state"], refused["refused"]) == ("refused", "The job was cancelled.")
    ready = add_certificate(world, scene.project)
    asking = add_certificate(world, scene.project, CertificateState.ASKING)
    again = scene.http.post(f"{jobs}/retry", headers=scene.admin.headers)
    assert (again.status_code, again.json()["code"]) == (409, "certificate_open")
    # Nor is what people are asked about labeled by another under their hands.
    assert scene.code("post", f"/{ready.id}/apply") == (409, "certificate_open")
    listed = scene.call("get").json()["items"]
    alone = [scene.call("get", f"/{one}").json() for one in (asking.id, ready.id, told["id"])]
    assert listed == [{name: one[name] for name in listed[0]} for one in alone]
    assert scene.done("revoke", asking.id)["state"] == "revoked"
    assert scene.http.post(f"{jobs}/retry", headers=scene.admin.headers).status_code == 200
    assert scene.code("post", json=WHAT) == (409, "job_active")
    # A worker will go on with it, and is not to find its images labeled.
    assert scene.code("post", f"/{ready.id}/apply") == (409, "certificate_open")


@pytest.mark.parametrize(
    "wrong",
    [{"target": 0}, {"target": 0.6}, {"confidence": 1}, {"at_most": 0}, {"overlap": 6}, {"x": 1}],
    ids=str,
)
def test_what_can_be_promised_of_no_pool_is_refused(scene: Scene, wrong: dict[str, Any]) -> None:
    add_model(scene.world, scene.project)
    assert scene.call("post", json=WHAT | wrong).status_code == 422


@pytest.mark.parametrize("task", ["boxes", "instructions"])
def test_other_labels_than_classes_are_refused_in_words(
    http: TestClient, world: World, task: str
) -> None:
    scene = Scene(http, world)
    scene.project.task = task
    world.session.commit()
    refused = scene.call("post", json=WHAT).json()
    assert refused["code"] == "not_for_task"
    assert "classification" in refused["detail"]


def test_a_certificate_labels_what_nobody_has_judged_and_no_queue_holds(
    world: World, scene: Scene
) -> None:
    labels = [scene.dog.id, NO_CLASS] * 2 + [scene.dog.id] * 4
    certificate = add_certificate(world, scene.project, classes=labels)
    before = scene.stands()
    # Of what it would label one is judged, and one held out, before it is applied.
    for index, state in ((4, ExampleState.UNSURE), (5, ExampleState.HELD_OUT)):
        example = world.session.scalars(
            select(Example).where(
                Example.project_id == scene.project.id, Example.pool_index == index
            )
        ).one()
        example.state = state
    world.session.commit()
    applied = scene.done("apply", certificate.id)
    assert (applied["state"], applied["auto"]) == ("applied", 6)
    now = scene.stands()
    assert now[6] == (ExampleState.LABELED, scene.dog.id)
    assert now[7] == (ExampleState.OOD, None)
    assert now[4] == (ExampleState.UNSURE, None)
    assert [now[index] for index in range(4)] == [before[index] for index in range(4)]
    assert scene.code("post", f"/{certificate.id}/apply") == (409, "certificate_applied")
    # It says nothing of what people have said, and costs nothing.
    agreement = scene.http.get(
        f"/api/projects/{scene.project.id}/agreement", headers=scene.admin.headers
    ).json()
    assert agreement["voters"] == []
    rounds = scene.http.get(
        f"/api/projects/{scene.project.id}/rounds", headers=scene.admin.headers
    ).json()
    assert (rounds["items"][0]["spent"], rounds["items"][0]["answered"]["label"]) == (0, 0)
    assert scene.done("revoke", certificate.id)["state"] == "revoked"
    after = scene.stands()
    assert all(after[index] == (ExampleState.UNLABELED, None) for index in range(6, 12))
    assert scene.code("post", f"/{certificate.id}/revoke") == (409, "certificate_revoked")
    certificate.state = CertificateState.REFUSED
    world.session.commit()
    refused = scene.call("post", f"/{certificate.id}/revoke")
    assert (refused.status_code, refused.json()["code"]) == (409, "certificate_refused")
    assert "Begin another one, or retry its job" in refused.json()["detail"]


def test_answers_stand_above_labels_of_a_model_whoever_came_first(
    world: World, scene: Scene
) -> None:
    certificate = add_certificate(world, scene.project)
    assert scene.done("apply", certificate.id)["auto"] == 8
    example = world.session.scalars(
        select(Example).where(Example.project_id == scene.project.id, Example.pool_index == 6)
    ).one()
    url = f"/api/projects/{scene.project.id}/examples"
    sent = scene.http.post(
        f"{url}/queue", json={"ids": [example.id]}, headers=scene.admin.headers
    ).json()
    # It is asked about as what nobody has said anything of.
    assert (sent["example_ids"], sent["again"]) == ([example.id], 0)
    given = lease(scene.http, scene.admin, scene.project, 1)["items"][0]
    assert given["example_id"] == example.id
    skipped = verdict(given["query_id"], "skip")
    send(scene.http, scene.admin, scene.project, skipped)
    assert scene.stands()[6] == (ExampleState.LABELED, scene.cat.id)
    scene.http.post(f"{url}/queue", json={"ids": [example.id]}, headers=scene.admin.headers)
    given = lease(scene.http, scene.admin, scene.project, 1)["items"][0]
    send(scene.http, scene.admin, scene.project, verdict(given["query_id"], "ood"))
    assert scene.stands()[6] == (ExampleState.OOD, None)
    scene.done("revoke", certificate.id)
    now = scene.stands()
    assert now[6] == (ExampleState.OOD, None)
    assert now[7] == (ExampleState.UNLABELED, None)


def test_a_promise_outlives_its_model_and_not_its_file_or_a_class(
    world: World, scene: Scene
) -> None:
    certificate = add_certificate(world, scene.project, classes=[scene.dog.id] * 8)
    before = scene.stands()
    assert scene.call("get", f"/{certificate.id}").json()["warnings"] == []
    add_model(world, scene.project)
    told = scene.call("get", f"/{certificate.id}").json()
    assert not told["is_current"]
    assert "the model of round 0" in told["warnings"][0]
    kept = world.session.scalars(
        select(Artifact).where(Artifact.meta["certificate_id"].as_integer() == certificate.id)
    ).one()
    path = world.storage.artifact(kept.storage_key)
    moved = path.rename(path.with_suffix(".away"))
    world.session.commit()
    assert scene.code("post", f"/{certificate.id}/apply") == (409, "certificate_file_missing")
    moved.rename(path)
    world.session.delete(scene.dog)
    world.session.commit()
    assert scene.code("post", f"/{certificate.id}/apply") == (409, "class_gone")
    assert scene.stands() == before
    assert scene.call("get", f"/{certificate.id}").json()["state"] == "ready"


def test_people_judge_more_than_was_foreseen_and_the_promise_holds_no_more(
    world: World, scene: Scene
) -> None:
    certificate = add_certificate(world, scene.project)
    url = f"/api/projects/{scene.project.id}/examples/verdict"
    ids = world.session.scalars(
        select(Example.id).where(
            Example.project_id == scene.project.id, Example.state == ExampleState.UNLABELED
        )
    ).all()
    body = {"ids": list(ids[:4]), "verdict": "label", "class_id": scene.cat.id}
    scene.http.post(url, json=body, headers=scene.admin.headers)
    # At most one of eight was wrong, and of the four that are left that is a quarter.
    told = scene.done("apply", certificate.id)
    assert (told["state"], told["auto"]) == ("refused", 0)
    assert "Certify again" in told["refused"]
    assert (
        world.session.scalar(select(Annotation.id).where(Annotation.source == Source.MODEL)) is None
    )


def test_a_round_that_asks_for_nothing_else_keeps_a_query_that_waits(
    scene: Scene, world: World
) -> None:
    session, project = world.session, scene.project
    queries = session.scalars(select(Query).order_by(Query.example_id)).all()
    for query in queries:
        query.requested = True
    # No sweep has heard of this one's answer yet.
    queries[0].done = True
    session.commit()
    ids = [query.example_id for query in queries]
    ask_no_more(session, project, [Draw(0, place, id_, 0.1) for place, id_ in enumerate(ids)])
    session.commit()
    left = select(Query.example_id).where(~Query.done)
    assert session.scalars(left).all() == [ids[1]]


def test_each_part_is_held_to_what_was_promised_of_it(world: World, scene: Scene) -> None:
    # More may be missed among OOD than wrong among classes, and one was judged since.
    certificate = add_certificate(world, scene.project, classes=[scene.dog.id] * 6 + [NO_CLASS] * 2)
    certificate.settings = {**certificate.settings, "target": 0.17, "missed_in": 0.5}
    certificate.result = {
        **certificate.result,
        "bound": {"share": 0.25, "wrong": 2, "of": 8},
        "missed_bound": {"share": 0.5, "wrong": 1, "of": 2},
    }
    dog = world.session.scalars(
        select(Example).where(Example.project_id == scene.project.id, Example.pool_index == 4)
    ).one()
    dog.state = ExampleState.UNSURE
    world.session.commit()
    applied = scene.done("apply", certificate.id)
    # One of six dogs may be wrong, as was promised; of the five that are left it is a fifth.
    assert applied["bound"] == {"share": 2 / 7, "wrong": 2, "of": 7}
    assert applied["missed_bound"] == {"share": 0.5, "wrong": 1, "of": 2}
    assert "all images of the lots" in applied["warnings"][0]


def test_by_class_only_what_is_not_so_any_more_is_left_to_people(
    world: World, scene: Scene
) -> None:
    labels = [scene.cat.id, scene.dog.id] * 4
    certificate = add_certificate(world, scene.project, classes=labels)
    certificate.settings = {**certificate.settings, "scope": "class", "target": 0.3}
    world.session.commit()
    statement = select(Example).where(
        Example.project_id == scene.project.id, Example.state == ExampleState.UNLABELED
    )
    cats = world.session.scalars(statement.order_by(Example.pool_index)).all()[0:4:2]
    body = {"ids": [one.id for one in cats], "verdict": "ood"}
    url = f"/api/projects/{scene.project.id}/examples/verdict"
    scene.http.post(url, json=body, headers=scene.admin.headers)
    # Of each class one of four may be wrong: of four dogs that is so still, of two cats it is half.
    applied = scene.done("apply", certificate.id)
    assert applied["bound"] == {"share": 0.25, "wrong": 1, "of": 4}
    assert applied["lots"] == {"passed": 1, "people": 1, "open": 0}
    assert "left to people" in applied["warnings"][0]
    now = scene.stands()
    assert [now[index][1] for index in range(4, 12)].count(scene.dog.id) == 4
    assert [now[index][1] for index in range(4, 12)].count(scene.cat.id) == 0


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_may_be_wrong_of_a_class_is_told_of_what_the_model_labels_of_it(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    scene = Scene(http, world, images=304)
    certificate = add_certificate(world, scene.project)
    certificate.settings = {**certificate.settings, "scope": "class"}
    lots = world.session.scalars(
        select(CertificateLot).where(CertificateLot.certificate_id == certificate.id)
    ).all()
    file = world.session.scalars(members_file(certificate.id)).one()
    members = Members.load(world.storage.artifact(file.storage_key))
    world.session.commit()
    # At most 60 of 300 are wrong, wherever: all may be in what people have left.
    judged = members.example_id[members.lot == lots[0].number].tolist()
    count = applying._counted

    def counted(*given: Any) -> Any:
        found = count(*given)
        if when == "meanwhile":
            scene.say(judged, scene.cat.id)
        return found

    monkeypatch.setattr(applying, "_counted", counted)
    if when == "before":
        scene.say(judged, scene.cat.id)
    found = scene.done("apply", certificate.id)
    left = 300 - len(judged)
    assert (found["state"], found["auto"]) == ("applied", left)
    assert found["bound"] == {"share": 60 / left, "wrong": 60, "of": left}
    assert "all images of the lots" in found["warnings"][0]
    # The same wherever it is told.
    assert {lot["bound"] for lot in found["lots_of"]} == {60 / left}
    report = scene.call("get", f"/{certificate.id}/report").json()
    assert [one["bound"] for one in report["per_class"]] == [60 / left, None, None]
    # That which decided, and not the one that prints it.
    assert report["versions"]["karat"] == "0.1.0+0037"
    world.session.refresh(certificate)
    certificate.result = {**certificate.result, "karat": ""}
    world.session.commit()
    older = scene.call("get", f"/{certificate.id}/report").json()
    assert older["versions"] == {"model": "round-0: auto"}
    url = f"/api/projects/{scene.project.id}/export?effective=true"
    rows = csv.DictReader(http.get(url, headers=scene.admin.headers).text.splitlines())
    assert {float(row["bound"]) for row in rows if row["source"] == "model"} == {60 / left}


def test_it_is_labeled_and_taken_back_a_part_at_a_time_whoever_stops_in_between(
    world: World, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "AT_ONCE", 3)
    certificate = add_certificate(world, scene.project)
    factory = sessionmaker(world.session.get_bind())

    def part() -> bool:
        return applying.work_off(factory, world.storage, certificate.id, seconds=0)

    def told() -> tuple[str, float | None, int]:
        found = scene.call("get", f"/{certificate.id}").json()
        return found["state"], found["progress"], sum(lot["labeled"] for lot in found["lots_of"])

    assert scene.call("post", f"/{certificate.id}/apply").json()["state"] == "applying"
    assert scene.code("post", json=WHAT) == (409, "certificate_open")
    assert part()
    assert told() == ("applying", 3 / 8, 3)
    # Who judges one of the next stands above it: its label is of people, and it is told of.
    ids = world.session.scalars(
        select(Example.id).where(
            Example.project_id == scene.project.id, Example.state == ExampleState.UNLABELED
        )
    ).all()
    url = f"/api/projects/{scene.project.id}/examples/verdict"
    body = {"ids": [ids[0]], "verdict": "ood"}
    scene.http.post(url, json=body, headers=scene.admin.headers)
    assert part()
    assert not part()
    assert told() == ("applied", None, 7)
    found = scene.call("get", f"/{certificate.id}").json()
    assert found["bound"] == {"share": 1 / 7, "wrong": 1, "of": 7}
    report = scene.call("get", f"/{certificate.id}/report").json()
    assert sum(one["model"] for one in report["per_class"]) == found["auto"] == 7
    assert scene.call("post", f"/{certificate.id}/revoke").json()["state"] == "revoking"
    assert part()
    assert told() == ("revoking", 3 / 7, 7)
    # Begun anew after a crash, it passes over what was taken back.
    assert part()
    assert not part()
    assert told() == ("revoked", None, 0)
    assert [now[0] for now in scene.stands().values()].count(ExampleState.UNLABELED) == 7
    report = scene.call("get", f"/{certificate.id}/report").json()
    assert {(one["model"], one["bound"]) for one in report["per_class"]} == {(0, None)}
    assert (report["certificate"]["auto"], report["certificate"]["people"]) == (0, 8)


def test_nobody_waits_while_a_pool_is_counted(
    world: World, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = add_certificate(world, scene.project)
    count, asked = applying._counted, []
    project = select(Project.id).where(Project.id == scene.project.id)

    def meanwhile(*given: Any) -> Any:
        # Whoever saves settings, starts a job or closes a round begins so.
        asked.append(world.session.scalar(project.with_for_update(nowait=True)))
        world.session.rollback()
        return count(*given)

    monkeypatch.setattr(applying, "_counted", meanwhile)
    assert scene.done("apply", certificate.id)["state"] == "applied"
    assert asked == [scene.project.id]


def test_one_worker_is_at_it_and_whoever_is_sent_meanwhile_is_free_at_once(
    world: World, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = add_certificate(world, scene.project)
    factory = sessionmaker(world.session.get_bind())
    begun = []

    def at_it(*given: Any, **how: Any) -> bool:
        begun.append(given)
        # The next sweep sends another.
        go_on_with_all(factory, world.storage)
        return applying.work_off(*given, **how)

    monkeypatch.setattr(observing, "work_off", at_it)
    assert scene.done("apply", certificate.id)["state"] == "applied"
    assert scene.done("revoke", certificate.id)["state"] == "revoked"
    assert len(begun) == 2


@pytest.mark.parametrize("state", [CertificateState.ASKING, CertificateState.APPLYING])
@pytest.mark.parametrize("lost", ["gone", "broken"])
def test_one_that_cannot_go_on_says_why_until_it_can(
    http: TestClient, world: World, state: CertificateState, lost: str
) -> None:
    scene = Scene(http, world, images=60)
    certificate = add_certificate(world, scene.project, state, passed=state == "applying")
    file = world.storage.artifact(
        world.session.scalars(members_file(certificate.id)).one().storage_key
    )
    away = file.rename(file.with_suffix(".away"))
    if lost == "broken":
        file.write_bytes(b"no table")
    world.session.commit()
    assert scene.call("get", f"/{certificate.id}").json()["stalled"] is None

    def swept() -> Any:
        go_on_with_all(sessionmaker(world.session.get_bind()), world.storage)
        world.session.expire_all()
        return scene.call("get", f"/{certificate.id}").json()

    for told in (swept(), swept()):
        assert (told["state"], told["refused"]) == (state, None)
        assert "from a backup" in told["stalled"]
        assert scene.call("get").json()["items"][0]["stalled"] == told["stalled"]
    away.replace(file)
    told = swept()
    assert told["stalled"] is None
    assert told["asked"] > 0 if state == "asking" else told["state"] == "applied"


def test_a_project_goes_with_its_certificates(world: World, scene: Scene) -> None:
    certificate = add_certificate(world, scene.project)
    scene.done("apply", certificate.id)
    url = f"/api/projects/{scene.project.id}"
    scene.http.post(f"{url}/pause", headers=scene.admin.headers)
    assert scene.http.delete(url, headers=scene.admin.headers).status_code == 204
    world.session.expire_all()
    assert world.session.scalar(select(Certificate.id)) is None
