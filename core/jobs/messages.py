"""What the API and the scheduler send to the workers: typed, and carrying ids only."""

from typing import ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict

from core.states import JobKind
from core.tables import Job

QueueName = Literal["cpu", "gpu", "judge", "web", "housekeeping"]
CPU: Final = "cpu"
"""Queue of what reads images."""
GPU: Final = "gpu"
"""Queue of what trains or infers."""
WEB: Final = "web"
"""Queue of what calls other machines."""
JUDGE: Final = "judge"
"""Queue of jobs that wait for answers of other machines, and read no images."""
HOUSEKEEPING: Final = "housekeeping"
"""Queue of what must never wait for a job."""
QUEUES: Final[tuple[QueueName, ...]] = (CPU, GPU, JUDGE, WEB, HOUSEKEEPING)

QUEUE_OF: Final[dict[JobKind, QueueName]] = {
    JobKind.IMPORT_POOL: CPU,
    JobKind.ADVANCE_ROUND: GPU,
    JobKind.LEARN_FEATURES: GPU,
    JobKind.TAUFE: GPU,
    JobKind.PRUNE: GPU,
    JobKind.RELABEL: GPU,
    JobKind.SCORE_PART: GPU,
    JobKind.RESIZE: CPU,
    JobKind.EMBEDDING_MAP: GPU,
    JobKind.COMPARE: GPU,
    JobKind.LOOK_UP: GPU,
    JobKind.LOCALIZE: GPU,
    JobKind.LOOK_AT: GPU,
    JobKind.SELECT_INSTRUCTIONS: JUDGE,
    JobKind.CERTIFY: GPU,
}
"""Where each kind of job waits for a worker, but for one that opens a first queue."""


def queue_of(kind: JobKind, *, opening: bool) -> QueueName:
    """Where a job waits for a worker.

    Args:
        kind: Of the job.
        opening: Whether it has a first queue to open: that takes seconds, and waits for no other.
    """
    return HOUSEKEEPING if opening else QUEUE_OF[kind]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunJob(_Payload):
    """Run the job of this id.

    Attributes:
        kind: Of that job. It says which queue the message goes to and whose turn it stands for,
            also when the job itself was deleted with its project.
        opening: Whether to go no further than to open a first queue, see ``Job.is_opening``.
    """

    task: ClassVar[str] = "run_job"

    job_id: int
    kind: JobKind
    opening: bool = False

    @classmethod
    def of(cls, job: Job) -> Self:
        """The message of a job that was flushed, so that it has an id."""
        return cls(job_id=job.id, kind=job.kind, opening=job.is_opening)

    @property
    def queue(self) -> QueueName:
        """Name of the queue it is sent to."""
        return queue_of(self.kind, opening=self.opening)


class Housekeeping(_Payload):
    """Base of the messages that are about no job.

    Attributes:
        task: Name of the Celery task that handles it.
        queue: Name of the queue it is sent to.
    """

    task: ClassVar[str]
    queue: ClassVar[QueueName]


class CheckWeights(Housekeeping):
    """Find out whether weights fit that were uploaded, and whether published ones can be had."""

    task = "check_weights"
    queue = GPU


class Sweep(Housekeeping):
    """Find what was never delivered or whose worker died, and send it again."""

    task = "sweep"
    queue = HOUSEKEEPING


class GoOnCertifying(Housekeeping):
    """Take what people have said of draws for certificates, and ask on or decide.

    Attributes:
        answered_in: Id of a project in which a check was answered or a round has opened: only of
            that, and only if none waits for people there now. All others wait for the next sweep.
    """

    task: ClassVar[str] = "go_on_certifying"
    queue: ClassVar[QueueName] = HOUSEKEEPING

    answered_in: int | None = None


class FollowPeople(Housekeeping):
    """Let selections follow what people say of groups whose round has closed.

    Attributes:
        project_id: Only those of this project; of all if left out.
    """

    task: ClassVar[str] = "follow_people"
    queue: ClassVar[QueueName] = HOUSEKEEPING

    project_id: int | None = None


class DeliverWebhooks(Housekeeping):
    """Tell webhooks what has happened and what is due to be told again."""

    task = "deliver_webhooks"
    queue = WEB


class TryJudges(Housekeeping):
    """Ask judges that somebody wants to see answer."""

    task = "try_judges"
    queue = WEB


class RemoveFiles(Housekeeping):
    """Take out what was withdrawn, and remove what nobody needs any more from the disk."""

    task = "remove_files"
    queue = HOUSEKEEPING


class SyncBucket(Housekeeping):
    """Look at a place that a pool follows.

    Attributes:
        sync_id: Of its row.
    """

    task: ClassVar[str] = "sync_bucket"
    queue: ClassVar[QueueName] = CPU

    sync_id: int


TICKS: Final[tuple[type[Housekeeping], ...]] = (
    Sweep,
    RemoveFiles,
    DeliverWebhooks,
    GoOnCertifying,
    FollowPeople,
)
"""Sent by the scheduler again and again, and mostly for nothing."""
Message = RunJob | Housekeeping
MESSAGES: Final[tuple[type[Message], ...]] = (
    RunJob,
    CheckWeights,
    Sweep,
    RemoveFiles,
    DeliverWebhooks,
    TryJudges,
    GoOnCertifying,
    FollowPeople,
    SyncBucket,
)
