"""JSON of any length, one element or one line at a time.

``ijson`` splits the bytes into events. The paths that it can name them by grow with the square of
the nesting, so the elements are put together here, with limits on depth and size.
"""

import codecs
import io
import json
import math
import re
import string
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, Protocol

import ijson

from workers.imports.formats.lines import PLAIN, Lines, not_whole
from workers.imports.items import invalid_archive, printable, require_utf_8

_BLOCK: Final = 1 << 16
_MOST_DEPTH: Final = 64
_MOST_BYTES: Final = 16 << 20
# Lists and objects of one element: each takes far more memory than its two bytes.
_MOST_PARTS: Final = 100_000
_BOM: Final = b"\xef\xbb\xbf"
_LOOKED_AT: Final = 64
_LINES: Final = " Objects that follow each other are JSON Lines: call a file of these .jsonl."
_OPENS: Final = frozenset({"start_map", "start_array"})
_BEGUN: Final = 3
_CLOSES: Final = frozenset({"end_map", "end_array"})
# What Python and pandas write for numbers that JSON has no word for, and numbers that the parser
# has no room for.
_ODD: Final = re.compile(rb"-?\b(?:NaN|Infinity)\b|(?<![\w.+-])-?\d{19,}(?![\d.eE])")
_LARGE: Final = b"0" * 19
_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"0" * 9)
# Before such a number, which is handed to the parser as a text.
_MARK: Final = "\0\0integer "
# An escape that stands for half a character: two of them make one.
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
# What may go on in the next block: a word, or a number.
_UNFINISHED: Final = (string.ascii_letters + string.digits + "-+.").encode()
_MOST_UNFINISHED: Final = 400


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

    NaN and Infinity are read as null, and integers of any size as they are.

    Raises:
        DomainError: ``invalid_archive`` for what is no JSON, too deep, or too large in one piece.
    """
    source = _Counted(file)
    try:
        yield from _elements(source)
    except ijson.IncompleteJSONError as error:
        if "premature EOF" not in str(error) and str(error):
            raise _unreadable(name, source, error) from error
        raise invalid_archive(
            f"{printable(name)} ends early, at byte {source.position:,}: it was not written or "
            "sent as a whole (premature EOF)."
        ) from error
    except (ijson.JSONError, UnicodeDecodeError, ValueError) as error:
        raise _unreadable(name, source, error) from error


def _unreadable(name: str, source: "_Counted", error: Exception) -> Exception:
    """The error, with the place: the parser shows what stands there."""
    said = error.args[0] if error.args else ""
    # What is no UTF-8 is shown as it is.
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(error)
    reason, *shown = text.split("\n")
    hint = _LINES if "trailing garbage" in reason and source.is_object else ""
    place = source.position
    if len(shown) > 1 and "^" in shown[1]:
        # An excerpt, and below it an arrow to where it went wrong.
        excerpt = shown[0].lstrip()
        place = source.place_of(excerpt, shown[1].index("^") - len(shown[0]) + len(excerpt))
    return invalid_archive(
        f"{printable(name)} cannot be read as JSON near byte {place:,}: "
        f"{printable(reason).strip()[:200].rstrip('.')}.{hint}"
    )


def json_rows(
    file: BinaryIO, name: str, how: Lines = PLAIN
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Where each line of JSON Lines is, and its object; or why it is none.

    Args:
        file: UTF-8, with or without a mark.
        name: What it is called in messages.
        how: How its lines are read.

    Raises:
        DomainError: ``invalid_archive`` from where it cannot be read on.
    """
    number = 0
    most = how.most
    encoding, errors = "utf-8-sig", how.errors
    if how.is_lenient and file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        encoding, errors = "utf-16", "strict"
    if how.is_lenient:
        file.seek(0)
    lines = io.TextIOWrapper(file, encoding=encoding, newline="", errors=errors)
    try:
        while line := lines.readline(most):
            number += 1
            if number == 1:
                start = line[:_LOOKED_AT].encode("utf-8", "surrogateescape")
                require_utf_8(start, name, "JSON Lines")
            if len(line) == most:
                while line and not line.endswith("\n"):
                    line = lines.readline(most)
                yield f"line {number}", f"is longer than {most >> 20} MiB"
            elif line.strip():
                bad = not_whole(line) if how.is_lenient else None
                yield f"line {number}", bad or _line(line, is_lenient=how.is_lenient)
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError) and not number and b"\0" in error.object:
            said = (
                f"{printable(name)} cannot be read as JSON Lines: it is UTF-16. Save it as UTF-8."
            )
            raise invalid_archive(said) from error
        raise invalid_archive(
            f"{printable(name)} cannot be read near line {number + 1}: {printable(str(error))}."
        ) from error
    finally:
        # Whoever opened the file closes it.
        lines.detach()


