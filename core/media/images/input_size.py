"""How large the model sees images: a square whose side follows the sizes that a pool has."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import aliased

from core.settings.project import Fit
from core.states import JobKind, JobState
from core.tables import Job

SMALL: Final = (8, 16, 24, 28, 32)
"""Sides for digits, icons and other small images, which are not to lose a pixel."""
MEDIUM: Final = 64
LARGE: Final = 128
PHOTOGRAPHS: Final = ((288, 45_000), (224, 75_000), (192, 100_000), (160, None))
"""Sides for photographs, and how many images a pool may have to be seen at each.

What two cores embed in about ten minutes (docs/benchmarks.md, *Features that are there at once*):
more pixels tell more, and of a larger pool somebody would wait for them. 288 is more than the 224
that the networks were trained at, where cutting parts out at random had shown them things larger
than they are in whole photographs (H. Touvron et al., Fixing the train-test resolution discrepancy,
NeurIPS 2019)."""
MEDIUM_UP_TO: Final = 96
LOOKED_AT: Final = 500
"""So many images are looked at to choose a side."""


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """A side, and the image in the middle of those that it was chosen by.

    Attributes:
        side: Of the square that the model sees, in pixels.
        width: Columns of the image in the middle.
        height: Its rows.
        images: How many were looked at.
        fit: What is seen of them.
    """

    side: int
    width: int
    height: int
    images: int
    fit: Fit = "crop"

    @classmethod
    def of(
        cls,
        sizes: Collection[tuple[int, int]],
        *,
        fit: Fit = "crop",
        total: int = 1,
        above: int = 0,
    ) -> Self | None:
        """Choose a side for images of these sizes.

        Args:
            sizes: (width, height) of each, in pixels, at least 1; order does not count.
            fit: Which of their sides is to fill the square: with ``pad`` the longer one.
            total: How many images the pool is to have, as far as that is known.
            above: The side is to be greater, such as a patch that has to fit into it; below 512.

        Returns:
            The choice by the image of which that side is the median (of an even number the lower
            one of the two); ``None`` if there is no image.
        """
        filling = max if fit == "pad" else min
        ordered = sorted(sizes, key=lambda size: (filling(size), size))
        if not ordered:
            return None
        width, height = ordered[(len(ordered) - 1) // 2]
        side = input_size_for(filling(width, height), total=total, above=above)
        return cls(side, width, height, len(ordered), fit)

    def to_json(self) -> dict[str, Any]:
        """For plans and results."""
        return {
            "side": self.side,
            "width": self.width,
            "height": self.height,
            "images": self.images,
            "fit": self.fit,
        }

    def __str__(self) -> str:
        """Say it to people."""
        whole = "all of each within " if self.fit == "pad" else ""
        return (
            f"Images are typically {self.width} × {self.height}; the model sees "
            f"{whole}{self.side} × {self.side}."
        )


def input_size_for(filling: int, *, total: int = 1, above: int = 0) -> int:
    """The side of the model's input for images of one size.

    Small images keep their pixels: up to 32 it is the smallest of ``SMALL`` that holds the side
    that is to fill it. Up to 96 it is 64, below 160 it is 128. Of photographs it is the largest of
    ``PHOTOGRAPHS`` that is not larger than they are, and that so many are embedded at soon.

    Args:
        filling: The side of the images that is to fill the square, in pixels, at least 1.
        total: How many there are.
        above: The side is to be greater than this, which is below 512.

    Returns:
        One of ``SMALL``, ``MEDIUM``, ``LARGE`` and the sides of ``PHOTOGRAPHS``; ``above`` + 1 if
        none is greater.
    """
    photographs = [side for side, most in PHOTOGRAPHS if most is None or total <= most]
    sides: Sequence[int] = (*SMALL, MEDIUM, LARGE, *sorted(photographs))
    if filling <= SMALL[-1]:
        chosen = next(side for side in SMALL if side >= filling)
    elif filling <= MEDIUM_UP_TO:
        chosen = MEDIUM
    else:
        chosen = next((side for side in photographs if side <= filling), LARGE)
    if chosen > above:
        return chosen
    return next((side for side in sides if side > above), above + 1)


def not_resized_since() -> ColumnElement[bool]:
    """Condition on ``Job``: models still see its project's images as they did when it ended.

    What was learned of images of one size is not to be mixed with what the same says of another,
    nor what was learned of their middles with what it says of all of them.
    """
    resize = aliased(Job)
    later = select(resize.id).where(
        resize.project_id == Job.project_id,
        resize.kind == JobKind.RESIZE,
        resize.state == JobState.SUCCEEDED,
        resize.is_real(),
        resize.finished_at > Job.finished_at,
    )
    return ~later.exists()
