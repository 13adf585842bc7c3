from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from api.jobs.schemas import Progress
from api.tokens.schemas import TokenOut
from core.jobs.messages import QueueName
from core.states import ArtifactKind, JobKind, JobState


class Person(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    email: str
    active: bool


class OwnedToken(TokenOut):
    """An API token and whose it is; it works while it is neither revoked nor expired and its user
    is active."""

    user: Person
    valid: bool


class ActiveJob(BaseModel):
    """A job that waits or runs, in whatever project; `parent_id` is the one it is a part of."""

    id: int
    parent_id: int | None
    kind: JobKind
    dry_run: bool
    state: JobState
    project_id: int | None
    project: str | None
    progress: Progress | None
    message: str | None
    created_at: datetime
    started_at: datetime | None


class WorkerOut(BaseModel):
    """A process that works, or the scheduler, which takes from no queue.

    `alive` means that it has said so lately; a silent one was killed, or cannot reach the
    database. `jobs` are those it runs. `device` is what it trains on, `cuda` or `cpu`, if it trains
    and has said so. `version` is as of `GET /api/version`, null of a process of before 0047.
    """

    name: str
    host: str
    pid: int
    queues: list[str]
    device: str | None
    version: str | None
    started_at: datetime
    heartbeat_at: datetime
    alive: bool
    jobs: list[int]


class QueueOut(BaseModel):
    """A queue: messages that nobody has taken (null if the broker does not answer), the workers
    alive, and the jobs that wait for one of them or run."""

    name: QueueName
    messages: int | None
    workers: int
    queued: int
    running: int


class WorkerProblem(BaseModel):
    """Something that an admin should mend, in words; `subject` is the queue, the process or the
    webhook, and `command` what to start where Karat is not run by `karat up`."""

    code: Literal[
        "broker_away", "no_worker", "no_scheduler", "worker_silent", "other_version", "webhook_off"
    ]
    subject: str
    detail: str
    remedy: str
    command: str | None


class WorkersOut(BaseModel):
    """`version` is the API's own, and `jobs` has the first 200 that wait or run."""

    version: str
    workers: list[WorkerOut]
    queues: list[QueueOut]
    problems: list[WorkerProblem]
    jobs: list[ActiveJob]


class ProjectStorage(BaseModel):
    """What a project keeps, in bytes.

    Originals of images are kept once for all projects, so those of two projects may be the same
    files. `estimated`: their size is extrapolated from a sample of 2,000.
    """

    project_id: int
    project: str
    images: int
    image_bytes: int
    estimated: bool
    pixel_bytes: int
    feature_bytes: int
    artifact_bytes: dict[ArtifactKind, int]


class RemovalOut(BaseModel):
    """A project that was deleted, and what of it is gone from the disk.

    `image_bytes` are those of its `images` that Karat stored; what other projects hold, too, stays.
    `freed_bytes` is the room of everything that was removed. `finished_at` is null while files wait
    for their removal.
    """

    model_config = ConfigDict(from_attributes=True)

    project_id: int
    project: str
    images: int
    image_bytes: int
    freed_files: int
    freed_bytes: int
    deleted_at: datetime
    finished_at: datetime | None


class StorageOut(BaseModel):
    """`disk_free` and `disk_total` are those of the disk with the data directory.

    `upload_bytes` is what uploads take that wait for an import, or for the retry of one that
    failed; `weights_bytes` is that of uploaded weights. `removals` are the last 20 projects that
    were deleted, the latest first.
    """

    projects: list[ProjectStorage]
    removals: list[RemovalOut]
    upload_bytes: int
    weights_bytes: int
    database_bytes: int
    disk_free: int
    disk_total: int


class NamedProject(BaseModel):
    id: int
    name: str


class AuditOut(BaseModel):
    """Who did what to which object, from which address and with what, if that was noted. Without
    an actor: nobody who was signed in."""

    id: int
    at: datetime
    actor: Person | None
    verb: str
    object_type: str
    object_id: int | None
    object_name: str | None
    project: NamedProject | None
    address: str | None
    agent: str | None
    detail: dict[str, Any]
