"""What the newest model takes the images for that nobody has judged."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.artifacts.certificates import OTHER_CLASSES, Members
from core.errors import Conflict
from core.rounds import newest_model
from core.settings.project import ProjectSettings
from core.states import ArtifactKind, ExampleState, Split
from core.tables import Artifact, Example, Project, ProjectClass, Round
from models.errors import ModelError
from models.files.arrays import write_arrays
from models.guarantee.lots import labels_of
from models.numerics.probability import softmax
from models.protocols import Indices, Progress
from models.ranking.pool_scores import PoolScores, is_unclear
from models.rounds.predictions import inside_as_in
from models.rounds.query import by_row
from workers.advance.advance import Advance
from workers.advance.reads import round_of
from workers.certificates.promises import lots_of
from workers.certify.earlier import with_earlier
from workers.features.stored import latest, require_same_features
from workers.jobs.context import JobContext
from workers.labels.job_inputs import example_ids
from workers.labels.snapshot import take
from workers.weights import with_file

CANDIDATES: Final = "candidates.npy"
EARLIER: Final = "earlier.npz"
NO_PROBABILITY: Final = (
    "Nothing tells the chance that an image is of any class, so nothing is labeled OOD; choose "
    "probe as the purity, and close a round with OOD answers."
)


@dataclass(frozen=True)
class Facts:
    """What a certificate is of.

    Attributes:
        model: ``round``, ``version``, ``digest``, ``learned_from``.
        scores: Storage key of the scores that this model gave, if a round has left them.
        settings: Those of its round.
        seed: Of the project.
        data_digest: SHA-256 of the SHA-256 of all images of the pool, in order.
        class_ids: Class of each output of the model: a project may have others by now, or in
            another order.
        features: ``learned_digest`` of the embeddings that it learned from.
    """

    model: dict[str, Any]
    scores: str | None
    settings: dict[str, Any]
    seed: int
    data_digest: str
    class_ids: list[int]
    features: str | None = None

    @property
    def settings_digest(self) -> str:
        """SHA-256 of the settings of the round that has trained the model."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()


def gather(context: JobContext) -> Facts:
    """Freeze the model, and what nobody has judged or is being asked about.

    Raises:
        Conflict: ``no_model``, ``resized``, or ``nothing_unlabeled``.
    """
    context.work.mkdir(parents=True, exist_ok=True)
    project_id = context.project_id
    with context.sessions() as session:
        found = session.execute(newest_model(project_id)).first()
        if found is None:
            raise Conflict("no_model", "There is no model yet; close a round first.")
        artifact, number = found
        round_ = round_of(session, project_id, number)
        project = session.get_one(Project, project_id)
        now = ProjectSettings.model_validate(project.settings)
        then = ProjectSettings.model_validate(round_.settings)
        if (now.input_size, now.fit) != (then.input_size, then.fit):
            raise Conflict(
                "resized",
                "Models see the images at another size, or more or less of them, since the newest "
                "model learned; close a round first.",
            )
        closed = take(session, project_id, number)
        last = session.scalar(select(func.max(Round.number)).where(Round.project_id == project_id))
        snapshot = take(session, project_id, last)
        snapshot.save(context.work / "snapshot.npz")
        free = _free(session, project_id)
        candidates = np.intersect1d(snapshot.unlabeled, free, assume_unique=True)
        if len(candidates) == 0:
            raise Conflict(
                "nothing_unlabeled", "Every image has been judged, or is being asked about already."
            )
        candidates, earlier = with_earlier(session, project_id, snapshot, last, candidates)
        facts = Facts(
            model={
                "round": number,
                "version": f"round-{number}: {then.model.name}",
                "digest": artifact.sha256,
                "learned_from": len(closed.labeled),
            },
            scores=_scores_of(session, project_id, number),
            settings=round_.settings,
            seed=now.seed,
            data_digest=_data_digest(session, project_id),
            class_ids=artifact.meta["class_ids"],
            features=artifact.meta.get("features"),
        )
        key = artifact.storage_key
    write_arrays(context.work / EARLIER, earlier)
    np.save(context.work / CANDIDATES, candidates)
    shutil.copyfile(context.storage.fetch(key), context.work / "model.safetensors")
    return facts


def _free(session: Session, project_id: int) -> Indices:
    """Pool indices of what nobody is being asked about, ascending."""
    statement = (
        select(Example.pool_index)
        .where(
            Example.project_id == project_id,
            Example.split == Split.POOL,
            Example.state == ExampleState.UNLABELED,
        )
        .order_by(Example.pool_index)
    )
    return np.fromiter(session.scalars(statement), dtype=np.int64)


def _scores_of(session: Session, project_id: int, number: int) -> str | None:
    """The scores that the queue of the round after ``number`` was chosen by."""
    statement = (
        select(Artifact.storage_key)
        .join(Round, Round.id == Artifact.round_id)
        .where(
            Artifact.project_id == project_id,
            Artifact.kind == ArtifactKind.SCORES,
            Round.number == number + 1,
        )
        .order_by(Artifact.id.desc())
        .limit(1)
    )
    key: str | None = session.scalar(statement)
    return key


def _data_digest(session: Session, project_id: int) -> str:
    digest = hashlib.sha256()
    statement = (
        select(Example.content_hash)
        .where(Example.project_id == project_id, Example.split == Split.POOL)
        .order_by(Example.pool_index)
        .execution_options(yield_per=10_000)
    )
    for content in session.scalars(statement):
        digest.update(content)
    return digest.hexdigest()


