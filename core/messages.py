"""What the API and the scheduler send to the workers: typed, and carrying ids only."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from core.states import JobKind


class Message(BaseModel):
    """Base of every message.

    Attributes:
        task: Name of the Celery task that handles it.
        queue: Queue it is sent to: ``gpu`` for what trains or infers, ``cpu`` for what reads
            images, ``web`` for what calls other machines, ``housekeeping`` for what must never wait
            for a job.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: ClassVar[str]
    queue: ClassVar[str]


class JobMessage(Message):
    """Run the job of this id."""

    job_id: int


class ImportPool(JobMessage):
    """Read an upload into a project's pool."""

    task = "import_pool"
    queue = "cpu"


class AdvanceRound(JobMessage):
    """Close a round: meta-train, retrain, score, select, and publish the next one."""

    task = "advance_round"
    queue = "gpu"


class LearnFeatures(JobMessage):
    """Learn features of a project's pool contrastively, and embed the pool with them."""

    task = "learn_features"
    queue = "gpu"


class CompareRegularizers(JobMessage):
    """Train a network as it is, with OAT and with TAUFE, and compare the three."""

    task = "taufe"
    queue = "gpu"


class Prune(JobMessage):
    """Choose the part of a project's labels that is worth training on."""

    task = "prune"
    queue = "gpu"


class Relabel(JobMessage):
    """Learn from a project's labels, and suggest others for those that are doubted."""

    task = "relabel"
    queue = "gpu"


class ScorePart(JobMessage):
    """Score a part of a pool for the job that closes a round."""

    task = "score_part"
    queue = "gpu"


class Resize(JobMessage):
    """Make the pixels of a project's images anew, at another size."""

    task = "resize"
    queue = "cpu"


class MapEmbeddings(JobMessage):
    """Lay the images of a project out on a plane, like ones together."""

    task = "embedding_map"
    queue = "gpu"


class CheckWeights(Message):
    """Find out whether weights fit that were uploaded, and whether published ones can be had."""

    task = "check_weights"
    queue = "gpu"


class Compare(JobMessage):
    """Compare all images of a project with each other."""

    task = "compare"
    queue = "gpu"


class LookUp(JobMessage):
    """Make of one file what images are compared by."""

    task = "look_up"
    queue = "gpu"


class Sweep(Message):
    """Find jobs that were never delivered or whose worker died, and send them again."""

    task = "sweep"
    queue = "housekeeping"


class DeliverWebhooks(Message):
    """Tell webhooks what has happened and what is due to be told again."""

    task = "deliver_webhooks"
    queue = "web"


class RemoveFiles(Message):
    """Remove what deleted projects and imports that nobody retries have left on disk."""

    task = "remove_files"
    queue = Sweep.queue


MESSAGES: tuple[type[Message], ...] = (
    ImportPool,
    AdvanceRound,
    LearnFeatures,
    CompareRegularizers,
    Prune,
    Relabel,
    ScorePart,
    Resize,
    MapEmbeddings,
    CheckWeights,
    Compare,
    LookUp,
    Sweep,
    RemoveFiles,
    DeliverWebhooks,
)
JOB_MESSAGES: dict[JobKind, type[JobMessage]] = {
    JobKind.IMPORT_POOL: ImportPool,
    JobKind.ADVANCE_ROUND: AdvanceRound,
    JobKind.LEARN_FEATURES: LearnFeatures,
    JobKind.TAUFE: CompareRegularizers,
    JobKind.PRUNE: Prune,
    JobKind.RELABEL: Relabel,
    JobKind.SCORE_PART: ScorePart,
    JobKind.RESIZE: Resize,
    JobKind.EMBEDDING_MAP: MapEmbeddings,
    JobKind.COMPARE: Compare,
    JobKind.LOOK_UP: LookUp,
}
QUEUES: tuple[str, ...] = ("cpu", "gpu", "web", "housekeeping")
