"""Boxes to begin with: where the classifier looks of the project that a pool was taken over from.

Only until a detector of the project's own proposes some.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import and_, bindparam, select, update
from sqlalchemy.orm import Session, aliased

from core.database.among import among
from core.jobs.imports import ImportParams
from core.rounds import newest_model
from core.settings.project import ProjectSettings
from core.states import JobKind, Medium
from core.tables import Artifact, Example, Job, Project, ProjectClass, Query
from core.tasks.proposals import to_store
from core.tasks.registry import task_type
from models.errors import ModelError
from models.media.images.store import PixelStore, images_of
from models.tasks.localization.looking import CamBox, Looker, cam_boxes
from workers.advance.advance import Advance
from workers.advance.reads import round_of
from workers.jobs.stores import frame_of, open_store
from workers.look_at.lookers import looker_of

AT_ONCE: Final = 64
"""So many images a first round waits for: some seconds. The others follow when it is open."""
_BLOCK: Final = 128
_BEFORE_ALL: Final = -(2**31)
_DECIMALS: Final = 2
# Those that nobody has been shown; of others it would not be known what was.
_PROPOSE: Final = (
    update(Query)
    .where(Query.id == bindparam("query"), Query.lease_token.is_(None), ~Query.done)
    .values(proposals=bindparam("boxes"))
)


@dataclass(frozen=True)
class _Image:
    """One to look at."""

    example_id: int
    there: int
    """Its pool index in the other project."""
    size: tuple[int, int]
    class_id: int | None
    """What it is labeled as there."""


@dataclass(frozen=True)
class _Classifier:
    """What looks, and the class of this project by that of the other, as both have one name."""

    project_id: int
    looker: Looker
    store: PixelStore
    class_ids: Sequence[int]
    """Of the other project, by output."""
    own: Mapping[int, int]


def begins_with_boxes(advance: Advance) -> bool:
    """Whether there is a classifier that can look, and no detector yet."""
    with advance.context.sessions() as session:
        return _source(session, advance.context.project_id) is not None


def propose_first(advance: Advance) -> None:
    """Look at what the queue begins with, or at all of it where nobody waits for it to open."""
    chosen = advance.noted("select")
    order = chosen["order"][: chosen["wanted"]]
    most = AT_ONCE if advance.closing is None else len(order)
    try:
        classifier = _classifier(advance)
    except ModelError as error:
        note = f"No boxes are proposed to begin with: {error}"
        advance.note("propose", {"boxes": {}, "notes": [note]})
        return
    boxes: dict[int, list[dict[str, Any]]] = {}
    for start in range(0, min(most, len(order)), _BLOCK):
        advance.context.progress(start, most)
        block = order[start : min(start + _BLOCK, most)]
        with advance.context.sessions() as session:
            of_block = among(Example.pool_index, block)
            images = _images(session, advance, classifier, of_block)
        boxes |= _seen(classifier, images)
    notes = ["The boxes to begin with are where a model of classes looks; adjust them."]
    advance.note("propose", {"boxes": boxes, "notes": notes})


def proposed(advance: Advance) -> dict[int, list[dict[str, Any]]]:
    """What ``propose_first`` has found, by example."""
    boxes = advance.noted("propose").get("boxes", {})
    return {int(example_id): found for example_id, found in boxes.items()}


def propose_more(advance: Advance) -> None:
    """Look at the rest of an open queue, as long as nobody has been shown it."""
    if not advance.noted("propose").get("boxes"):
        return
    context, classifier = advance.context, _classifier(advance)
    assert advance.selecting is not None
    last, done = _BEFORE_ALL, 0
    while True:
        with context.sessions() as session:
            round_ = round_of(session, context.project_id, advance.selecting)
            rows = _unproposed(session, round_.id, last)
            ids = sorted({row.example_id for row in rows})
            images = _images(session, advance, classifier, among(Example.id, ids))
        if not rows:
            return
        boxes = _seen(classifier, images)
        with context.transaction() as (session, _):
            _propose(session, rows, boxes)
        last, done = rows[-1].rank, done + len(rows)
        context.progress(done, round_.queries)


def _source(session: Session, project_id: int) -> Project | None:
    """The project of classified images that this one's pool was taken over from, with a model."""
    project = session.get_one(Project, project_id)
    if not task_type(project.task).lists_objects:
        return None
    column = ImportParams.column("project").as_integer()
    taken = select(column).where(
        Job.project_id == project_id, Job.kind == JobKind.IMPORT_POOL, column.is_not(None)
    )
    number = session.scalar(taken.order_by(Job.id.desc()).limit(1))
    source = None if number is None else session.get(Project, number)
    if source is None or source.medium is not Medium.IMAGE:
        return None
    if not task_type(source.task).names_one_class:
        return None
    return source if session.execute(newest_model(source.id)).first() else None


