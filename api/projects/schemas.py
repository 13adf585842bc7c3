from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from api.schemas.labels import ClassId
from api.schemas.names import GivenName
from api.users.schemas import UserOut
from core.settings.project import Mode
from core.states import Medium, ProjectRole, ProjectState, RoundState
from core.tasks.registry import BUILT_IN

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
# One key, or a digit with shift for the classes after the first ten.
Hotkey = Annotated[
    str, StringConstraints(pattern=r"^(?:[0-9a-zA-Z]|[sS]hift\+[0-9])$", to_lower=True)
]
ClassGuideText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Guidelines = Annotated[str, StringConstraints(max_length=20_000)]


class ClassIn(BaseModel):
    """A class to be made or changed; without `id` it is a new one.

    Of one with an `id`, `colour`, `hotkey` and `guide` that are left out stay, a key unless another
    class asks for it. Otherwise a key is given out, also where it is null.
    """

    model_config = ConfigDict(extra="forbid")

    id: ClassId | None = None
    name: GivenName
    colour: Colour | None = None
    hotkey: Hotkey | None = None
    guide: ClassGuideText | None = None


def _is_blank(item: Any) -> bool:
    """Whether a row of an editor has been begun, and nothing been written into it."""
    if not isinstance(item, dict) or item.get("id") is not None:
        return False
    return all(
        isinstance(text, str) and not text.strip()
        for text in (item.get("name"), item.get("guide") or "")
    )


def _without_blank_end(classes: Any) -> Any:
    """The classes without empty rows at the end: whoever types a list ends with one."""
    if not isinstance(classes, list):
        return classes
    end = len(classes)
    while end and _is_blank(classes[end - 1]):
        end -= 1
    return classes[:end]


Classes = Annotated[list[ClassIn], Field(max_length=1000)]
ClassesIn = Annotated[Classes, BeforeValidator(_without_blank_end)]


class ClassOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    colour: str
    hotkey: str | None
    position: int
    guide: str


# Those of packages are answered too, and pages know none of them.
TaskName = Annotated[str, Field(json_schema_extra={"enum": [one.name for one in BUILT_IN]})]


class ProjectCreate(BaseModel):
    """`medium` is what the examples are and `task` what a label is; both stay.

    Task types are `classification`, `boxes`, and those of packages that this installation has.

    `from_project` is a project of another task whose pool is taken over, by an import that begins
    at once: what its images were labeled as stands in their `meta`, and what is OOD there is OOD
    here. Without `classes` it gives those as well, and its guidelines.
    """

    model_config = ConfigDict(extra="forbid")

    name: GivenName
    task: Annotated[str, Field(min_length=1, max_length=64)] = "classification"
    medium: Medium = Medium.IMAGE
    guidelines: Guidelines = ""
    classes: ClassesIn
    settings: dict[str, Any] = Field(default_factory=dict)
    from_project: Annotated[int, Field(ge=1, lt=2**63)] | None = None


class ProjectUpdate(BaseModel):
    """What is sent replaces what there is; settings alone are merged by name.

    `setup_version` is that of the project that the changes were made from: refused as
    `setup_changed` where somebody has written something else since. `classes_version` is that which
    `classes` were made from, and knows nothing of their guides.
    """

    model_config = ConfigDict(extra="forbid")

    name: GivenName | None = None
    guidelines: Guidelines | None = None
    classes: ClassesIn | None = None
    classes_version: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    setup_version: Annotated[str, Field(max_length=100)] | None = None
    settings: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _version_is_of_classes(self) -> Self:
        if self.classes_version is not None and self.classes is None:
            raise ValueError("Send classes with classes_version; setup_version is of all.")
        return self


class Counts(BaseModel):
    """Examples by what is known of them. All but the last three count the pool.

    `no_objects` are those of `labeled_in` that have a label of boxes, and no box: somebody has
    looked, and nothing of the classes is there.
    """

    pool: int
    unlabeled: int
    queried: int
    labeled_in: int
    no_objects: int
    labeled_ood: int
    unsure: int
    held_out: int
    evaluation: int
    auxiliary_ood: int


class CurrentRound(BaseModel):
    """The oldest round that is not closed.

    `failed` says that its job has, and waits for somebody to help; one that is open can be labeled
    meanwhile.
    """

    number: int
    state: RoundState
    spent: float
    budget: float
    failed: bool


# What each role of a member adds to the one before.
Permission = Literal["label", "review", "manage"]


class ProjectSummary(BaseModel):
    """`permissions` are the caller's: to label, to see what was found, to change the project."""

    id: int
    name: str
    task: TaskName
    medium: Medium
    state: ProjectState
    created_at: datetime
    counts: Counts
    current_round: CurrentRound | None
    permissions: list[Permission]


class ProjectListed(ProjectSummary):
    """`pictures` are ids of a few of its examples, spread over all that there are.

    `excerpts` are how these begin, where they are texts.
    """

    pictures: list[int]
    excerpts: list[str]


class ProjectOut(ProjectSummary):
    """A project, with what people have written for it.

    `classes_version` is raised by every change of what is shown of classes where they are answered;
    answers carry it. `setup_version` is another whenever name, classes, guides or guidelines are;
    who writes them sends it.
    """

    guidelines: str
    classes: list[ClassOut]
    classes_version: int
    setup_version: str
    settings: dict[str, Any]
    modes: list[Mode]
    warnings: list[str]


class MemberIn(BaseModel):
    """Without a `role` engineers and admins are added as managers, everybody else as annotator."""

    model_config = ConfigDict(extra="forbid")

    role: ProjectRole | None = None


class MemberOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    user: UserOut
    role: ProjectRole
    added_at: datetime
