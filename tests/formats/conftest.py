"""A project with one of everything, and an empty one to move it to."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from core.lifecycle import mark_answered
from core.states import ExampleState, ProjectState, Role, Source, Split, Verdict
from core.tables import Annotation, Example, Project, User
from core.tasks.classification import stored_class
from core.verdicts.consensus import Vote, answered, votes
from tests.api.test_labeling import lease, send, verdict
from tests.certificates import add_certificate
from tests.workers.import_files import Pool, zipped
from tests.world import Caller, World
from workers.certificates.observing import go_on_with_all
from workers.jobs import context

CLASSES = ("cat", "=1+1", 'a/b, "c"', "skip", "고양이")
NAMES = (
    "../../a.png", "twin.png", "twin.png", "-2+3.png", 'q"uo,te.png', "고양이/ü ß.png", "no ending",
    "x" * 400 + ".png", "a\\b.png", "#7?.png", "<i>.png", "'=x.png",
)  # fmt: skip

NOTE = '=1+1 or "2", as in\n<b>שלום</b>'

Said = set[tuple[str, str, str | None]]


@dataclass
class Both:
    """Where the verdicts are, and where they are to go."""

    http: TestClient
    world: World
    admin: Caller
    source: Project
    target: Project

    def export(self, kind: str, **query: Any) -> bytes:
        response = self.http.get(
            f"/api/projects/{self.source.id}/export",
            params={"format": kind, **query},
            headers=self.admin.headers,
        )
        assert response.status_code == 200, response.text
        return response.content

    def take(self, content: bytes, filename: str, **more: Any) -> dict[str, Any]:
        """Import into the other project, as its worker does; returns the job's result."""
        job = Pool(self.world.session, self.world.storage, self.target).add(
            content, filename, **more
        )
        assert job.result is not None, job.error
        return job.result

    def examples(self, project: Project) -> dict[str, Example]:
        """Images by content."""
        found = Pool(self.world.session, self.world.storage, project).examples()
        return {one.content_hash.hex(): one for one in found}

    def votes(self, project: Project) -> dict[tuple[str, str], tuple[datetime, float]]:
        """When the last verdict of each on each image was given, and how long it took."""
        rows = self.world.session.execute(
            select(Example.content_hash, User.email, Annotation)
            .join(Annotation, Annotation.example_id == Example.id)
            .join(User, User.id == Annotation.annotator_id, isouter=True)
            .where(Example.project_id == project.id)
            .order_by(Annotation.id)
        )
        return {
            (content_hash.hex(), email or row.source_name or ""): (row.created_at, row.seconds)
            for content_hash, email, row in rows
        }

    def review(self, class_name: str) -> str:
        """Let a reviewer overrule the OOD that two annotators agree on; returns the image."""
        session = self.world.session
        example = session.scalars(
            select(Example).where(
                Example.project_id == self.source.id, Example.state == ExampleState.OOD
            )
        ).first()
        assert example is not None
        classes = {one.name: one.id for one in self.world.classes(self.source)}
        session.add(
            Annotation(
                project_id=self.source.id,
                example_id=example.id,
                source=Source.REVIEW,
                annotator_id=self.admin.user.id,
                client_key=uuid.uuid4(),
                verdict=Verdict.LABEL,
                label=stored_class(classes[class_name]),
                seconds=1.0,
                cost=0.0,
                counted=True,
            )
        )
        session.flush()
        rows = session.execute(votes().where(Annotation.example_id == example.id))
        session.execute(mark_answered(), answered({example.id: [Vote.of(row) for row in rows]}))
        session.commit()
        return example.content_hash.hex()

    def certify(self) -> set[str]:
        """Let a model label what nobody has judged; returns it by content."""
        before = {key for key, one in amounts(self.world, self.source).items() if one[2]}
        certificate = add_certificate(self.world, self.source)
        url = f"/api/projects/{self.source.id}/certificates/{certificate.id}/apply"
        applied = self.http.post(url, headers=self.admin.headers)
        assert applied.status_code == 202, applied.text
        go_on_with_all(sessionmaker(self.world.session.get_bind()), self.world.storage)
        now = {key for key, one in amounts(self.world, self.source).items() if one[2]}
        assert now - before, certificate.refused
        return now - before

    def said_by_people(self) -> dict[str, Said]:
        """What people have said, by content, who have names."""
        votes = said(self.world, self.source)
        return {key: {one for one in some if one[0]} for key, some in votes.items()}

    def copy_images(self) -> None:
        """Put the images into the other project, without verdicts."""
        storage = self.world.storage
        images = [storage.image(bytes.fromhex(key)) for key in self.examples(self.source)]
        self.take(zipped((f"{one.name}.png", one.read_bytes()) for one in images), "pool.zip")


