"""A project whose annotators are played without HTTP."""

import hashlib
from collections.abc import Sequence
from typing import Any

from safetensors.numpy import load_file
from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from core.jobs.messages import RunJob
from core.rounds import close
from core.states import JobState, ProjectState, Role, Verdict
from core.tables import Annotation, Artifact, Example, Job, Query, Round
from core.tasks.classification import stored_class
from core.verdicts.consensus import EXAMPLE_STATE_AFTER
from tests.world import World
from workers.advance import handler
from workers.execution.runner import run_job

TINY = {
    "model": {"name": "cnn_tiny", "params": {"steps": 8, "augment": False}},
    # The strategy with the most phases: it learns between rounds.
    "strategy": {"name": "mqnet", "params": {"epochs": 10}},
    "budget": 8,
}


def run(session: Session, job: Job) -> Job:
    """Run the job of a round here, whatever becomes of it; what is handed on as well."""
    message = RunJob.of(job)
    session.rollback()  # the server ends a transaction that idles for a minute
    run_job(message, handler)
    session.expire_all()
    return run(session, job) if message.opening and not job.is_opening else job


class Loop:
    """Plays the annotators of a project without HTTP; every third image is OOD."""

    def __init__(self, world: World, **settings: Any) -> None:
        self.world, self.session = world, world.session
        self.annotator = world.caller(Role.ANNOTATOR).user
        self.project = world.project(
            **{"images": 60, "evaluation": 12, "state": ProjectState.RUNNING, **TINY, **settings}
        )
        self.classes = world.classes(self.project)
        world.open_round(self.project, 12)

    def rounds(self) -> list[Round]:
        self.session.expire_all()
        statement = select(Round).where(Round.project_id == self.project.id)
        return list(self.session.scalars(statement.order_by(Round.number)))

    def waiting(self, round_: Round, n: int | None = None) -> Sequence[Row[Query, Example]]:
        """The first queries of a round that nobody has answered, and what they are about."""
        statement = (
            select(Query, Example)
            .join(Example, Example.id == Query.example_id)
            .where(Query.round_id == round_.id, ~Query.done)
            .order_by(Query.rank)
            .limit(n)
        )
        return self.session.execute(statement).all()

    def answer(self, number: int, n: int, verdict: Verdict | None = None) -> None:
        """The first ``n`` queries of round ``number`` are answered, and count to it."""
        round_ = self.rounds()[number]
        for query, example in self.waiting(round_, n):
            given = verdict or (Verdict.OOD if example.pool_index % 3 == 0 else Verdict.LABEL)
            chosen = (
                self.classes[example.pool_index % 2 % len(self.classes)].id
                if given is Verdict.LABEL
                else None
            )
            self._store(round_, query, example, given, chosen)
        self.session.commit()

    def _store(
        self, round_: Round, query: Query, example: Example, verdict: Verdict, chosen: int | None
    ) -> None:
        self.session.add(
            Annotation(
                project_id=self.project.id,
                example_id=example.id,
                query_id=query.id,
                round_id=round_.id,
                annotator_id=self.annotator.id,
                client_key=func.gen_random_uuid(),
                verdict=verdict,
                label=stored_class(chosen),
                seconds=1.0,
                cost=1.0,
                counted=True,
            )
        )
        round_.spent += 1.0
        query.done = True
        example.state, example.label = EXAMPLE_STATE_AFTER[verdict], stored_class(chosen)

    def close(self, number: int) -> Job:
        made, job = close(self.project, self.rounds()[number], None)
        self.session.add_all(made)
        self.session.flush()
        self.rounds()[number].job_id = job.id
        self.session.commit()
        return job

    def advance(self, number: int, n: int = 8, verdict: Verdict | None = None) -> Job:
        """Answer round ``number`` and finish it."""
        self.answer(number, n, verdict)
        job = self.finish(number)
        assert job.state is JobState.SUCCEEDED, job.error
        return job

    def finish(self, number: int) -> Job:
        """Close round ``number`` and run its job here, whatever becomes of it."""
        return run(self.session, self.close(number))

    def queue(self, number: int) -> list[tuple[int, int, float | None]]:
        """(rank, pool index, meta-score) of a round's queue."""
        statement = (
            select(Query.rank, Example.pool_index, Query.meta_score)
            .join(Example, Example.id == Query.example_id)
            .where(Query.round_id == self.rounds()[number].id)
            .order_by(Query.rank)
        )
        return [(rank, index, score) for rank, index, score in self.session.execute(statement)]

    def files(self) -> dict[str, str]:
        """Digest of every artifact, by its name within the project."""
        statement = select(Artifact).where(Artifact.project_id == self.project.id)
        return {
            artifact.storage_key.split("/", 2)[2]: self._digest(artifact)
            for artifact in self.session.scalars(statement)
        }

    def _digest(self, artifact: Artifact) -> str:
        path = self.world.storage.artifact(artifact.storage_key)
        if path.suffix != ".safetensors":
            return artifact.sha256
        # The order of the metadata in a safetensors file is random; its tensors are not.
        tensors = load_file(path)
        content = b"".join(name.encode() + tensors[name].tobytes() for name in sorted(tensors))
        return hashlib.sha256(content).hexdigest()
