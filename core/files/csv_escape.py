"""Cells of CSV files that people open in a spreadsheet."""

from collections.abc import Iterable
from typing import Any, Final

BOM: Final = "\ufeff"
"""At the beginning of a CSV, it tells Excel that the text is UTF-8; else that guesses wrong."""

# Excel, LibreOffice and Google Sheets take what begins so for a formula, which can call programs
# or send the sheet away; the last four are the full-width forms. (OWASP, CSV injection)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def _is_risky(text: str) -> bool:
    """Whether ``text`` is a formula, or looks like one that ``plain`` has made plain."""
    return text.lstrip("'").startswith(_FORMULA)


def plain(value: Any) -> Any:
    """``value``, with an apostrophe before text that a spreadsheet would compute.

    Before text that is already written so, too, so that ``original`` undoes it. Numbers stay as
    they are, so programs lose nothing.
    """
    return f"'{value}" if isinstance(value, str) and _is_risky(value) else value


def original(text: str) -> str:
    """What ``plain`` made ``text`` of."""
    return text[1:] if text.startswith("'") and _is_risky(text[1:]) else text


def plain_row(values: Iterable[Any]) -> list[Any]:
    """``plain`` of each of ``values``."""
    return [plain(value) for value in values]
