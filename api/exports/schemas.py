from pydantic import BaseModel


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