def _line(line: str, *, is_lenient: bool) -> dict[str, Any] | str:
    """The object of a line, or why it is none.

    NaN, Infinity and what is too large for a float are read as null; halves of a character, which
    no text can hold, as ``?``, unless the reading is lenient.
    """
    try:
        row = _DECODER.decode(line)
        if not is_lenient and _HALF.search(line):
            whole = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
            row = json.loads(whole)
        if line.count("[") + line.count("{") > _MOST_DEPTH and _is_deep(row):
            raise RecursionError
    except RecursionError:
        return f"is nested more than {_MOST_DEPTH} deep"
    except ValueError as error:
        # Without the place within it, which no other line shares.
        return f"is no JSON: {printable(getattr(error, 'msg', str(error)))}"
    return row if isinstance(row, dict) else "is not an object"


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"it says {printable(name)[:100]!r} twice")
    return found


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


# Made once: that takes longer than reading a line.
_DECODER: Final = json.JSONDecoder(
    parse_constant=lambda _: None, parse_float=_finite, object_pairs_hook=_members
)


def _is_deep(value: Any) -> bool:
    """Whether lists and objects are nested more than ``_MOST_DEPTH`` deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_MOST_DEPTH + 1):
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [part for one in inside for part in one if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _elements(source: "_Counted") -> Iterator[tuple[str | None, Any]]:
    key: str | None = None
    outer: list[str] = []
    builder: ijson.ObjectBuilder | None = None
    depth = parts = 0
    for event, value in ijson.basic_parse(source, buf_size=_BLOCK, use_float=True):
        if builder is None:
            if not outer:
                if event not in _OPENS:
                    raise ValueError("it is neither an array nor an object")
                outer.append(event)
                source.is_object = event == "start_map"
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
        if event == "string" and value.startswith(_MARK):
            value = int(value[len(_MARK) :])
        builder.event(event, value)
        depth += (event in _OPENS) - (event in _CLOSES)
        if depth > _MOST_DEPTH:
            raise ValueError(f"it is nested more than {_MOST_DEPTH} deep")
        parts += event in _OPENS
        if parts > _MOST_PARTS:
            raise ValueError(f"one element has more than {_MOST_PARTS:,} lists and objects")
        if depth == 0:
            yield key, builder.value
            builder = None
            source.since = parts = 0


def begun(file: Readable) -> Iterator[tuple[tuple[str | None, ...], str]]:
    """Where each value begins in a document that breaks off somewhere, three levels down at most.

    Yields:
        Keys of the objects around it, ``None`` for a list; and the event of ``ijson``.
    """
    path: list[str | None] = []
    try:
        for event, value in ijson.basic_parse(_Counted(file), buf_size=_BLOCK, use_float=True):
            if event == "map_key":
                path[-1] = value
                continue
            if event in _CLOSES:
                path.pop()
                continue
            if len(path) <= _BEGUN:
                yield tuple(path), event
            if event in _OPENS:
                path.append(None)
    except (ijson.JSONError, UnicodeDecodeError, ValueError):
        return


class _Counted:
    """A stream that gives up when one element takes too much of it; odd numbers are mended."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.position = self.since = 0
        self.is_object = self._in_text = False
        self._held = self._last = b""

    def read(self, size: int = -1, /) -> bytes:
        if self.since > _MOST_BYTES:
            raise ValueError(f"one element takes more than {_MOST_BYTES >> 20} MiB")
        block = self._file.read(size)
        while True:
            self.since += len(block)
            if self.position == 0:
                self.position = len(block)
                block = block.removeprefix(_BOM)
            else:
                self.position += len(block)
            whole = self._held + block
            start = len(whole) if not block else _finished(whole)
            self._last, self._held = whole[:start], whole[start:]
            # What is empty is taken for the end.
            if self._last or not block:
                return self._numbers(self._last)
            block = self._file.read(size)

    def place_of(self, excerpt: str, offset: int) -> int:
        """Where in the file the place ``offset`` bytes into a part of the last block is."""
        found = self._last.find(excerpt.encode(errors="ignore"))
        if found < 0:
            return self.position
        return self.position - len(self._held) - len(self._last) + found + max(0, offset)

    def _numbers(self, block: bytes) -> bytes:
        inside, seen = self._in_text, 0
        self._in_text ^= _is_odd(block)
        is_odd = b"NaN" in block or b"Infinity" in block
        if not is_odd and _LARGE not in block.translate(_AS_ZEROS):
            return block

        def mended(found: re.Match[bytes]) -> bytes:
            # Counted from one to the next: a block is full of them in a bad document.
            nonlocal inside, seen
            inside ^= _is_odd(block[seen : found.start()])
            seen = found.start()
            if inside:
                return found[0]
            number = found[0].decode()
            return json.dumps(_MARK + number).encode() if number[-1].isdigit() else b"null"

        return _ODD.sub(mended, block)


def _finished(block: bytes) -> int:
    """Length of ``block`` without a word, number or escape that may go on in the next one."""
    tail = block[-_MOST_UNFINISHED:]
    end = len(block) - len(tail) + len(tail.rstrip(_UNFINISHED))
    return end - (end - len(block[:end].rstrip(b"\\"))) % 2


def _is_odd(block: bytes) -> bool:
    """Whether text begins or ends in ``block`` once more than it does the other."""
    if b"\\" in block:
        block = _ESCAPED.sub(b"", block)
    return block.count(b'"') % 2 == 1
