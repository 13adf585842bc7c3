"""Cells of CSV files that people open in a spreadsheet."""

from collections.abc import Iterable
from typing import Any, Final

BOM: Final = "\ufeff"
"""At the beginning of a CSV, it tells Excel that the text is UTF-8; else that guesses wrong."""

# Excel, LibreOffice and Google Sheets take what begins so for a formula, which can call programs
# or send the sheet away; the last four are the full-width forms. (OWASP, CSV injection)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def plain(value: Any) -> Any:
    """``value``, with an apostrophe before text that a spreadsheet would compute.

    Numbers stay as they are, so programs lose nothing.
    """
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def original(text: str) -> str:
    """What ``plain`` made ``text`` of."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def plain_row(values: Iterable[Any]) -> list[Any]:
    """``plain`` of each of ``values``."""
    return [plain(value) for value in values]
