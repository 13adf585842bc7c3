"""What everything else may ask of a type of task."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from core.errors import Invalid
from core.settings.project import Fit


class Label(BaseModel):
    """What a verdict says that an example is; kept as JSON, in the words of its type.

    Equal labels are equal values, and may be keys.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    """The name of its task type."""


L = TypeVar("L", bound=Label)
InFiles = Literal["rectangles", "rows"]


class TaskType(ABC, Generic[L]):
    """A kind of label, and what consensus, reviews, imports and exports have to know of it.

    Methods are pure, and of the same labels they always say the same.

    Attributes:
        name: What a project's ``task`` and a label's ``type`` call it.
        label: The model of its labels.
        media: Names of the media that it is for.
        fewest_classes: How many classes a project needs before it can begin; 0 if a label has none.
        noun: What one label is, for messages: "... is not a class of the project".
        names_one_class: Whether each label is one class of the project and nothing else, so that
            whatever counts, groups or colours by class serves it, and ``distance`` is 0 or 1.
        lists_objects: Whether a label lists the objects on an image under the key ``boxes``, each
            of a class. It may list none, so whatever counts labels counts those of no objects
            apart; models propose object by object, and people adjust each; where seconds count, a
            verdict costs the more the more there are to draw.
        in_files: What files hold beside tables, where that is no class of an example: its
            ``rectangles``, in the formats of detection, or ``rows`` of instruction data, with what
            people said of them. None: classes where labels name one, and nothing more of others.
        alike: The largest ``distance`` at which two labels still say the same.
        of_groups: Whether a query shows several examples, and a label says something of them
            together; then it may hold for all of them.
        chance: How far two labels differ that say nothing, if that is known; else it is measured
            over labels of different examples.
        fit: What models see of images in a new project, unless it says otherwise.
        learner: ``module:attribute`` of its ``models.tasks.base.Learner``, imported where it runs;
            empty where no model learns such labels.
    """

    name: ClassVar[str]
    label: ClassVar[type[Label]]
    media: ClassVar[frozenset[str]]
    fewest_classes: ClassVar[int]
    learner: ClassVar[str] = ""
    noun: ClassVar[str]
    names_one_class: ClassVar[bool] = False
    lists_objects: ClassVar[bool] = False
    in_files: ClassVar[InFiles | None] = None
    alike: ClassVar[float] = 0.0
    of_groups: ClassVar[bool] = False
    chance: ClassVar[float | None] = None
    fit: ClassVar[Fit] = "crop"

    @property
    def looks_at_size(self) -> bool:
        """Whether ``check_size`` looks at anything."""
        return type(self).check_size is not TaskType.check_size

    def parse(self, stored: Mapping[str, Any]) -> L:
        """The label that was kept or sent as JSON.

        Raises:
            pydantic.ValidationError: It is none.
        """
        found: Any = self.label.model_validate(stored)
        return found  # type: ignore[no-any-return]

    @abstractmethod
    def check(self, label: L, classes: Collection[int]) -> None:
        """Look whether the project takes a label.

        Args:
            label: What was sent.
            classes: Ids of the project's classes.

        Raises:
            Invalid: It does not; the detail says what to send instead.
        """

    def check_size(self, label: L, width: int, height: int) -> None:
        """Look whether a label fits an image.

        Args:
            label: What was sent.
            width: Of the upright image, in pixels.
            height: Likewise.

        Raises:
            Invalid: It does not; the detail says what to send instead.
        """

    def check_members(self, label: L, members: Collection[int]) -> None:
        """Look whether a label says what a query asks; only of those that show several examples.

        Args:
            label: What was sent.
            members: Ids of the examples of the query.

        Raises:
            Invalid: It does not; the detail says what to send instead.
        """

    @abstractmethod
    def distance(self, one: L, other: L) -> float:
        """How much two labels differ, 0..1: 0 is the same, 1 could not differ more. Symmetric."""

    @abstractmethod
    def agree(self, labels: Sequence[L]) -> L:
        """What labels amount to that say the same, oldest first and at least one of them."""

    @abstractmethod
    def class_of(self, label: L) -> int | None:
        """The one class that a label names; None for a type whose labels name none or several."""

    def classes_of(self, label: L) -> Collection[int]:
        """Every class that a label names."""
        class_id = self.class_of(label)
        return () if class_id is None else (class_id,)

    @abstractmethod
    def read(self, text: str, classes: Mapping[str, int]) -> L | None:
        """The label that a cell of a table or a column of a file means.

        Args:
            text: What is written there.
            classes: Ids of the project's classes by their names, composed as NFC.

        Returns:
            None where it means none.
        """

    @abstractmethod
    def write(self, label: L, classes: Mapping[int, str]) -> str | None:
        """What ``read`` takes back.

        Args:
            label: What is written.
            classes: Names of the project's classes by their ids.

        Returns:
            None for a label with a class that the project has no longer.
        """

    def why_not(self, text: str, classes: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """What is wrong with a text that ``read`` takes for none, and what to do.

        Args:
            text: What is written there.
            classes: As for ``read``.

        Returns:
            A sentence, but for its capital; None where nothing more is known of it than that.
        """
        return None

    def same(self, one: L, other: L) -> bool:
        """Whether two labels say the same."""
        return one == other or self.distance(one, other) <= self.alike


def refused(code: str, detail: str) -> Invalid:
    """What ``TaskType.check`` raises of the field ``label``."""
    return Invalid(code, detail, field="label")
