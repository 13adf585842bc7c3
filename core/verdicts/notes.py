"""Notes: plain text that somebody writes beside a verdict."""

from typing import Final
from unicodedata import category

MOST: Final = 500
"""Characters of a note."""
_KEPT: Final = frozenset("\n\t")
_UNSEEN: Final = frozenset({"Cc", "Cs"})
"""Control characters, and halves of characters: files hold such, requests are refused for them."""


def plain_note(text: str) -> str | None:
    """What can be stored of a text: nobody loses an answer to what came along with a paste.

    Args:
        text: As it was written.

    Returns:
        None if nothing is left.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = (one for one in lines if one in _KEPT or category(one) not in _UNSEEN)
    return "".join(kept).strip() or None