def advance_of(context: JobContext, facts: Facts) -> Advance:
    """The round that trained the model, as far as scoring needs it."""
    settings = ProjectSettings.model_validate(facts.settings)
    with context.sessions() as session:
        settings = with_file(session, context.storage, settings)
        learned = latest(session, context.project_id)
    number = facts.model["round"]
    advance = Advance(
        context=context,
        work=context.work,
        closing=number,
        selecting=number + 1,
        settings=settings,
        seed=facts.seed,
        previous={},
        previous_class_ids=[],
        previous_state={},
        model_class_ids=facts.class_ids,
    )
    advance.note("snapshot", {"learned_by": learned if advance.needs_learned_features else None})
    return advance


@dataclass(frozen=True)
class Outputs:
    """What a model says of (n,) images: class, its probability, and that they are of any."""

    classes: Indices
    probability: Any
    inside: Any | None

    @classmethod
    def joined(cls, parts: Sequence["Outputs"]) -> "Outputs":
        """Parts of a pool, in their order; unless all know what is of any class, none does."""
        inside = [one.inside for one in parts if one.inside is not None]
        return cls(
            np.concatenate([one.classes for one in parts]),
            np.concatenate([one.probability for one in parts]),
            np.concatenate(inside) if len(inside) == len(parts) else None,
        )

    def take(self, positions: Indices) -> "Outputs":
        """The rows at (n,) positions."""
        inside = None if self.inside is None else self.inside[positions]
        return Outputs(self.classes[positions], self.probability[positions], inside)


def of_scores(scores: PoolScores, inside: Any | None) -> Outputs:
    """Read scores."""
    probabilities = softmax(scores.logits)
    return Outputs(probabilities.argmax(axis=1), probabilities.max(axis=1), inside)


def scores_of(context: JobContext, facts: Facts) -> PoolScores | None:
    """What the model has said of the pool in its round, if that has left it, and what it means."""
    path = None if facts.scores is None else context.storage.fetch(facts.scores)
    if path is None or not path.exists() or is_unclear(path):
        return None
    return PoolScores.from_parquet(path)


def score(
    context: JobContext,
    facts: Facts,
    known: PoolScores | None,
    rows: Indices,
    progress: Progress,
) -> Outputs:
    """What the model says of (n,) pool indices, ascending: what is known, and by asking it.

    Raises:
        ModelError: The model is to be asked, and what it looks at is not there.
    """
    found = np.zeros(len(rows), dtype=np.bool_)
    if known is not None:
        found = np.isin(rows, known.indices)
    parts: list[Outputs] = []
    if not found.all():
        advance = advance_of(context, facts)
        if not by_row(advance.query_settings):
            # A score that depends on what is beside it is of all at once.
            found[:] = False
        if advance.frozen:
            require_same_features(facts.features, advance.embeddings_file)
        parts = _ask(advance, known, rows[~found], progress)
    if known is not None and found.any():
        scores = known.take(np.searchsorted(known.indices, rows[found]))
        parts.append(of_scores(scores, scores.inside))
    places = np.concatenate([np.flatnonzero(~found), np.flatnonzero(found)])
    return Outputs.joined(parts).take(np.argsort(places))


def _ask(
    advance: Advance, known: PoolScores | None, rows: Indices, progress: Progress
) -> list[Outputs]:
    """Ask the model about (n,) pool indices; purity is read as the round has read what is known."""
    if rows[-1] >= advance.looked_at:
        raise ModelError(
            "Some images came after the newest model had looked at the pool; close a round, so "
            "that it sees them, and certify then."
        )
    model = advance.model()
    assert model is not None
    size = advance.context.settings.scoring_rows if by_row(advance.query_settings) else len(rows)
    if len(rows) > size:
        advance.look_at_verdicts(model)
    parts = []
    for start in range(0, len(rows), size):
        scores = advance.scored(
            model,
            rows[start : start + size],
            lambda step, _: progress(start + step, len(rows)),  # noqa: B023
        ).scores
        parts.append(of_scores(scores, inside_as_in(known, scores)))
    return parts


def named_by(context: JobContext, facts: Facts, outputs: Outputs) -> Indices:
    """(C,) ids of the classes that the outputs of the model stand for.

    Raises:
        Conflict: ``class_gone``, the model names one that the project has no longer.
    """
    class_ids = np.array(facts.class_ids, dtype=np.int64)
    statement = select(ProjectClass.id).where(ProjectClass.project_id == context.project_id)
    with context.sessions() as session:
        there = list(session.scalars(statement))
    if not np.isin(class_ids[np.unique(outputs.classes)], there).all():
        raise Conflict("class_gone", OTHER_CLASSES["class_gone"])
    return class_ids


def members_of(context: JobContext, facts: Facts, outputs: Outputs) -> Members:
    """Put the candidates into lots, by what a model says of them.

    Raises:
        Conflict: ``class_gone``.
    """
    rows = np.load(context.work / CANDIDATES)
    class_ids = named_by(context, facts, outputs)
    labels, sure = labels_of(outputs.classes, outputs.probability, outputs.inside)
    members = Members(
        pool_index=rows,
        example_id=example_ids(context, rows),
        lot=np.zeros(len(rows), dtype=np.int64),
        # An output of the model, or none of them, which both call -1.
        class_id=np.where(labels < 0, labels, class_ids[np.maximum(labels, 0)]),
        probability=np.minimum(sure, 1.0).astype(np.float32),
        likeliest=class_ids[outputs.classes],
        given_any=outputs.probability.astype(np.float32),
        inside=np.full(len(rows), np.nan, dtype=np.float32)
        if outputs.inside is None
        else outputs.inside.astype(np.float32),
    )
    for number, lot in enumerate(lots_of(members)):
        members.lot[np.searchsorted(rows, lot.members)] = number
    return members
