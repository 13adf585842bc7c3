from pydantic import BaseModel

from core.states import Medium


class ExportedClass(BaseModel):
    """A class as exports write it.

    ``number`` is that of Parquet, and of COCO less one. ``folder`` is where folders by class have
    it. ``labeled`` and ``evaluation`` are the numbers of images that show it.
    """

    id: int
    name: str
    number: int
    folder: str
    labeled: int
    evaluation: int


class ExportFormat(BaseModel):
    """A format, the media that it can hold, and why not that of the project, if it cannot."""

    name: str
    media: list[Medium]
    refused: str | None
