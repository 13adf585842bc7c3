from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.examples.schemas import ExampleOut, Id, Objects

Which = Literal["all", "leaking", "contradicting"]
"""Of groups of images that show the same picture: every one; those with images both of the pool,
not held out, and to evaluate on; those whose verdicts contradict each other."""


class Stance(BaseModel):
    """What is said of some images of a group; no class is OOD.

    Of labels of boxes `objects` says whether they have any: these are not compared, and no class.
    """

    class_id: int | None
    objects: Objects | None
    images: int


class DuplicateGroup(BaseModel):
    """Images that show the same picture.

    `id` is the image that stands for them. `pool` are those of the pool that are not held out;
    `items` are the first few: those to evaluate on, those with a verdict, then the others.
    """

    id: int
    images: int
    pool: int
    evaluation: int
    auxiliary_ood: int
    held_out: int
    said: list[Stance]
    is_contradicting: bool
    is_leaking: bool
    items: list[ExampleOut]


class Comparison(BaseModel):
    """The last job that compared all images. `images` had features then; later ones had none."""

    job_id: int
    finished_at: datetime | None
    images: int


class Duplicates(BaseModel):
    """Groups, the largest first; null `compared`: nobody has looked for any yet.

    `groups` to `contradicting` count all of the project: groups, images that are in one beside the
    one that stands for it, and groups by kind. `images` is how many the project has.
    """

    compared: Comparison | None
    images: int
    groups: int
    copies: int
    leaking: int
    contradicting: int
    items: list[DuplicateGroup]
    next_cursor: int | None


class HoldCopies(BaseModel):
    """Which groups: by id, or all of a kind."""

    model_config = ConfigDict(extra="forbid")

    groups: Annotated[list[Id], Field(min_length=1, max_length=10_000)] | None = None
    which: Which = "all"
