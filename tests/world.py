"""Objects that tests start from, stored as the product would store them."""

import io
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.callers.credentials import TOKEN_PREFIX, new_secret, secret_hash
from api.projects.settings import checked
from core.files.storage import Storage
from core.lifecycle import move_round
from core.rounds import DRAWN_OF, new_round
from core.settings.project import ProjectSettings
from core.states import (
    ExampleState,
    Medium,
    ProjectRole,
    ProjectState,
    Role,
    RoundState,
    Scope,
    Split,
)
from core.tables import (
    ApiToken,
    Example,
    ExampleText,
    Member,
    Project,
    ProjectClass,
    Query,
    Round,
    User,
)
from core.tasks.classification import stored_class
from models.catalog import DEFAULT_MODEL
from models.media.images.store import PixelStore
from tests.passwords import hashed


@dataclass(frozen=True)
class Caller:
    """A user and a way to call as them."""

    user: User
    headers: dict[str, str]


def png(seed: int, size: int = 8, colour: int | None = None) -> bytes:
    """A small image; different seeds give different bytes."""
    generator = np.random.default_rng(seed)
    pixels = generator.integers(0, 256, (size, size, 3), dtype=np.uint8)
    if colour is not None:
        pixels = (pixels // 8 + colour).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


class World:
    """Writes straight to the database and the data directory, and commits."""

    def __init__(self, session: Session, data_dir: Path) -> None:
        self.session = session
        self.storage = Storage(data_dir)
        self._users = 0

    def caller(
        self, role: Role = Role.ADMIN, *projects: Project, as_: ProjectRole | None = None
    ) -> Caller:
        """A new user of ``role`` with a token, member of ``projects``.

        There they are ``as_``, or what they become when nothing is said.
        """
        as_ = as_ or (ProjectRole.ANNOTATOR if role is Role.ANNOTATOR else ProjectRole.MANAGER)
        self._users += 1
        user = User(
            email=f"user{self._users}@example.org",
            name=f"User {self._users}",
            role=role,
            password_hash="none",
            active=True,
        )
        self.session.add(user)
        self.session.flush()
        for project in projects:
            self.session.add(Member(project_id=project.id, user_id=user.id, role=as_))
        return Caller(user, self.token(user)[1])

    def person(self, name: str, password: str, role: Role = Role.ENGINEER) -> User:
        """Somebody who can log in, by an address that is their name."""
        user = User(
            email=f"{name.lower()}@example.org",
            name=name,
            role=role,
            password_hash=hashed(password),
            active=True,
        )
        self.session.add(user)
        self.session.commit()
        return user

    def token(
        self, user: User, scope: Scope = Scope.ADMIN, project: Project | None = None
    ) -> tuple[ApiToken, dict[str, str]]:
        """A new token of ``user``, bound to ``project`` if there is one, and headers with it."""
        secret = new_secret(TOKEN_PREFIX)
        token = ApiToken(
            user_id=user.id,
            name="test",
            prefix=secret[:10],
            token_hash=secret_hash(secret),
            scope=scope,
            project_id=project and project.id,
            expires_at=datetime.now(UTC) + timedelta(hours=1),
        )
        self.session.add(token)
        self.session.commit()
        return token, {"Authorization": f"Bearer {secret}"}

    def project(
        self,
        *,
        images: int = 0,
        evaluation: int = 0,
        classes: Sequence[str] = ("cat", "dog"),
        state: ProjectState = ProjectState.DRAFT,
        **settings: Any,
    ) -> Project:
        """A project whose images alternate between dark and light ones."""
        # Tests that are about other things know which images a queue holds.
        given = checked({"input_size": 8, "audit_share": 0, **settings}).model_dump(mode="json")
        project = self._project(classes, state, given, Medium.IMAGE)
        self.add_images(project, images)
        self.add_images(project, evaluation, Split.EVALUATION)
        self.session.commit()
        return project

    def _project(
        self, classes: Sequence[str], state: ProjectState, settings: Any, medium: Medium
    ) -> Project:
        project = Project(
            name=f"project {uuid.uuid4().hex[:8]}",
            state=state,
            medium=medium,
            settings=ProjectSettings.model_validate(settings).model_dump(mode="json"),
        )
        self.session.add(project)
        self.session.flush()
        for position, name in enumerate(classes):
            self.session.add(
                ProjectClass(
                    project_id=project.id,
                    name=name,
                    colour="#336699",
                    hotkey=str(position + 1),
                    position=position,
                )
            )
        self.session.flush()
        return project

    def classes(self, project: Project) -> list[ProjectClass]:
        statement = select(ProjectClass).where(ProjectClass.project_id == project.id)
        return list(self.session.scalars(statement.order_by(ProjectClass.position)))

    def add_images(self, project: Project, n: int, split: Split = Split.POOL) -> None:
        classes = self.classes(project)
        statement = select(Example.pool_index).where(Example.project_id == project.id)
        first = max(self.session.scalars(statement), default=-1) + 1
        size = project.settings["input_size"]
        path = self.storage.pixels(project.id, size, project.settings.get("fit", "crop"))
        with PixelStore.writer(path, size) as pixels:
            for index in range(first, first + n):
                kind = index % len(classes)
                content = png(index, size, colour=kind * 200 // len(classes))
                digest = sha256(content).digest()
                self.storage.put_image(digest, content)
                pixels.write(index, np.asarray(Image.open(io.BytesIO(content)))[None])
                self.session.add(
                    Example(
                        project_id=project.id,
                        pool_index=index,
                        content_hash=digest,
                        media_type="image/png",
                        bytes=len(content),
                        width=size,
                        height=size,
                        split=split,
                        state=ExampleState.UNLABELED,
                        name=f"{index}.png",
                        label=stored_class(classes[kind].id if split is Split.EVALUATION else None),
                        meta={},
                    )
                )

    def texts(
        self,
        contents: Sequence[str],
        *,
        classes: Sequence[str] = ("billing", "shipping"),
        state: ProjectState = ProjectState.DRAFT,
        **settings: Any,
    ) -> Project:
        """A project of texts, in the database alone: no job reads them."""
        project = self._project(
            classes,
            state,
            {
                "model": {"name": DEFAULT_MODEL["text"], "params": {}},
                "audit_share": 0,
                **settings,
            },
            Medium.TEXT,
        )
        for index, content in enumerate(contents):
            self.add_text(project, index, content)
        self.session.commit()
        return project

    def add_text(self, project: Project, index: int, content: str, **fields: Any) -> Example:
        """A text at ``index`` of the pool."""
        example = Example(
            **{
                "project_id": project.id,
                "pool_index": index,
                "content_hash": sha256(content.encode()).digest(),
                "media_type": "text/plain",
                "bytes": len(content.encode()),
                "split": Split.POOL,
                "state": ExampleState.UNLABELED,
                "name": f"row {index + 1}",
                "as_is": True,
                "meta": {},
                **fields,
            }
        )
        self.session.add(example)
        self.session.flush()
        self.session.add(ExampleText(example_id=example.id, content=content))
        return example

    def open_round(self, project: Project, queries: int, number: int = 0) -> Round:
        """An open round whose queue holds the first ``queries`` unlabeled images, in order."""
        round_ = new_round(project, number)
        self.session.add(round_)
        self.session.flush()
        statement = (
            select(Example)
            .where(
                Example.project_id == project.id,
                Example.split == Split.POOL,
                Example.state == ExampleState.UNLABELED,
            )
            .order_by(Example.pool_index)
            .limit(queries)
        )
        if number == 0:
            there = select(func.count()).where(Example.project_id == project.id)
            round_.metrics = {DRAWN_OF: self.session.scalar(there)}
        overlap = round_.settings["overlap"]
        for rank, example in enumerate(self.session.scalars(statement).all()):
            example.state = ExampleState.QUERIED
            self.session.add_all(
                Query(
                    project_id=project.id,
                    round_id=round_.id,
                    example_id=example.id,
                    rank=rank * overlap + place,
                )
                for place in range(overlap)
            )
        round_.queries = queries * overlap
        move_round(round_, RoundState.OPEN)
        self.session.commit()
        return round_
