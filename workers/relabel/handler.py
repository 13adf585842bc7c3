"""The ``relabel`` job: freeze the labels, learn from them, ask cleanlab, suggest others."""

import json
import shutil
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from core.states import ArtifactKind
from core.storage import write_atomically
from core.tables import Artifact, Example, Job, ProjectClass, Suggestion
from models.errors import ModelError
from models.params.relabel import RelabelParams
from models.protocols import Indices
from models.relabeling.run import relabel, require_learnable
from models.relabeling.second_opinion import second_opinion
from workers.arrays import read_arrays, write_arrays
from workers.artifacts import keep
from workers.dry_run import dry_run
from workers.knowledge import Knowledge, example_ids, freeze, frozen
from workers.manners import Manners
from workers.relabel.rehearsal import rehearse
from workers.relabel.report import UNKNOWN, Findings, result_of, write_relabels
from workers.runner import JobContext
from workers.subset import dropped_by

PHASES: Final = ("gather", "train", "second_opinion", "publish")

_ROWS_A_STATEMENT: Final = 5000


def run(context: JobContext) -> dict[str, Any]:
    """Learn and suggest; a killed job goes on in the training where it was."""
    params = RelabelParams.model_validate(context.params)
    if context.dry_run:
        return dry_run(context, partial(rehearse, gather=_Relabeling(context, params).gather))
    context.plan([name for name in PHASES if params.second_opinion or name != "second_opinion"])
    if "result" not in context.checkpoint:
        _Relabeling(context, params).run()
    shutil.rmtree(context.work, ignore_errors=True)
    result: dict[str, Any] = context.checkpoint["result"]
    return result


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: nothing was published, and a retry goes on where this ended."""


class _Relabeling:
    """The phases of one job."""

    def __init__(self, context: JobContext, params: RelabelParams) -> None:
        self.context, self.params = context, params
        self.manners = Manners(context)

    def run(self) -> None:
        """Run the phases that are not done."""
        if not self.context.done("gather"):
            with self.context.phase("gather"):
                self.gather()
        known = frozen(self.context)
        if not self.context.done("train"):
            with self.context.phase("train"):
                self.train(known)
        if self.params.second_opinion and not self.context.done("second_opinion"):
            with self.context.phase("second_opinion"):
                self.second_opinion(known)
        with self.context.phase("publish"):
            self.publish(known)

    def gather(self) -> None:
        """Freeze the labels, and refuse at once what cannot be learned."""
        known = freeze(self.context)
        indices, labels = known.snapshot.inside()
        trained = np.ones(len(indices), dtype=np.bool_)
        if self.params.subset is not None:
            trained = ~np.isin(indices, self._dropped(self.params.subset))
        require_learnable(
            labels, known.snapshot.classes, np.flatnonzero(trained), self._class_names()
        )
        self._write("gathered", trained=trained, truth=self._truth(known, indices))

    def train(self, known: Knowledge) -> None:
        """Learn from the labels, and keep what they should be."""
        indices, labels = known.snapshot.inside()
        found = relabel(
            self.params.learner,
            known.store,
            indices,
            labels,
            classes=known.snapshot.classes,
            seed=known.seed,
            work=self.context.work / "training",
            params=self.params.learner_params(),
            trained_on=np.flatnonzero(self._read("gathered")["trained"]),
            evaluation=known.snapshot.evaluation,
            evaluation_labels=known.snapshot.evaluation_labels,
            progress=self.manners.progress,
        )
        self._write("learned", corrected=found.corrected, confidence=found.confidence)
        facts = json.dumps({"test_accuracy": found.accuracy, "extras": dict(found.extras)})
        write_atomically(self.context.work / "learned.json", lambda part: part.write_text(facts))

    def second_opinion(self, known: Knowledge) -> None:
        """Have cleanlab judge the labels."""
        indices, labels = known.snapshot.inside()
        found = second_opinion(
            known.store,
            indices,
            labels,
            classes=known.snapshot.classes,
            seed=known.seed,
            progress=self.manners.progress,
        )
        self._write("judged", quality=found.quality, issue=found.issue)

    def publish(self, known: Knowledge) -> None:
        """Keep file, suggestions and result, all or nothing."""
        context = self.context
        findings = self._findings(known)
        examples = example_ids(context, findings.indices)
        result = {
            "learner": self.params.learner,
            "subset": self.params.subset,
            **json.loads((context.work / "learned.json").read_text()),
            **result_of(findings),
        }
        write_relabels(context.work / "relabels.parquet", findings, examples)
        key = f"projects/{context.project_id}/jobs/{context.job_id}/relabels.parquet"
        meta = {name: result[name] for name in ("learner", "labeled", "disagreements")}
        relabels = keep(
            context, context.work / "relabels.parquet", ArtifactKind.RELABELS, key, meta
        )
        rows = self._suggestions(findings, examples)
        with context.transaction() as (session, job):
            session.add(relabels)
            session.flush()
            for start in range(0, len(rows), _ROWS_A_STATEMENT):
                session.execute(insert(Suggestion), rows[start : start + _ROWS_A_STATEMENT])
            result["relabels_id"] = relabels.id
            context.checkpoint = {**context.checkpoint, "result": result}
            context.finish_phase(job, "publish")

    def _suggestions(self, findings: Findings, examples: Indices) -> list[dict[str, Any]]:
        """A row for each disagreement, the surest first."""
        doubted = np.flatnonzero(findings.corrected != findings.labels)
        order = doubted[np.argsort(-findings.confidence[doubted], kind="stable")]
        given = findings.class_ids[findings.labels[order]].tolist()
        suggested = findings.class_ids[findings.corrected[order]].tolist()
        confidence = findings.confidence[order].tolist()
        quality: list[float | None] = [None] * len(order)
        if findings.quality is not None:
            quality = findings.quality[order].tolist()
        return [
            {
                "project_id": self.context.project_id,
                "job_id": self.context.job_id,
                "example_id": example,
                "rank": rank,
                "given_class_id": given[rank],
                "suggested_class_id": suggested[rank],
                "confidence": confidence[rank],
                "quality": quality[rank],
            }
            for rank, example in enumerate(examples[order].tolist())
        ]

    def _findings(self, known: Knowledge) -> Findings:
        indices, labels = known.snapshot.inside()
        judged = self._read("judged") if self.params.second_opinion else {}
        return Findings(
            indices=indices,
            labels=labels,
            class_ids=known.snapshot.class_ids,
            quality=judged.get("quality"),
            issue=judged.get("issue"),
            **self._read("gathered"),
            **self._read("learned"),
        )

    def _dropped(self, subset: int) -> Indices:
        with self.context.sessions() as session:
            artifact = session.get(Artifact, subset)
            if (
                artifact is None
                or artifact.project_id != self.context.project_id
                or artifact.kind is not ArtifactKind.SUBSET
            ):
                raise ModelError(
                    f"The project has no subset {subset}; take the subset_id of a finished job "
                    "prune, or leave subset empty."
                )
            return dropped_by(self.context.storage.artifact(artifact.storage_key))

    def _class_names(self) -> list[str]:
        statement = (
            select(ProjectClass.name)
            .where(ProjectClass.project_id == self.context.project_id)
            .order_by(ProjectClass.position)
        )
        with self.context.sessions() as session:
            return list(session.scalars(statement))

    def _truth(self, known: Knowledge, indices: Indices) -> Indices:
        """Class that each image came with, (N,) int64 in 0..C-1; ``UNKNOWN`` for no class."""
        positions = {name: number for number, name in enumerate(self._class_names())}
        truth = np.full(known.snapshot.count, UNKNOWN, dtype=np.int64)
        label = Example.meta["label"].astext
        statement = select(Example.pool_index, label).where(
            Example.project_id == self.context.project_id, label.in_(positions)
        )
        with self.context.sessions() as session:
            for index, name in session.execute(statement):
                truth[index] = positions[name]
        return truth[indices]

    def _write(self, name: str, **arrays: NDArray[Any]) -> None:
        write_arrays(self.context.work / f"{name}.npz", arrays)

    def _read(self, name: str) -> dict[str, NDArray[Any]]:
        return read_arrays(self.context.work / f"{name}.npz")
