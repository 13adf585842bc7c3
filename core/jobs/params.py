"""What jobs are asked to do: written where a job is made, read by whoever works on it.

These are the kinds that nobody starts by hand. Those of the catalog have their schema there
(``models.catalog.params``), and an import has ``core.jobs.imports.ImportParams``.
"""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from pydantic import BaseModel, ConfigDict
from sqlalchemy.orm import InstrumentedAttribute

from core.settings.project import Choice
from core.states import RoundState
from core.tables import Job


class HasParams(Protocol):
    """A job, or what works on one."""

    @property
    def params(self) -> Mapping[str, Any]:
        """As they are stored."""
        ...


class JobParams(BaseModel):
    """Base of the parameters of a kind of job."""

    # Those of an earlier version may still wait, and of a later one after a downgrade.
    model_config = ConfigDict(extra="ignore")

    @classmethod
    def of(cls, job: HasParams) -> Self:
        """The parameters of a job of this kind.

        Raises:
            pydantic.ValidationError: It is of another kind.
        """
        return cls.model_validate(job.params)

    @classmethod
    def column(cls, name: str) -> Any:
        """Expression: a parameter of this name, as JSON; for statements about jobs of this kind."""
        assert name in cls.model_fields, name
        params: InstrumentedAttribute[dict[str, Any]] = Job.params
        return params[name]

    def to_json(self) -> dict[str, Any]:
        """For the job: what was given."""
        return self.model_dump(mode="json", exclude_unset=True)


class AdvanceParams(JobParams):
    """Parameters of the job ``advance_round``.

    Attributes:
        closing: Number of the round that is closed; ``None`` for the first of a project.
        selecting: Number of the round that follows; ``None`` after the last one.
        model: For a dry run: what is measured instead of the project's own.
    """

    closing: int | None
    selecting: int | None
    model: Choice | None = None

    @property
    def numbers(self) -> list[int]:
        """The rounds that the job is about, in order."""
        return [number for number in (self.closing, self.selecting) if number is not None]

    @property
    def waits_in(self) -> RoundState:
        """The state in which the first of them waits for the job; another job may be next."""
        return RoundState.SELECTING if self.closing is None else RoundState.CLOSING


class ScorePartParams(AdvanceParams):
    """Parameters of the job ``score_part``.

    Attributes:
        part: Its number.
        rows: Images of a part, but for the last; another setting makes other parts.
        work: Which work of its round's job it is a part of; what is begun anew is another.
    """

    part: int
    rows: int
    work: str = ""


class LookAtParams(JobParams):
    """Parameters of the job ``look_at``.

    Attributes:
        example_id: Of the image that is shown.
        class_id: The class whose places are wanted; None: the one that the model says.
    """

    example_id: int
    class_id: int | None = None


class LookUpParams(JobParams):
    """Parameters of the job ``look_up``.

    Attributes:
        upload: Name of the file, under ``Storage.upload``; empty where words are looked for.
        words: What images are looked for that show it.
        weights_id: Of the network that understands these.
    """

    upload: str = ""
    words: str = ""
    weights_id: int | None = None
