from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.jobs.imports import LONGEST_NAME, FolderChoice
from core.states import Split

Column = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
FolderName = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Choices = Annotated[dict[FolderName, FolderChoice], Field(max_length=200)]


class Packed(StrEnum):
    """What was zipped to be sent, and is listed as what it was."""

    FOLDER = "folder"
    IMAGES = "images"


ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
ModelOrNone = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]

FirstNumber = Annotated[int, Field(ge=0, le=1)]
"""The number of the first class in columns of numbers that do not say it themselves."""


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
    folder_split: Choices = {}
    count_from: FirstNumber | None = None
    key_column: Column | None = None
    label_column: Column | None = None
    split_column: Column | None = None
    annotation_columns: Annotated[list[Column], Field(max_length=50)] = []


class ImportStart(BaseModel):
    """How to go on with a planned import; what is left out stays as it was planned.

    `folder_split` says of folders, or of values of the split column, what they are, by name. With
    `dry_run` it is planned anew, as columns change what a plan says, also where the plan failed.
    `predictions` names the model whose predictions it brings; empty, it brings labels.
    """

    model_config = ConfigDict(extra="forbid")

    split: Split | None = None
    folder_split: Choices = {}
    count_from: FirstNumber | None = None
    image_column: Column | None = None
    text_column: Column | None = None
    label_column: Column | None = None
    split_column: Column | None = None
    key_column: Column | None = None
    annotation_columns: Annotated[list[Column], Field(max_length=50)] | None = None
    predictions: ModelOrNone | None = None
    probability_column: Column | None = None
    dry_run: bool = False

    def columns(self) -> dict[str, str]:
        """Names of columns by role."""
        given = {
            "image": self.image_column,
            "text": self.text_column,
            "label": self.label_column,
            "split": self.split_column,
            "key": self.key_column,
            "probability": self.probability_column,
        }
        return {role: name for role, name in given.items() if name}


class ImageLink(BaseModel):
    """`url` is a path of this Karat; whoever has it sees the image until it expires."""

    url: str
    expires_at: datetime
