"""Certificates as their job leaves them, without a model that has learned anything."""

import uuid
from collections.abc import Sequence

import numpy as np
from sqlalchemy import select

from core.artifacts.certificates import NO_CLASS, Draw, Members
from core.files.storage import sha256
from core.rounds import newest_model
from core.settings.project import ProjectSettings
from core.states import ArtifactKind, CertificateState, ExampleState, LotState, Split
from core.tables import Artifact, Certificate, CertificateLot, Example, Project, Round
from models.catalog.params.certify import CertifyParams
from tests.world import World
from workers.certificates.promises import lots_of


def add_model(world: World, project: Project) -> Artifact:
    """The file of a model, of the last round that there is."""
    statement = select(Round).where(Round.project_id == project.id).order_by(Round.number.desc())
    round_ = world.session.scalars(statement.limit(1)).one()
    name = uuid.uuid4().hex
    path = world.storage.artifact(f"projects/{project.id}/rounds/{round_.number}/{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode())
    made = Artifact(
        project_id=project.id,
        round_id=round_.id,
        kind=ArtifactKind.CHECKPOINT,
        storage_key=str(path.relative_to(world.storage.root)),
        sha256=sha256(path),
        bytes=path.stat().st_size,
    )
    world.session.add(made)
    world.session.commit()
    return made


def add_certificate(
    world: World,
    project: Project,
    state: CertificateState = CertificateState.READY,
    *,
    classes: Sequence[int] | None = None,
    passed: bool = True,
    draws: Sequence[Draw] = (),
) -> Certificate:
    """A certificate of all that is unlabeled.

    Args:
        world: Where.
        project: Of classification, with a round.
        state: Where it is.
        classes: What the model takes each of the unlabeled images for, in their order: classes, or
            ``NO_CLASS``; all for the first class if left out.
        passed: Whether its lots have passed; otherwise nothing is known of them.
        draws: What people were asked.
    """
    found = world.session.execute(newest_model(project.id)).first()
    model = add_model(world, project) if found is None else found[0]
    statement = select(Example).where(
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.state == ExampleState.UNLABELED,
    )
    examples = world.session.scalars(statement.order_by(Example.pool_index)).all()
    first = world.classes(project)[0].id
    labels = np.array(classes or [first] * len(examples), dtype=np.int64)
    count = len(examples)
    members = Members(
        pool_index=np.array([one.pool_index for one in examples], dtype=np.int64),
        example_id=np.array([one.id for one in examples], dtype=np.int64),
        lot=np.zeros(count, dtype=np.int64),
        class_id=labels,
        probability=np.full(count, 0.9, dtype=np.float32),
        likeliest=np.where(labels == NO_CLASS, first, labels),
        given_any=np.full(count, 0.9, dtype=np.float32),
        inside=np.full(count, 0.9, dtype=np.float32),
    )
    lots = lots_of(members)
    for number, lot in enumerate(lots):
        members.lot[np.searchsorted(members.pool_index, lot.members)] = number
    made = Certificate(
        project_id=project.id,
        state=state,
        settings=CertifyParams(target=0.2, confidence=0.8).model_dump(mode="json"),
        images=count,
        model={"round": 0, "version": "round-0: auto", "digest": model.sha256, "learned_from": 2},
        data_digest="d" * 64,
        settings_digest="s" * 64,
        observations=[draw.to_json() for draw in draws],
        result={
            "seed": 1,
            "karat": "0.1.0+0037",
            "first": [],
            "human": None,
            "classes": [one.id for one in world.classes(project)],
            "overlap": ProjectSettings.model_validate(project.settings).overlap,
            "bound": {"share": 0.2, "wrong": count // 5, "of": count} if passed else None,
        },
    )
    world.session.add(made)
    world.session.flush()
    world.session.add_all(
        CertificateLot(
            certificate_id=made.id,
            number=number,
            class_id=None if lot.label == NO_CLASS else lot.label,
            low=lot.low,
            high=lot.high,
            size=lot.size,
            state=LotState.PASSED if passed else LotState.OPEN,
            bound=0.2 if passed else None,
        )
        for number, lot in enumerate(lots)
    )
    path = world.storage.artifact(f"projects/{project.id}/certificates/{made.id}.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    members.save(path)
    world.session.add(
        Artifact(
            project_id=project.id,
            kind=ArtifactKind.CERTIFICATE,
            storage_key=str(path.relative_to(world.storage.root)),
            sha256=sha256(path),
            bytes=path.stat().st_size,
            meta={"certificate_id": made.id},
        )
    )
    world.session.commit()
    return made