def said(world: World, project: Project) -> dict[str, Said]:
    """(who, verdict, class) of every vote that holds and is not overruled, by content."""
    classes = {one.id: one.name for one in world.classes(project)}
    world.session.expire_all()
    rows = world.session.execute(
        select(Example.content_hash, Annotation, User.email)
        .join(Annotation, Annotation.example_id == Example.id, isouter=True)
        .join(User, User.id == Annotation.annotator_id, isouter=True)
        .where(Example.project_id == project.id)
    ).all()
    replaced = {row.supersedes_id for _, row, _ in rows if row and row.counted}
    found: dict[str, Said] = {}
    for content_hash, row, email in rows:
        mine = found.setdefault(content_hash.hex(), set())
        if row and row.counted and row.id not in replaced:
            who = email or row.source_name or ""
            mine.add((who, row.verdict.value, classes.get(row.class_id or 0)))
    return found


def notes(world: World, project: Project) -> set[str]:
    """What is written beside votes."""
    found = select(Annotation.note).where(Annotation.project_id == project.id)
    return {note for note in world.session.scalars(found) if note is not None}


def amounts(world: World, project: Project) -> dict[str, tuple[str, str, str | None]]:
    """(split, state, class) of every image, by content; queried ones are unlabeled elsewhere."""
    classes = {one.id: one.name for one in world.classes(project)}
    world.session.expire_all()
    rows = world.session.scalars(select(Example).where(Example.project_id == project.id)).all()
    return {
        row.content_hash.hex(): (
            str(row.split),
            row.state.value.replace("queried", "unlabeled"),
            classes.get(row.label_class_id or 0),
        )
        for row in rows
    }


@pytest.fixture
def both(http: TestClient, world: World) -> Iterator[Both]:
    """Pool images with every verdict of two annotators, and evaluation and known OOD images."""
    project = world.project(
        images=len(NAMES), evaluation=3, classes=CLASSES, state=ProjectState.RUNNING, overlap=2
    )
    world.add_images(project, 2, Split.AUXILIARY_OOD)
    examples = world.session.scalars(
        select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    ).all()
    for example, name in zip(examples, NAMES, strict=False):
        example.name = name
    examples[0].meta = {"taken": "2026-05-01", "label": "cat"}
    world.session.commit()
    world.open_round(project, len(NAMES) - 1)
    ada, ben = world.caller(Role.ANNOTATOR, project), world.caller(Role.ANNOTATOR, project)
    ids = [one.id for one in world.classes(project)]
    classes = [{"verdict": "label", "class_id": id_} for id_ in ids]
    ood: dict[str, Any] = {"verdict": "ood"}
    unsure, skip = {"verdict": "unsure", "note": NOTE}, {"verdict": "skip"}
    for caller, answers in (
        (ada, [*classes, ood, unsure, skip, classes[0], skip]),
        (ben, [classes[0], classes[1], classes[1], ood, classes[4], ood, classes[2], skip, ood]),
    ):
        items = lease(http, caller, project, len(answers))["items"]
        items.sort(key=lambda item: item["rank"])
        send(
            http,
            caller,
            project,
            *(
                verdict(item["query_id"], **answer)
                for item, answer in zip(items, answers, strict=True)
            ),
        )
    # The first is corrected, so that history is there that must not count.
    first = world.session.scalars(select(Annotation).order_by(Annotation.id)).first()
    assert first is not None
    fix = verdict(first.query_id or 0, "label", class_id=ids[3], supersedes=str(first.client_key))
    send(http, ada, project, fix)
    yield Both(http, world, world.caller(), project, world.project(classes=CLASSES))
    if context.sessions.cache_info().currsize:
        context.sessions().kw["bind"].dispose()
