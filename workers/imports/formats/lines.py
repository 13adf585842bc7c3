"""How the lines of tables are read: how long one may be, and what a bad one costs."""

from dataclasses import dataclass
from typing import Final, Literal

from core.media.texts.medium import not_utf_8

MOST_LINE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Lines:
    """How lines are read.

    Attributes:
        most: How long one may be, in characters.
        is_lenient: Whether a line costs itself alone that is not in the file's encoding, or that
            cannot be divided into cells; and half of a character stays one, for whoever reads it.
    """

    most: int = MOST_LINE
    is_lenient: bool = False

    @property
    def errors(self) -> Literal["strict", "surrogateescape"]:
        """What becomes of bytes that are not UTF-8; in a lenient reading, ``not_whole`` tells."""
        return "surrogateescape" if self.is_lenient else "strict"


PLAIN: Final = Lines()
"""Lines of labels, paths and other words."""
OF_BOXES: Final = Lines(16 << 20)
"""Lines where a label may be thousands of boxes, each twice and more often: whole, and by votes."""


def lines_of(text: str) -> list[str]:
    """The lines of a list: what else parts paragraphs, as U+2028 does, is part of a name."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def not_whole(text: str) -> str | None:
    """Why a lenient reading of a file, before it is taken for anything, is no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start].encode("utf-8", "surrogateescape")
        return not_utf_8(text.encode("utf-8", "surrogateescape"), len(before))
    return None
