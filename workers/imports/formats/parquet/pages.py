"""Headers of the pages of a Parquet file: what each holds, which its footer may tell otherwise."""

from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from workers.imports.items import invalid_archive

_HEADERS: Final = (1 << 9, 1 << 14, 1 << 20, 16 << 20)
DICTIONARY_PAGE: Final = 2
DELTA_BYTE_ARRAY: Final = 7
_DATA_PAGES: Final = {0: (5, 2), 3: (8, 4)}
"""Types of pages with values: field of the header that tells of them, and its field of encoding."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        kind: Its type.
        size: Its bytes when unpacked.
        values: How many there are.
        encoding: Theirs.
        end: Where in the file it ends.
    """

    kind: int
    size: int
    values: int
    encoding: int
    end: int


def page_at(file: BinaryIO, position: int) -> Page:
    """The page at ``position``, by its own header.

    That is a ``PageHeader`` in Thrift's compact protocol (Apache Parquet format, 2.10).

    Raises:
        DomainError: ``invalid_archive`` where there is none.
    """
    for most in _HEADERS:
        file.seek(position)
        block = file.read(most)
        try:
            fields, length = _struct(block, 0, 0)
            kind, size, packed = (int(fields[number]) for number in (1, 2, 3))
            told, encoded = _DATA_PAGES.get(kind, (0, 0))
            of_values = fields.get(told, {})
            values, encoding = int(of_values.get(1, 0)), int(of_values.get(encoded, 0))
        except IndexError:
            if len(block) < most:
                break
            continue
        except (KeyError, TypeError, ValueError, AttributeError):
            break
        if min(size, packed, values) >= 0:
            return Page(kind, size, values, encoding, position + length + packed)
        break
    raise invalid_archive(
        f"The Parquet file is damaged: there is no page at byte {position:,}, where its footer "
        "names one."
    )


def _struct(block: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Fields of a Thrift struct by number, and where it ends."""
    if depth > 8:
        raise ValueError
    fields: dict[int, Any] = {}
    number = 0
    while head := block[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(block, at)
        fields[number], at = _value(block, at, head & 15, depth)
    return fields, at + 1


def _value(block: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return block[at], at + 1
    if kind in (4, 5, 6):
        return _zigzag(block, at)
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _varint(block, at)
        return None, at + length
    if kind == 12:
        return _struct(block, at, depth + 1)
    # Page headers have neither lists nor maps.
    raise ValueError


def _varint(block: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = block[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError


def _zigzag(block: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(block, at)
    return (value >> 1) ^ -(value & 1), at
