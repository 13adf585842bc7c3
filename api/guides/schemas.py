from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from core.tasks.registry import AnyLabel

MOST_PINNED: Final = 12


class GuideExample(BaseModel):
    """An image that shows what is meant. `pinned` ones were chosen by an engineer.

    Of labels that are no class, such as boxes, `whole_label` is all there is.
    """

    example_id: int
    image_url: str
    width: int | None
    height: int | None
    excerpt: str | None
    pinned: bool
    whole_label: AnyLabel | None


class ClassGuide(BaseModel):
    class_id: int
    guide: str
    examples: list[GuideExample]


class Guides(BaseModel):
    """What belongs to each class, and images that were said to belong to none."""

    classes: list[ClassGuide]
    ood: list[GuideExample]


class PinnedExamples(BaseModel):
    """The examples of a class, in the order in which they are shown; none to choose by votes."""

    model_config = ConfigDict(extra="forbid")

    example_ids: Annotated[
        list[Annotated[int, Field(ge=1, lt=2**63)]], Field(max_length=MOST_PINNED)
    ]
