"""Texts: exact UTF-8. Which bytes are one, and which are none, with the reason. Pure."""

import codecs
from dataclasses import dataclass
from typing import Final

from core.media.spec import MediumSpec
from core.states import Medium

TEXTS: Final = frozenset({".txt", ".md", ".markdown", ".text"})
"""Endings of files that are texts, by their names."""
EXCERPT: Final = 300
"""Characters that lists show of a text."""
MEDIA_TYPE: Final = "text/plain"
# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_LOOKED_AT: Final = 1024
_UNMARKED: Final = "it is UTF-16 without the mark that says so; save it as UTF-8"
_AROUND: Final = 20


def excerpt(content: str) -> str:
    """The beginning of a text, as lists show it."""
    return content[:EXCERPT]


TEXT: Final = MediumSpec(
    name=Medium.TEXT,
    suffixes=TEXTS,
    bringing=frozenset({".zip", ".tar", ".parquet", ".csv", ".tsv", ".jsonl", ".json"}),
    describing=frozenset(),
    # Of other encodings one character takes up to four bytes; what it is as UTF-8 is counted then.
    most_bytes=64 << 20,
    preview=excerpt,
)


class NotText(ValueError):
    """Why something is no text that a pool can hold; the message is for whoever sent it."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Bytes as text.

    Attributes:
        content: Exactly what they say, without the mark of the encoding.
        encoding: Which encoding that was, such as ``UTF-16``.
    """

    content: str
    encoding: str


def decoded(content: bytes) -> Decoded:
    """Read a file as text: UTF-8, or what the mark at its beginning says.

    Raises:
        NotText: It is neither.
    """
    mark, encoding, name = next(
        (one for one in _MARKS if content.startswith(one[0])), (b"", "utf-8", "UTF-8")
    )
    if not mark and is_utf_16(content):
        raise NotText(_UNMARKED)
    try:
        return Decoded(content[len(mark) :].decode(encoding), name)
    except UnicodeDecodeError as error:
        if name == "UTF-8":
            raise NotText(not_utf_8(error.object, error.start)) from error
        raise NotText(f"it is marked as {name} and is none: {error.reason}") from error


def not_utf_8(content: bytes, at: int) -> str:
    """Why bytes are no UTF-8, and what they may be instead.

    Args:
        content: All of them, or a part.
        at: Where the first is that does not fit.
    """
    if is_utf_16(content):
        return _UNMARKED
    byte = content[at : at + 1].hex().upper()
    around = content[max(0, at - _AROUND) : at + _AROUND]
    try:
        shown = around.decode("cp1252")
    except UnicodeDecodeError:
        shown = ""
    letter = content[at : at + 1].decode("cp1252", "replace")
    if shown.isprintable() and shown and letter.isprintable():
        return (
            f"it is not UTF-8 (byte {byte} at {at}); in Windows-1252 or Latin-1 that is "
            f"{letter!r}. Save it as UTF-8"
        )
    return f"it is not UTF-8 (byte {byte} at {at}); save it as UTF-8"


def is_utf_16(content: bytes) -> bool:
    """Whether bytes look like UTF-16 without a mark: of Latin letters half of it is zeros."""
    start = content[:_LOOKED_AT]
    zeros = [at for at, byte in enumerate(start) if not byte]
    return len(zeros) > 1 and len(zeros) * 4 > len(start) and len({at % 2 for at in zeros}) == 1


def require_text(content: str, most: int) -> bytes:
    """A text as a pool holds it: its UTF-8.

    Args:
        content: What it says.
        most: How long it may be, in bytes.

    Raises:
        NotText: It says nothing, is too long, or holds what no text of a database can.
    """
    if not content:
        raise NotText("the text is empty")
    if content.isspace():
        raise NotText("there is nothing in the text but blanks")
    if "\0" in content:
        at = content.index("\0")
        raise NotText(f"character {at + 1:,} of the text is NUL, which none may hold")
    # What is longer in characters is longer in bytes.
    encoded = content.encode() if len(content) <= most else b""
    if len(content) > most or len(encoded) > most:
        raise NotText(
            f"the text is longer than {most:,} bytes; divide it, or raise KARAT_MAX_TEXT_BYTES"
        )
    return encoded
