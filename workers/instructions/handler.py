"""The ``select_instructions`` job: freeze the rows, cluster them, ask, choose, publish."""

from functools import cached_property
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.artifacts.selections import write_selection
from core.errors import DomainError
from core.states import ArtifactKind
from core.tables import Project
from models.catalog import find, parse
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.catalog.resolve import resolve
from models.files.arrays import read_arrays, write_arrays
from models.protocols import Indices
from models.tasks.instructions.clusters import constrained_clusters
from models.tasks.instructions.topics import topics_of, words_of
from models.tasks.instructions.view import InstructionView
from workers.dry_run import dry_run
from workers.instructions.asking import publish_rankings
from workers.instructions.choosing import (
    Asked,
    columns_of,
    people_are_asked,
    rankings_of,
    scores_of,
)
from workers.instructions.dry_run import prepare
from workers.instructions.features import embed, features_of, sample_of
from workers.instructions.gather import Rows, gather, may_be_asked, questions_of
from workers.instructions.judged import JudgedFile
from workers.instructions.judging import Judging
from workers.instructions.report import figures, warnings, whole_columns
from workers.instructions.tied import tied_scores
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.work import JobWork, read_json, write_json

STRATEGY: Final = "judge_undecided"
"""What the round is called in which people rank what the judge leaves open."""
_CLUSTERS: Final = "clusters.npz"
_ASKED: Final = "asked.npz"
_JUDGED: Final = "judged.jsonl"
_SELECTION: Final = "selection.parquet"
_NAMED_BY: Final = 4_000
"""Rows that topics are named by."""


def run(context: JobContext) -> dict[str, Any]:
    """Choose; a killed job goes on where it was, and asks nothing twice."""
    if context.dry_run:
        return dry_run(context, prepare)
    return Selecting(context, SelectInstructionsParams.of(context)).run(PHASES)


