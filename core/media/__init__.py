"""What examples are: how files of each medium are called, how large one may be, how it is shown."""

from collections.abc import Mapping
from typing import Final

from core.media.images.medium import IMAGE
from core.media.spec import MediumSpec
from core.media.texts.medium import TEXT
from core.states import Medium

MEDIA: Final[Mapping[Medium, MediumSpec]] = {one.name: one for one in (IMAGE, TEXT)}
