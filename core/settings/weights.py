"""Which weights a project needs, by its settings."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from core.settings.project import Choice

Library = Literal["timm", "torchvision", "open_clip"]
CAPTIONS: Final[Library] = "open_clip"
"""Of networks that understand captions: by their weights pools of images are searched by words."""
LIBRARIES: Final = tuple(one for one in get_args(Library) if one != CAPTIONS)
"""Models of the catalog that stand for any network of a library."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a network starts from.

    Attributes:
        library: Of the network.
        architecture: Its name there.
        uploaded: Name of uploaded weights; empty for the published ones.
    """

    library: str
    architecture: str
    uploaded: str


def start_of(model: Choice) -> Start | None:
    """What a model starts from; None for one that needs no weights from elsewhere.

    Args:
        model: Of a project's settings, with all its parameters.
    """
    params = model.params
    if model.name not in LIBRARIES or params.get("mode") == "scratch":
        return None
    uploaded = str(params.get("weights") or "")
    if not uploaded and not params.get("pretrained"):
        return None
    return Start(model.name, str(params.get("architecture")), uploaded)


def captions_of(purity: Choice) -> str:
    """Name of the uploaded weights by which a purity compares images with captions; or empty.

    Args:
        purity: Of a project's settings, with all its parameters.
    """
    return str(purity.params.get("uploaded") or "") if purity.name == "clip" else ""
