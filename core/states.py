"""The values of state and kind columns. Which may follow which is in ``core.lifecycle``."""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What a user may do beside what a project lets its members do (``ProjectRole``).

    Each includes the ones after it: admins manage everything and everybody, engineers make
    projects.
    """

    ADMIN = "admin"
    ENGINEER = "engineer"
    ANNOTATOR = "annotator"


class ProjectRole(StrEnum):
    """What a member may do in a project; each role includes the ones before it.

    Annotators label and decide reviews; reviewers also see what the project has found; managers
    also change it. Admins are managers everywhere.
    """

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    MANAGER = "manager"

    @property
    def and_above(self) -> tuple["ProjectRole", ...]:
        """This role and those that include it."""
        return tuple(ProjectRole)[list(ProjectRole).index(self) :]


class Scope(StrEnum):
    """How much of what its user may do an API token may do; each includes the ones before it."""

    READ = "read"
    LABEL = "label"
    WRITE = "write"
    ADMIN = "admin"


class SignInMethod(StrEnum):
    """How a browser has got its session."""

    PASSWORD = "password"
    OIDC = "oidc"


class ProjectState(StrEnum):
    """A project is set up, labeled, perhaps paused, and finished when its pool is used up."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"


class Medium(StrEnum):
    """What the examples of a project are."""

    IMAGE = "image"
    TEXT = "text"


class Split(StrEnum):
    """What an example is for."""

    POOL = "pool"
    EVALUATION = "evaluation"
    AUXILIARY_OOD = "auxiliary_ood"


class ExampleState(StrEnum):
    """What is known of an example; nothing is asked about one that is held out."""

    UNLABELED = "unlabeled"
    QUERIED = "queried"
    LABELED = "labeled"
    OOD = "ood"
    UNSURE = "unsure"
    HELD_OUT = "held_out"


class RoundState(StrEnum):
    """Where a round is in its life."""

    SELECTING = "selecting"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"
    FAILED = "failed"


MOST_BUDGET: Final = 1e9
"""Of a round; it stands for none, on the pages, too (``hasEnd``): the round ends with its queue."""


class JobState(StrEnum):
    """Where a job is in its life; one that is paused waits for somebody to decide."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobKind(StrEnum):
    """What a job does."""

    IMPORT_POOL = "import_pool"
    ADVANCE_ROUND = "advance_round"
    LEARN_FEATURES = "learn_features"
    TAUFE = "taufe"
    PRUNE = "prune"
    RELABEL = "relabel"
    SCORE_PART = "score_part"
    RESIZE = "resize"
    EMBEDDING_MAP = "embedding_map"
    COMPARE = "compare"
    LOOK_UP = "look_up"
    LOCALIZE = "localize"
    LOOK_AT = "look_at"
    SELECT_INSTRUCTIONS = "select_instructions"
    CERTIFY = "certify"

    @property
    def is_passing(self) -> bool:
        """Whether only who has asked waits for it, and nobody looks for it among the jobs."""
        return self in (JobKind.LOOK_UP, JobKind.LOOK_AT)


_LABEL_IN_FILES: Final = "class"


class Verdict(StrEnum):
    """What an annotator says of an example.

    With ``LABEL`` goes a label of the project's task type. It was called ``class`` while labels
    were classes: files keep that word, and clients and files that say it are understood.
    """

    LABEL = "label"
    OOD = "ood"
    SKIP = "skip"
    UNSURE = "unsure"

    @classmethod
    def _missing_(cls, value: object) -> "Verdict | None":
        return cls.LABEL if value == _LABEL_IN_FILES else None

    @property
    def in_files(self) -> str:
        """The word that exports write for it."""
        return _LABEL_IN_FILES if self is Verdict.LABEL else self.value


class Source(StrEnum):
    """Where an annotation comes from.

    An annotator answered a query, a column of a file was imported, somebody reviewed a label
    that a job doubted, or a model gave it under a certificate, which counts where nobody has said
    anything.
    """

    ANNOTATOR = "annotator"
    IMPORT = "import"
    REVIEW = "review"
    MODEL = "model"


class Decision(StrEnum):
    """What a reviewer says of a given label and a suggested one."""

    KEEP = "keep"
    ACCEPT = "accept"
    OTHER = "other"
    OOD = "ood"
    UNSURE = "unsure"


class ArtifactKind(StrEnum):
    """What an artifact holds."""

    CHECKPOINT = "checkpoint"
    META_MODEL = "meta_model"
    SCORES = "scores"
    IMPORT_REPORT = "import_report"
    COMPARISON = "comparison"
    SUBSET = "subset"
    RELABELS = "relabels"
    EMBEDDING_MAP = "embedding_map"
    ALIKE = "alike"
    SELECTION = "selection"
    SNAPSHOT = "snapshot"
    CERTIFICATE = "certificate"


class CertificateState(StrEnum):
    """Where a certificate is in its life; see ``core.lifecycle``."""

    SCORING = "scoring"
    ASKING = "asking"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    REVOKING = "revoking"
    REVOKED = "revoked"
    REFUSED = "refused"


class LotState(StrEnum):
    """What becomes of a lot: not known yet, the model labels it, or it is left to people."""

    OPEN = "open"
    PASSED = "passed"
    PEOPLE = "people"


class EventKind(StrEnum):
    """What webhooks can be told of; each is a transition of ``core.lifecycle``."""

    PROJECT_STARTED = "project.started"
    PROJECT_PAUSED = "project.paused"
    PROJECT_RESUMED = "project.resumed"
    PROJECT_FINISHED = "project.finished"
    ROUND_OPENED = "round.opened"
    ROUND_CLOSING = "round.closing"
    ROUND_CLOSED = "round.closed"
    ROUND_FAILED = "round.failed"
    CERTIFICATE_ASKING = "certificate.asking"
    CERTIFICATE_READY = "certificate.ready"
    CERTIFICATE_APPLIED = "certificate.applied"
    CERTIFICATE_REVOKED = "certificate.revoked"
    CERTIFICATE_REFUSED = "certificate.refused"
    JOB_PAUSED = "job.paused"
    JOB_SUCCEEDED = "job.succeeded"
    JOB_FAILED = "job.failed"
    JOB_CANCELLED = "job.cancelled"


class DeliveryFault(StrEnum):
    """Why something could not be told to a webhook."""

    UNRESOLVED = "unresolved"
    NOT_ALLOWED = "not_allowed"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    REDIRECTED = "redirected"
    REFUSED = "refused"


class SyncFinding(StrEnum):
    """What is to be said of an object of a place that a pool follows."""

    PASSED = "passed"
    """No example came of it: it is one already, or cannot be one."""
    CHANGED = "changed"
    """It has another content than the example that was made of it."""
    GONE = "gone"
    """The example is there, and it is not."""


class SwitchedOff(StrEnum):
    """Why Karat has switched a webhook off."""

    FAILING = "failing"
    GONE = "gone"
