"""Parameters of the job that brings a pool to another size."""

from pydantic import Field

from models.catalog.params import Params
from models.frame import Fit


class ResizeParams(Params):
    """What the images are brought to."""

    input_size: int | None = Field(
        default=None,
        ge=8,
        le=512,
        description="Side of the square that the model sees, in pixels; empty: as it is, or "
        "where fit is empty too what the first import of these images would choose.",
    )
    fit: Fit | None = Field(
        default=None,
        description="crop: models see the middle square of an image; pad: the whole image, with "
        "bars beside it; empty: as it is.",
    )

    @property
    def side(self) -> int:
        """The size; the job of somebody who gave none has the one that was chosen."""
        assert self.input_size is not None
        return self.input_size
