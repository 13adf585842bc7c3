"""The ``relabel`` job: freeze the labels, judge them by features or a network, suggest others."""

from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select

from core.states import ArtifactKind
from core.tables import Example, Suggestion
from core.tasks.classification import stored_class
from core.withdrawals import is_kept
from models.catalog.params.relabel import RelabelParams
from models.files.arrays import read_arrays, write_arrays
from models.media.images.store import images_of
from models.protocols import Indices
from models.relabeling.groups import NO_GROUP
from models.relabeling.run import relabel
from models.relabeling.second_opinion import SecondOpinion, second_opinion
from workers.dry_run import dry_run
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.work import JobWork, read_json, write_json
from workers.labels.job_inputs import JobInputs, example_ids
from workers.relabel.dry_run import prepare
from workers.relabel.features import embed, judged_by_features
from workers.relabel.gather import Gathered, gather, gathered_before
from workers.relabel.report import Findings, result_of, warnings_of, write_relabels
from workers.relabel.votes import weighed
from workers.weights import located

_ROWS_A_STATEMENT: Final = 5000


def run(context: JobContext) -> dict[str, Any]:
    """Learn and suggest; a killed job goes on in the training where it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    params = located(context, RelabelParams.of(context))
    return Relabeling(context, params).run(FROZEN_PHASES if params.frozen else PHASES)


class Relabeling(JobWork[RelabelParams]):
    """One job; each phase leaves files of its unfinished work."""

    @cached_property
    def gathered(self) -> Gathered:
        """What was gathered."""
        return gathered_before(self.context)

    def gather(self) -> None:
        """Freeze the labels."""
        gather(self.context, self.params)

    def embed(self) -> None:
        """Compute features of the labeled images."""
        embed(self.context, self.params, self.gathered, self.progress)

    def judge(self) -> None:
        """Judge the labels by the features, and have cleanlab judge them by the same opinions."""
        judged = judged_by_features(self.context, self.params, self.gathered, self.progress)
        if self.params.second_opinion:
            self._keep_opinion(self.gathered.known, judged.second)
        self._write("learned", **judged.arrays)
        write_json(self.file("learned.json"), judged.facts)

    def second_opinion(self) -> None:
        """Have cleanlab judge the labels."""
        known = self.gathered.known
        indices, labels = known.snapshot.inside()
        found = second_opinion(
            images_of(known.store),
            indices,
            labels,
            classes=known.snapshot.classes,
            seed=known.seed,
            flip=self.params.flip,
            progress=self.progress,
        )
        self._keep_opinion(known, found)

    def _keep_opinion(self, known: JobInputs, found: SecondOpinion) -> None:
        _, labels = known.snapshot.inside()
        votes = weighed(self.context, labels, found.probabilities)
        judged = {"quality": found.quality, "issue": found.issue}
        if votes is not None:
            judged |= {"consensus": votes.labels, "consensus_quality": votes.quality}
        self._write("judged", **judged)
        write_json(self.file("judged.json"), {"votes": None if votes is None else votes.result})

    def train(self) -> None:
        """Learn from the labels, and keep what they should be."""
        known = self.gathered.known
        indices, labels = known.snapshot.inside()
        found = relabel(
            self.params.learner,
            known.store,
            indices,
            labels,
            classes=known.snapshot.classes,
            seed=known.seed,
            work=self.file("training"),
            params=self.params.learner_params(),
            trained_on=self.gathered.trained_on,
            evaluation=known.snapshot.evaluation,
            evaluation_labels=known.snapshot.evaluation_labels,
            progress=self.progress,
        )
        self._write("learned", corrected=found.corrected, confidence=found.confidence,
                    named=found.corrected)  # fmt: skip
        facts = {"test_accuracy": found.accuracy, "extras": dict(found.extras)}
        write_json(self.file("learned.json"), facts)

    def suggest(self) -> None:
        """Keep file, suggestions and result, all or nothing."""
        context = self.context
        findings = self._findings()
        examples = example_ids(context, findings.indices)
        learned, judged = read_json(self.file("learned.json")), {"votes": None}
        if self.params.second_opinion:
            judged = read_json(self.file("judged.json"))
        evaluation_labels = self.gathered.known.snapshot.evaluation_labels
        warnings = warnings_of(findings, learned["test_accuracy"], evaluation_labels)
        result = {
            "learner": self.params.learner,
            "network": self.params.network,
            "subset": self.params.subset,
            "warnings": list(warnings),
            **learned,
            "test_examples": len(evaluation_labels),
            "notes": [*warnings, *learned.get("notes", [])],
            **judged,
            **result_of(findings),
        }
        path = self.file("relabels.parquet")
        write_relabels(path, findings, examples)
        meta = {name: result[name] for name in ("learner", "labeled", "disagreements")}
        relabels = keep(context, path, ArtifactKind.RELABELS, meta)
        rows = self._suggestions(findings, examples)
        with context.transaction() as (session, job):
            session.add(relabels)
            session.flush()
            # Withdrawn while the job ran.
            gone = set(
                session.scalars(
                    select(Example.id).where(Example.project_id == context.project_id, ~is_kept())
                )
            )
            rows = [row for row in rows if row["example_id"] not in gone]
            for start in range(0, len(rows), _ROWS_A_STATEMENT):
                session.execute(insert(Suggestion), rows[start : start + _ROWS_A_STATEMENT])
            context.note(job, {"result": {**result, "relabels_id": relabels.id}})
            context.finish_phase(job, "publish")

    def _suggestions(self, findings: Findings, examples: Indices) -> list[dict[str, Any]]:
        """A row for each disagreement that nobody has settled, what is worth most first."""
        doubted = np.flatnonzero(findings.doubted)
        worth = findings.confidence if findings.worth is None else findings.worth
        order = doubted[np.argsort(-worth[doubted], kind="stable")]
        given = findings.class_ids[findings.labels[order]].tolist()
        suggested = findings.corrected_ids(order)
        confidence = findings.confidence[order].tolist()
        quality: list[float | None] = [None] * len(order)
        if findings.quality is not None:
            quality = findings.quality[order].tolist()
        wrong: list[float | None] = [None] * len(order)
        if findings.wrong is not None:
            wrong = findings.wrong[order].tolist()
        alike: list[int | None] = [None] * len(order)
        if findings.alike is not None:
            groups = findings.alike[order].tolist()
            alike = [None if one == NO_GROUP else one for one in groups]
        return [
            {
                "project_id": self.context.project_id,
                "job_id": self.context.job_id,
                "example_id": example,
                "rank": rank,
                "given_label": stored_class(given[rank]),
                "suggested_label": stored_class(suggested[rank]),
                "confidence": confidence[rank],
                "quality": quality[rank],
                "wrong": wrong[rank],
                "alike": alike[rank],
            }
            for rank, example in enumerate(examples[order].tolist())
        ]

    def _findings(self) -> Findings:
        snapshot = self.gathered.known.snapshot
        indices, labels = snapshot.inside()
        judged = self._read("judged") if self.params.second_opinion else {}
        return Findings(
            indices=indices,
            labels=labels,
            class_ids=snapshot.class_ids,
            true_ids=self.gathered.true_ids,
            trained=self.gathered.trained,
            reviewed=np.isin(indices, snapshot.reviewed),
            quality=judged.get("quality"),
            issue=judged.get("issue"),
            consensus=judged.get("consensus"),
            consensus_quality=judged.get("consensus_quality"),
            **self._read("learned"),
        )

    def _write(self, name: str, **arrays: NDArray[Any]) -> None:
        write_arrays(self.file(f"{name}.npz"), arrays)

    def _read(self, name: str) -> dict[str, NDArray[Any]]:
        return read_arrays(self.file(f"{name}.npz"))


# Training last of what takes long: only its own steps tell how long it takes.
PHASES: Final = (
    Phase("gather", Relabeling.gather),
    Phase("second_opinion", Relabeling.second_opinion, lambda task: task.params.second_opinion),
    Phase("train", Relabeling.train),
    Phase("publish", Relabeling.suggest),
)
FROZEN_PHASES: Final = (
    Phase("gather", Relabeling.gather),
    Phase("embed", Relabeling.embed),
    Phase("judge", Relabeling.judge),
    Phase("publish", Relabeling.suggest),
)
