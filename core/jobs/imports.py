"""What an import is asked to do: written by the API, read by the worker."""

from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from core.jobs.params import JobParams
from core.states import Split
from core.tables import Job

PLAN_HOURS: Final = 24
"""How long the upload of a plan is kept that nobody answers."""

LONGEST_NAME: Final = 500
"""Characters of a folder or value of which it can be said what becomes of it."""


class FolderChoice(StrEnum):
    """What becomes of a folder, or of the rows with one value of the split column."""

    POOL = "pool"
    EVALUATION = "evaluation"
    AUXILIARY_OOD = "auxiliary_ood"
    LEAVE_OUT = "leave_out"
    CLASS = "class"
    """The folder is a class, whatever its name may mean otherwise."""


class Answer(StrEnum):
    """What became of a plan."""

    STARTED = "started"
    DISCARDED = "discarded"
    EXPIRED = "expired"


class ImportParams(JobParams):
    """Parameters of the job ``import_pool``.

    Attributes:
        filename: What its sender called it, or its address.
        upload: Name of what is on disk, under ``Storage.upload``.
        split: Of what names none itself.
        columns: Names of the columns by role: ``image`` or ``text``, ``label``, ``split``, ``key``,
            ``probability``.
        annotations: Columns that become annotations, or that hold what a model predicts.
        predictions: The model whose predictions it brings in place of labels; ``None`` for labels.
        folder_split: What becomes of folders, and of values of the split column, by name.
        count_from: The number of the first class in columns of numbers; ``None`` where they have
            to say it themselves.
        location: Where the images stay that are not copied.
        include: Patterns of paths below ``location``.
        table: Address of a table that names images below ``location``.
        packed: What a zip was made of for the upload.
        project: Another project, whose pool is taken over.
        plan: Job whose plan this import follows.
        sync: Of ``core.tables.Sync``: only what is new there is imported.
        answer: What became of this plan.
    """

    filename: str
    upload: str | None = None
    split: Split = Split.POOL
    columns: dict[str, str] = Field(default_factory=dict)
    annotations: list[str] = Field(default_factory=list)
    predictions: str | None = None
    folder_split: dict[str, FolderChoice] = Field(default_factory=dict)
    count_from: int | None = None
    location: str | None = None
    include: list[str] = Field(default_factory=list)
    table: str | None = None
    packed: str | None = None
    project: int | None = None
    plan: int | None = None
    sync: int | None = None
    answer: Answer | None = None

    @property
    def read_columns(self) -> list[str]:
        """Columns that say something of examples: those of labels, and of how sure a model is."""
        sure = self.columns.get("probability")
        return list(dict.fromkeys([*self.annotations, *([sure] if sure else [])]))

    def to_json(self) -> dict[str, Any]:
        """For the job, without what does not apply."""
        always = {"filename", "split", "columns", "annotations"}
        written = self.model_dump(mode="json")
        return {
            name: value
            for name, value in written.items()
            if value not in (None, "", [], {}) or name in always
        }


def answer_plan(plan: Job, answer: Answer) -> None:
    """Note what became of a plan; its row is locked."""
    plan.params = {**plan.params, "answer": answer.value}
