"""What does the work of each kind of job."""

from importlib import import_module
from typing import Any, Final, Protocol, cast, runtime_checkable

from sqlalchemy.orm import Session

from core.states import JobKind
from core.tables import Job
from workers.jobs.context import JobContext


class Handler(Protocol):
    """What a module of ``HANDLERS`` offers."""

    def run(self, context: JobContext) -> dict[str, Any]:
        """Do the work; returns the job's result."""
        ...


@runtime_checkable
class PutsRight(Handler, Protocol):
    """One that has something to do as well where its job does not succeed."""

    def failed(self, session: Session, job: Job) -> None:
        """Put the job's objects into a state from which it can be retried."""
        ...


HANDLERS: Final[dict[JobKind, str]] = {
    JobKind.IMPORT_POOL: "workers.imports.handler",
    JobKind.ADVANCE_ROUND: "workers.advance.handler",
    JobKind.LEARN_FEATURES: "workers.features.handler",
    JobKind.TAUFE: "workers.taufe.handler",
    JobKind.PRUNE: "workers.prune.handler",
    JobKind.RELABEL: "workers.relabel.handler",
    JobKind.SCORE_PART: "workers.advance.scoring",
    JobKind.RESIZE: "workers.resize.handler",
    JobKind.EMBEDDING_MAP: "workers.embedding_map.handler",
    JobKind.COMPARE: "workers.compare.handler",
    JobKind.LOOK_UP: "workers.look_up.handler",
    JobKind.LOCALIZE: "workers.localize.handler",
    JobKind.LOOK_AT: "workers.look_at.handler",
    JobKind.SELECT_INSTRUCTIONS: "workers.instructions.handler",
    JobKind.CERTIFY: "workers.certify.handler",
}
"""Names of modules: torch, and what reads images, are imported only where they are needed."""

WORK_VERSIONS: Final[dict[JobKind, int]] = {JobKind.IMPORT_POOL: 2, JobKind.RELABEL: 2}
"""By which rules the unfinished work of a kind is made; 1 if left out.

To be raised where what lies in the folder of a job, or in its checkpoint, means something else than
before: a job that an earlier version has begun then begins anew.
"""


def handler_of(kind: JobKind) -> Handler:
    """Import what does jobs of a kind."""
    return cast(Handler, import_module(HANDLERS[kind]))
