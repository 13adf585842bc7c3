"""Weights of networks that projects start from.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, TypedDict


class UsingProject(TypedDict):
    """A project that starts from weights."""

    id: int
    name: str


class Uploader(TypedDict):
    """Who has uploaded weights."""

    id: int
    name: str


class Weights(TypedDict):
    """Weights of a network that were uploaded.

    A worker looks whether they are of the `architecture`: until then they are `checking`, and then
    `ready`, or `refused` for a `problem`. They are `lost` where their file is not there any more,
    or not whole: uploading it once more puts it back. `left_aside` are the tensors of the head,
    which is not needed. `meta` has what the file says of images: `mean`, `std` and `input_size`.
    `used_by` are projects that start from them, of those that the caller sees.
    """

    architecture: str
    bytes: int
    created_at: str
    created_by: Uploader | None
    filename: str
    id: int
    left_aside: list[str]
    library: Literal["timm", "torchvision", "open_clip"]
    meta: dict[str, Any]
    name: str
    problem: str | None
    sha256: str
    state: Literal["checking", "ready", "refused", "lost"]
    tensors: int
    used_by: list[UsingProject]
