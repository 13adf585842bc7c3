from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from core.settings.weights import Library

State = Literal["checking", "ready", "refused", "lost"]


class Uploader(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str


class UsingProject(BaseModel):
    id: int
    name: str


class WeightsOut(BaseModel):
    """Weights of a network that were uploaded.

    A worker looks whether they are of the `architecture`: until then they are `checking`, and then
    `ready`, or `refused` for a `problem`. They are `lost` where their file is not there any more,
    or not whole: uploading it once more puts it back. `left_aside` are the tensors of the head,
    which is not needed. `meta` has what the file says of images: `mean`, `std` and `input_size`.
    `used_by` are projects that start from them, of those that the caller sees.
    """

    id: int
    name: str
    library: Library
    architecture: str
    filename: str
    sha256: str
    bytes: int
    tensors: int
    meta: dict[str, Any]
    left_aside: list[str]
    state: State
    problem: str | None
    used_by: list[UsingProject]
    created_by: Uploader | None
    created_at: datetime
