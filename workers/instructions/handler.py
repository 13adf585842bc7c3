"""The ``select_instructions`` job: freeze the rows, put alike ones together, ask, choose, publish."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.errors import DomainError
from core.selections import write_selection
from core.states import ArtifactKind
from core.storage import write_atomically
from core.tables import Job, Project
from models.instructions.clusters import constrained_clusters
from models.instructions.methods import by_scores, k_means_random, longest, max_cover, random
from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices
from workers.arrays import read_arrays, write_arrays
from workers.artifacts import keep
from workers.context import JobContext, Phase
from workers.dry_run import dry_run
from workers.instructions.asking import publish_rankings
from workers.instructions.choosing import (
    Asked,
    Chosen,
    best_of_clusters,
    best_scores,
    people_are_asked,
    picked,
)
from workers.instructions.dry_run import prepare
from workers.instructions.features import embed, features_of
from workers.instructions.gather import Rows, gather
from workers.instructions.judged import JudgedFile
from workers.instructions.judging import Judging, note_pause
from workers.instructions.report import asked, columns_of, figures, warnings
from workers.yielding import Yielding

_CLUSTERS: Final = "clusters.npz"
_ASKED: Final = "asked.npz"
_RESULT: Final = "result.json"
STRATEGY: Final = "judge_undecided"
"""What the round is called in which people rank what the judge leaves open."""


def run(context: JobContext) -> dict[str, Any]:
    """Choose; a killed job goes on where it was, and asks nothing twice."""
    if context.dry_run:
        return dry_run(context, prepare)
    return context.finish(Selecting(context).run)


def failed(session: Session, job: Job) -> None:  # noqa: ARG001  as every handler has it
    """Note how far a job came that stopped at its cap: a retry may spend as much again."""
    if job.error is not None:
        note_pause(job)


class Selecting:
    """One job; each phase leaves a file of its unfinished work."""

    def __init__(self, context: JobContext) -> None:
        """Read what is asked."""
        self.context, self.params = context, SelectInstructionsParams.of(context)
        self.progress = Yielding(context).progress

    def run(self) -> None:
        """Run the phases, and publish what they have left."""
        self.context.run(PHASES, self)
        self.publish()

    @cached_property
    def rows(self) -> Rows:
        """What is chosen from."""
        return Rows.load(self.context)

    @cached_property
    def judging(self) -> Judging:
        """Who is asked."""
        return Judging.open(self.context, self.params)

    def gather(self) -> None:
        """Freeze the rows, and see whether there is somebody to ask."""
        gather(self.context)
        if self.params.judged or self.params.features == "judge":
            _ = self.judging

    def embed(self) -> None:
        """Compute what rows are alike by."""
        embed(self.context, self.params, self.rows, self.progress)

    def cluster(self) -> None:
        """Put alike rows together."""
        clusters = constrained_clusters(
            features_of(self.context),
            largest=self.params.largest,
            seed=self.rows.seed,
            clusters=self.params.clusters_of(len(self.rows)),
            progress=self.progress,
        )
        write_arrays(self.file(_CLUSTERS), {"clusters": clusters})

    @property
    def clusters(self) -> Indices:
        """(N,) number of the cluster of each row."""
        found: Indices = read_arrays(self.file(_CLUSTERS))["clusters"]
        return found

    def judge(self) -> None:
        """Ask about each cluster, or row, that was not asked about before."""
        self.judging.ask(self.rows, self.clusters, self.progress)

    def choose(self) -> None:
        """Choose, and leave the file of the selection, whom people are asked about, and figures."""
        params, rows = self.params, self.rows
        chosen = self._chosen()
        people = Asked([], set())
        if params.people_most and params.method == "fp_instruction":
            people = people_are_asked(
                chosen, most=params.people_most, share=params.audit_share, seed=rows.seed
            )
        columns = columns_of(rows, chosen)
        write_selection(self.file("selection.parquet"), columns)
        groups = [rows.examples[members] for members in people.groups]
        write_arrays(
            self.file(_ASKED),
            {
                "sizes": np.array([len(one) for one in groups], dtype=np.int64),
                "examples": np.concatenate([np.empty(0, dtype=np.int64), *groups]),
                "audit": np.array(sorted(people.audit), dtype=np.int64),
            },
        )
        said = warnings(params, columns)
        result = {"method": params.method, **figures(columns), "judge": None, "warnings": said}
        if params.judged:
            totals = JudgedFile(self.file(JUDGED)).totals
            result["judge"] = self.judging.described | asked(totals, priced=self.judging.priced)
        text = json.dumps(result)
        write_atomically(self.file(_RESULT), lambda part: part.write_text(text))

    def _chosen(self) -> Chosen:
        params, rows = self.params, self.rows
        count, size, seed = len(rows), self.params.size_of(len(rows)), rows.seed
        if params.method == "fp_instruction":
            return best_of_clusters(
                self.clusters,
                JudgedFile(self.file(JUDGED)),
                singletons=params.singletons,
                seed=seed,
                progress=self.progress,
            )
        if params.method == "sample_scores":
            least = params.at_least
            return best_scores(
                self.clusters,
                JudgedFile(self.file(JUDGED)),
                lambda scores: by_scores(
                    scores, at_least=least, size=size if least is None else None, seed=seed
                ),
            )
        if params.method == "k_means_random":
            clusters = self.clusters
            return picked(count, k_means_random(clusters, seed), clusters)
        if params.method == "max_cover":
            return picked(
                count, max_cover(features_of(self.context), size, seed, self.progress)
            )
        if params.method == "longest":
            return picked(count, longest(rows.lengths, size))
        return picked(count, random(count, size, seed))

    def publish(self) -> None:
        """Keep the selection, ask people, and note that all is done."""
        result = json.loads(self.file(_RESULT).read_text())
        arrays = read_arrays(self.file(_ASKED))
        groups = np.split(arrays["examples"], np.cumsum(arrays["sizes"])[:-1])
        audit = set(arrays["audit"].tolist())
        kept = keep(
            self.context, self.file("selection.parquet"), ArtifactKind.SELECTION, meta=result
        )
        with self.context.transaction() as (session, job):
            people = None
            if self.params.people_most and self.params.method == "fp_instruction":
                people = self._ask_people(session, [one.tolist() for one in groups], audit)
            kept.meta = {**result, "people": people}
            session.add(kept)
            session.flush()
            noted = {**kept.meta, "artifact_id": kept.id, "notes": result["warnings"]}
            self.context.note(job, {"result": noted})

    def _ask_people(
        self, session: Session, groups: list[list[int]], audit: set[int]
    ) -> dict[str, Any]:
        """Open a round in which people rank, unless one is open, or nothing is left to ask."""
        number, round_id, refused = None, None, None
        groups = [one for one in groups if one]
        if groups:
            project = session.get_one(Project, self.context.project_id, with_for_update=True)
            try:
                with session.begin_nested():
                    round_ = publish_rankings(
                        session,
                        project,
                        groups,
                        strategy=STRATEGY,
                        audit=audit,
                        seed=self.rows.seed,
                    )
                    number, round_id = round_.number, round_.id
            except DomainError as error:
                # What was paid for is not given up because people are busy with something else.
                refused = error.detail
        return {
            "round": number,
            "round_id": round_id,
            "asked": len(groups) if refused is None else 0,
            "audit": len(audit) if refused is None else 0,
            "answered": 0,
            "agreement": None,
            "tau": None,
            "refused": refused,
        }

    def file(self, name: str) -> Path:
        """A file of this job's unfinished work."""
        return self.context.work / name


JUDGED: Final = "judged.jsonl"
"""File of what a judge has said."""

PHASES: Final = (
    Phase("gather", Selecting.gather),
    Phase("embed", Selecting.embed, lambda one: one.params.embedded),
    Phase("cluster", Selecting.cluster, lambda one: one.params.clustered),
    Phase("judge", Selecting.judge, lambda one: one.params.judged),
    Phase("choose", Selecting.choose),
)
