"""What a comparison of localizers works with: images of one thing each, and its box."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from core.database.among import among
from core.media.images.duplicates import answered_in_pool
from core.settings.project import ProjectSettings
from core.states import Split, Verdict
from core.tables import Example, Project, ProjectClass, Round
from core.tasks.boxes import BoxesLabel, corners_of
from core.tasks.registry import label_of
from core.tasks.spec import Label
from core.verdicts.consensus import Vote
from models.catalog.params.localize import LocalizeParams
from models.errors import ModelError
from models.files.arrays import read_arrays, write_arrays
from models.frame import Frame, Sizes
from models.media.images.store import PixelStore, images_of
from models.numerics.random_split import lots
from models.protocols import Indices
from models.tasks.localization.boxes import Boxes
from models.tasks.localization.squares import in_square
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, noted, open_store
from workers.labels.snapshot import pool_indices
from workers.labels.verdicts import agreed_labels

_FILE: Final = "known.npz"


@dataclass(frozen=True)
class Things:
    """Images that show one thing each, n of them.

    Attributes:
        indices: (n,) int64 pool indices, ascending.
        classes: (n,) int64 in 0..C-1.
        boxes: (n, 4) float64 left, top, right, bottom in fractions of the pool's square.
        sizes: (n, 2) int64 width and height of the upright pictures.
    """

    indices: Indices
    classes: Indices
    boxes: Boxes
    sizes: Sizes

    def take(self, which: NDArray[Any]) -> Self:
        """Those at (m,) positions, or where (n,) is true."""
        return type(self)(
            self.indices[which], self.classes[which], self.boxes[which], self.sizes[which]
        )


@dataclass(frozen=True)
class Known:
    """What one job works with, frozen when it began.

    Attributes:
        inside: To learn from.
        ood: (m,) int64 pool indices of OOD images to learn from.
        test: To judge by.
        class_ids: (C,) int64, of each output.
        images: How many the project has.
        frame: What models see of the pool's images.
        seed: Of the project.
        judged_on: "evaluation" or "held_out".
        left_out: How many images with a label are not used: ``none`` and ``several`` boxes, and
            ``cropped``, whose box lies mostly outside the square that models see.
    """

    inside: Things
    ood: Indices
    test: Things
    class_ids: Indices
    images: int
    frame: Frame
    seed: int
    judged_on: str
    left_out: Mapping[str, int]

    def save(self, context: JobContext) -> None:
        """Keep it for whoever resumes the job."""
        arrays = {"ood": self.ood, "class_ids": self.class_ids}
        for name, part in (("inside", self.inside), ("test", self.test)):
            arrays |= {f"{name}/{key}": value for key, value in part.__dict__.items()}
        write_arrays(context.work / _FILE, arrays)
        names = ("images", "seed", "judged_on")
        facts = {name: getattr(self, name) for name in names} | {"left_out": dict(self.left_out)}
        context.save({"known": {**facts, **noted(self.frame)}})

    @classmethod
    def load(cls, context: JobContext) -> Self:
        """Read what ``save`` wrote."""
        arrays = read_arrays(context.work / _FILE)
        inside, test = (
            Things(*(arrays[f"{name}/{key}"] for key in ("indices", "classes", "boxes", "sizes")))
            for name in ("inside", "test")
        )
        facts = dict(context.known)
        # An earlier version has noted the side alone, by another name.
        side = facts.pop("input_size", None) or facts.pop("side")
        frame = Frame(side, facts.pop("fit", "crop"))
        return cls(inside, arrays["ood"], test, arrays["class_ids"], frame=frame, **facts)

    def store(self, context: JobContext) -> PixelStore:
        """The pool's images."""
        store = open_store(context.storage, context.project_id, self.frame, self.images)
        return images_of(store)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many images each part holds."""
        return {
            "inside": len(self.inside.indices),
            "ood": len(self.ood),
            "test": len(self.test.indices),
            **self.left_out,
        }


def gather(context: JobContext, params: LocalizeParams) -> Known:
    """Read the labels of a project of boxes.

    Learned from are images whose label is one box; those of the evaluation split judge, or without
    any a share of the labeled ones, which depends on the seed and the image alone.

    Raises:
        ModelError: There is too little to learn from, or nothing to judge by.
    """
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        frame = frame_of(project.medium, settings)
        assert frame is not None  # texts have no boxes
        class_ids = session.scalars(
            select(ProjectClass.id)
            .where(ProjectClass.project_id == context.project_id)
            .order_by(ProjectClass.position)
        ).all()
        images = session.scalar(
            select(func.count()).where(Example.project_id == context.project_id)
        )
        last = select(func.max(Round.number)).where(Round.project_id == context.project_id)
        votes = agreed_labels(session, context.project_id, session.scalar(last))
        tally: Counter[str] = Counter(none=0, several=0, cropped=0)
        ood: list[int] = []
        things = partial(_things, session, context.project_id, frame, class_ids, tally)
        known = things(_labels(votes, ood))
        truths = things(_truths(session, context.project_id))
        auxiliary = pool_indices(session, context.project_id, Split.AUXILIARY_OOD)
    verdicts = np.array(ood, dtype=np.int64)
    judged_on, test = "evaluation", truths
    if len(test.indices) == 0:
        held = lots(known.indices, settings.seed) < params.held_out
        judged_on, test, known = "held_out", known.take(held), known.take(~held)
    found = Known(
        known,
        _ood(verdicts, auxiliary, params),
        test,
        np.array(class_ids, dtype=np.int64),
        images or 0,
        frame,
        settings.seed,
        judged_on,
        tally,
    )
    _require_enough(found, params)
    context.work.mkdir(parents=True, exist_ok=True)
    found.save(context)
    return found


def _labels(votes: Iterable[tuple[int, Vote]], ood: list[int]) -> Iterator[tuple[int, Label]]:
    """Labels one after the other; what has none and is OOD is noted."""
    for pool_index, vote in votes:
        if vote.label is not None:
            yield pool_index, vote.label
        elif vote.verdict is Verdict.OOD:
            ood.append(pool_index)


def _require_enough(known: Known, params: LocalizeParams) -> None:
    left = ", ".join(f"{count} with {what}" for what, count in _said(known.left_out))
    left = f" Of the labeled images {left} are left out." if left else ""
    if len(known.inside.indices) == 0:
        raise ModelError(
            "No image with exactly one box is known to learn from; draw one box on some images."
            + left
        )
    if params.localize == "cam" and len(np.unique(known.inside.classes)) < 2:
        raise ModelError(
            "A classifier needs images of two classes with one box each; draw boxes of another "
            f"class, or set localize = regression.{left}"
        )
    if len(known.test.indices) == 0:
        raise ModelError(
            "No image with exactly one box is left to judge by; label more images, or import an "
            f"evaluation split with boxes.{left}"
        )
    if len(known.ood) == 0:
        raise ModelError(
            f"There is no OOD image to learn from (ood_from = {params.ood_from}): label some "
            "images as OOD, or import images into the split auxiliary_ood."
        )


def _said(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    words = {
        "none": "no box",
        "several": "several boxes",
        "cropped": "a box outside the square that models see",
    }
    return [(words[name], count) for name, count in left_out.items() if count]


def _things(
    session: Session,
    project_id: int,
    frame: Frame,
    class_ids: Iterable[int],
    tally: Counter[str],
    labels: Iterable[tuple[int, Label]],
) -> Things:
    """Take the labels that are one box, and count the others."""
    output = {class_id: number for number, class_id in enumerate(class_ids)}
    found: list[tuple[int, int, Boxes]] = []
    for pool_index, label in labels:
        if not isinstance(label, BoxesLabel) or len(label.boxes) != 1:
            is_none = isinstance(label, BoxesLabel) and not label.boxes
            tally["none" if is_none else "several"] += 1
            continue
        (box,) = label.boxes
        if box.class_id not in output:
            tally["none"] += 1
            continue
        found.append((pool_index, output[box.class_id], corners_of([box])))
    indices = np.array([one[0] for one in found], dtype=np.int64)
    sizes = _sizes(session, project_id, indices)
    corners = np.concatenate([np.empty((0, 4)), *(one[2] for one in found)])
    boxes, kept = in_square(corners, sizes, frame)
    tally["cropped"] += int((~kept).sum())
    things = Things(indices, np.array([one[1] for one in found], dtype=np.int64), boxes, sizes)
    return things.take(kept)


def _sizes(session: Session, project_id: int, indices: Indices) -> Sizes:
    statement = (
        select(Example.pool_index, Example.width, Example.height)
        .where(Example.project_id == project_id, among(Example.pool_index, indices.tolist()))
        .order_by(Example.pool_index)
    )
    table = np.array(session.execute(statement).all(), dtype=np.int64).reshape(-1, 3)
    sizes: Sizes = table[np.searchsorted(table[:, 0], indices), 1:]
    return sizes


def _truths(session: Session, project_id: int) -> list[tuple[int, Label]]:
    """The evaluation images and what they came with, by ascending pool index."""
    rows = session.execute(
        select(Example.pool_index, Example.label)
        .where(
            Example.project_id == project_id,
            Example.split == Split.EVALUATION,
            Example.label.is_not(None),
            # A model that has learned from its like would be judged by what it has seen.
            or_(Example.duplicates_of.is_(None), ~answered_in_pool(project_id)),
        )
        .order_by(Example.pool_index)
    )
    labels = ((one, label_of(label)) for one, label in rows)
    return [(one, label) for one, label in labels if label is not None]


def _ood(verdicts: Indices, auxiliary: Indices, params: LocalizeParams) -> Indices:
    parts = {
        "verdicts": (verdicts,),
        "auxiliary_ood": (auxiliary,),
        "both": (verdicts, auxiliary),
    }
    return np.concatenate([np.empty(0, np.int64), *parts[params.ood_from]])
