"""JSON of any length, one element or one line at a time.

``ijson`` splits the bytes into events. The paths that it can name them by grow with the square of
the nesting, so the elements are put together here, with limits on depth and size.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, Protocol, TextIO

import ijson

from workers.imports.items import invalid_archive, printable

_BLOCK: Final = 1 << 16
_MOST_DEPTH: Final = 64
_MOST_BYTES: Final = 16 << 20
_BOM: Final = b"\xef\xbb\xbf"
_OPENS: Final = frozenset({"start_map", "start_array"})
_CLOSES: Final = frozenset({"end_map", "end_array"})


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to ``size`` bytes; none at the end."""
        ...


def elements(file: Readable, name: str) -> Iterator[tuple[str | None, Any]]:
    """The elements of a document that is an array, or of the arrays in the object that it is.

    Args:
        file: UTF-8, with or without a mark.
        name: What the document is called in messages.

    Yields:
        The object's key, ``None`` for an array; and the element. A member of the object that is no
        array comes whole.

    Raises:
        DomainError: ``invalid_archive`` for what is no JSON, too deep, or too large in one piece.
    """
    source = _Counted(file)
    try:
        yield from _elements(source)
    except (ijson.JSONError, UnicodeDecodeError, ValueError) as error:
        reason = printable(str(error)).split("\N{REPLACEMENT CHARACTER}")[0].strip()[:200]
        raise invalid_archive(
            f"{printable(name)} cannot be read as JSON near byte {source.position:,}: {reason}."
        ) from error


def json_lines(lines: TextIO) -> Iterator[dict[str, Any]]:
    """The objects of JSON Lines; empty lines are left out.

    Raises:
        ValueError: A line is no object, or too long.
    """
    number = 0
    while line := lines.readline(_MOST_BYTES):
        number += 1
        if len(line) == _MOST_BYTES:
            raise ValueError(f"line {number} is longer than {_MOST_BYTES >> 20} MiB")
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: {error}") from error
        if not isinstance(row, dict):
            raise ValueError(f"line {number} is not an object")
        yield row


def _elements(source: "_Counted") -> Iterator[tuple[str | None, Any]]:
    key: str | None = None
    outer: list[str] = []
    builder: ijson.ObjectBuilder | None = None
    depth = 0
    for event, value in ijson.basic_parse(source, buf_size=_BLOCK, use_float=True):
        if builder is None:
            if not outer:
                if event not in _OPENS:
                    raise ValueError("it is neither an array nor an object")
                outer.append(event)
                continue
            if event in _CLOSES:
                outer.pop()
                continue
            if event == "map_key":
                key = value
                continue
            if outer == ["start_map"] and event == "start_array":
                outer.append(event)
                continue
            builder = ijson.ObjectBuilder()
        builder.event(event, value)
        depth += (event in _OPENS) - (event in _CLOSES)
        if depth > _MOST_DEPTH:
            raise ValueError(f"it is nested more than {_MOST_DEPTH} deep")
        if depth == 0:
            yield key, builder.value
            builder = None
            source.since = 0


class _Counted:
    """A stream that gives up when one element takes too much of it."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.position = self.since = 0

    def read(self, size: int = -1, /) -> bytes:
        if self.since > _MOST_BYTES:
            raise ValueError(f"one element takes more than {_MOST_BYTES >> 20} MiB")
        block = self._file.read(size)
        if self.position == 0:
            block = block.removeprefix(_BOM)
        self.position += len(block)
        self.since += len(block)
        return block
