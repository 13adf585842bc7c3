from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.states import Split

Column = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class Packed(StrEnum):
    """What was zipped to be sent, and is listed as what it was."""

    FOLDER = "folder"
    IMAGES = "images"


class LocationOut(BaseModel):
    """A place that images may be taken from."""

    location: str


class BucketImport(BaseModel):
    """Images to take in where they lie.

    Without a `table` they are all those below `location` whose path there fits a pattern of
    `include` (`*` also stands for slashes), or without patterns those that are called like images.
    Folders and `metadata.csv` mean what they mean in a zip. With a `table`, a CSV, JSONL or Parquet
    file below `location`, they are the objects that its rows name.
    """

    model_config = ConfigDict(extra="forbid")

    location: Address
    include: Annotated[list[Column], Field(max_length=50)] = []
    table: Address | None = None
    split: Split = Split.POOL
    key_column: Column | None = None
    label_column: Column | None = None
    split_column: Column | None = None
    annotation_columns: Annotated[list[Column], Field(max_length=50)] = []


class ImageLink(BaseModel):
    """`url` is a path of this Karat; whoever has it sees the image until it expires."""

    url: str
    expires_at: datetime