def _classifier(advance: Advance) -> _Classifier:
    """The newest of the other project.

    Raises:
        ModelError: What it tells classes by has no place on the image.
    """
    context = advance.context
    with context.sessions() as session:
        source = _source(session, context.project_id)
        if source is None:
            raise ModelError("the project that the images were taken over from has gone.")
        settings = ProjectSettings.model_validate(source.settings)
        frame = frame_of(source.medium, settings)
        assert frame is not None  # it holds images
        artifact: Artifact = session.execute(newest_model(source.id)).one()[0]
        count = session.scalars(
            select(Example.pool_index + 1)
            .where(Example.project_id == source.id)
            .order_by(Example.pool_index.desc())
            .limit(1)
        ).one()
        own = _same_names(session, source.id, context.project_id)
    return _Classifier(
        source.id,
        looker_of(context.storage, artifact, settings, frame.side),
        # Another project's: no job of this one has seen to it.
        images_of(open_store(context.storage, source.id, frame, count, whole=True)),
        artifact.meta["class_ids"],
        own,
    )


def _same_names(session: Session, theirs: int, ours: int) -> dict[int, int]:
    own = aliased(ProjectClass)
    statement = select(ProjectClass.id, own.id).join(own, own.name == ProjectClass.name)
    statement = statement.where(ProjectClass.project_id == theirs, own.project_id == ours)
    return dict(session.execute(statement).all())


def _images(
    session: Session, advance: Advance, classifier: _Classifier, which: Any
) -> list[_Image]:
    """Those of this project that the other has as well."""
    there = aliased(Example)
    same = and_(
        there.project_id == classifier.project_id, there.content_hash == Example.content_hash
    )
    statement = (
        select(Example.id, there.pool_index, Example.width, Example.height, there.label_class_id)
        .join(there, same)
        .where(Example.project_id == advance.context.project_id, which)
        .order_by(Example.id)
    )
    return [
        _Image(number, index, (width or 0, height or 0), class_id)
        for number, index, width, height, class_id in session.execute(statement)
    ]


def _seen(classifier: _Classifier, images: list[_Image]) -> dict[int, list[dict[str, Any]]]:
    """Proposals by example: of the class that people gave an image, or else the most probable."""
    outputs: dict[int | None, int] = {
        number: output for output, number in enumerate(classifier.class_ids)
    }
    labeled = [one for one in images if one.class_id in outputs]
    others = [one for one in images if one.class_id not in outputs]
    found: dict[int, list[dict[str, Any]]] = {}
    for group, classes in (
        (labeled, np.array([outputs[one.class_id] for one in labeled], dtype=np.int64)),
        (others, None),
    ):
        if not group:
            continue
        sizes = np.array([one.size for one in group], dtype=np.int64)
        pixels = classifier.store[np.array([one.there for one in group])]
        boxes = cam_boxes(classifier.looker, pixels, sizes, classifier.store.frame, classes=classes)
        for one, box in zip(group, boxes, strict=True):
            kept = None if box is None else _proposal(classifier, box)
            found[one.example_id] = to_store([] if kept is None else [kept])
    return found


def _proposal(classifier: _Classifier, box: CamBox) -> dict[str, Any] | None:
    """It, if this project has the class."""
    class_id = classifier.own.get(classifier.class_ids[box.output])
    if class_id is None:
        return None
    sides = {side: round(getattr(box, side), _DECIMALS) for side in ("x", "y", "w", "h")}
    return {"class_id": class_id, **sides, "score": min(1.0, float(f"{box.score:.4g}"))}


def _unproposed(session: Session, round_id: int, after: int) -> list[Any]:
    statement = (
        select(Query.id, Query.rank, Query.example_id)
        .where(
            Query.round_id == round_id,
            Query.rank > after,
            ~Query.done,
            Query.proposals.is_(None),
            Query.lease_token.is_(None),
        )
        .order_by(Query.rank)
        .limit(_BLOCK)
    )
    return list(session.execute(statement).all())


def _propose(session: Session, rows: list[Any], boxes: dict[int, list[dict[str, Any]]]) -> None:
    """Write what was found, but where somebody is about to be shown the image."""
    free = (
        select(Query.id)
        .where(among(Query.id, [row.id for row in rows]), Query.lease_token.is_(None))
        .with_for_update(skip_locked=True)
    )
    held = set(session.scalars(free))
    changes = [
        {"query": row.id, "boxes": boxes[row.example_id]}
        for row in rows
        if row.id in held and row.example_id in boxes
    ]
    if changes:
        session.connection().execute(_PROPOSE, changes)