class Selecting(JobWork[SelectInstructionsParams]):
    """One job; each phase leaves a file of its unfinished work."""

    def __init__(self, context: JobContext, params: SelectInstructionsParams) -> None:
        """Begin, or go on."""
        super().__init__(context, params)
        # No round waits for its worker.
        self.progress = context.progress

    @cached_property
    def rows(self) -> Rows:
        """What is chosen from."""
        return Rows.load(self.context)

    @cached_property
    def judging(self) -> Judging:
        """Who is asked."""
        return Judging.open(self.context, self.params)

    @cached_property
    def clusters(self) -> Indices | None:
        """(N,) number of the cluster of each row, if alike rows were put together."""
        if not self.params.clustered:
            return None
        found: Indices = read_arrays(self.file(_CLUSTERS))["clusters"]
        return found

    def gather(self) -> None:
        """Freeze the rows, and see whether there is somebody to ask."""
        gather(self.context, self.params)
        if self.params.judged or self.params.embedded_by_judge:
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
            clusters=self.params.count(),
            progress=self.progress,
        )
        write_arrays(self.file(_CLUSTERS), {"clusters": clusters})

    def judge(self) -> None:
        """Ask about each cluster, or row, that was not asked about before."""
        said = JudgedFile(self.file(_JUDGED))
        self.judging.ask(self.rows, self.clusters, said, self.progress)

    def choose(self) -> None:
        """Choose, and leave the selection, what people are asked, and figures."""
        params, rows = self.params, self.rows
        said = JudgedFile(self.file(_JUDGED))
        view = InstructionView(
            n=len(rows),
            seed=rows.seed,
            embeddings=features_of(self.context) if params.method == "max_cover" else None,
            lengths=rows.lengths,
            scores=scores_of(said, len(rows)) if params.method == "sample_scores" else None,
            clusters=self.clusters,
            rankings=rankings_of(said) if params.method == "fp_instruction" else None,
        )
        spec = find("instruction_selection", params.method)
        method_params = parse(spec.kind, spec.name, params.method_params(spec.params))
        chosen = resolve(spec)(view, method_params)
        columns = columns_of(chosen, self.clusters, view.rankings, judged=params.judged)
        asked = Asked([], set())
        if params.asks_people:
            asked = people_are_asked(
                columns, most=params.people_most, share=params.audit_share, seed=rows.seed
            )
        groups = [rows.examples[members] for members in asked.groups]
        arrays = {
            "sizes": np.array([len(one) for one in groups], dtype=np.int64),
            "examples": np.concatenate([np.empty(0, dtype=np.int64), *groups]),
            "audit": np.array(sorted(asked.audit), dtype=np.int64),
        }
        write_arrays(self.file(_ASKED), arrays)
        topics = topics_of(features_of(self.context), rows.seed) if params.embedded else None
        whole = whole_columns(rows, columns, topics)
        write_selection(self.file(_SELECTION), whole)
        judge = self.judging.cost(said) if params.judged else None
        left, left_rows = 0, 0
        if judge is not None:
            left, left_rows = self.judging.not_asked(self.clusters, len(rows), said)
            judge["unanswered"] |= {"not_asked": left} if left else {}
        favours = judge is not None and judge.pop("favours_places")
        result = {
            "method": params.method,
            **figures(whole),
            "topic_words": [] if topics is None else self._words(topics),
            "judge": judge,
            "non_rankable": tied_scores(self.context, params.method, whole),
            "warnings": warnings(
                params, whole, favours_places=favours, not_asked=left, of_rows=left_rows
            ),
        }
        write_json(self.result_file, result)

    def _words(self, topics: Indices) -> list[list[str]]:
        """What sets topics apart, by what a sample of the rows ask."""
        sample = sample_of(self.rows, _NAMED_BY)
        asked = questions_of(self.context.sessions, self.rows.examples[sample].tolist())
        return words_of(asked, topics[sample], int(topics.max()) + 1)

    def publish(self) -> None:
        """Keep the selection, ask people, and note that all is done."""
        result = read_json(self.result_file)
        kept = keep(self.context, self.file(_SELECTION), ArtifactKind.SELECTION, result)
        with self.context.transaction() as (session, job):
            people = self._ask_people(session) if self.params.asks_people else None
            kept.meta = {**result, "people": people}
            session.add(kept)
            session.flush()
            noted = {**kept.meta, "artifact_id": kept.id, "notes": result["warnings"]}
            self.context.note(job, {"result": noted})

    def _ask_people(self, session: Session) -> dict[str, Any]:
        """Open a round in which people rank, unless people are busy with another one."""
        arrays = read_arrays(self.file(_ASKED))
        parts = np.split(arrays["examples"], np.cumsum(arrays["sizes"]))[:-1]
        groups = [part.tolist() for part in parts]
        audit = set(arrays["audit"].tolist())
        said: dict[str, Any] = {
            "round": None,
            "round_id": None,
            "asked": 0,
            "audit": 0,
            "answered": 0,
            "agreement": None,
            "tau": None,
            "refused": None,
        }
        if not groups:
            return said
        groups, audit = may_be_asked(session, groups, audit)
        if not groups:
            return {**said, "refused": "All rows that people were to rank are held out by now."}
        project = session.get_one(
            Project, self.context.project_id, with_for_update={"key_share": True}
        )
        try:
            with session.begin_nested():
                round_ = publish_rankings(
                    session, project, groups, strategy=STRATEGY, audit=audit, seed=self.rows.seed
                )
        except DomainError as error:
            # What was paid for is not given up because people are busy with something else.
            return {**said, "refused": error.detail}
        return {
            **said,
            "round": round_.number,
            "round_id": round_.id,
            "asked": len(groups),
            "audit": len(audit),
        }


PHASES: Final = (
    Phase("gather", Selecting.gather),
    Phase("embed", Selecting.embed, lambda one: one.params.embedded),
    Phase("cluster", Selecting.cluster, lambda one: one.params.clustered),
    Phase("ask", Selecting.judge, lambda one: one.params.judged),
    Phase("choose", Selecting.choose),
)
