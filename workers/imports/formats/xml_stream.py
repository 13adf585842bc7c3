"""XML of any length, one element at a time, with limits on depth and size.

Documents that declare types or entities are refused: nothing here needs them, and they are how a
few bytes become gigabytes, or name files of the machine.
"""

from collections.abc import Collection, Iterator
from pyexpat import ExpatError, ParserCreate
from typing import BinaryIO, Final
from xml.etree.ElementTree import Element, TreeBuilder

from core.errors import DomainError
from workers.imports.items import invalid_archive, printable

_BLOCK: Final = 1 << 16
_MOST_DEPTH: Final = 32
_MOST_PARTS: Final = 400_000
_MOST_BYTES: Final = 64 << 20


class _Broken(ValueError):
    """Why a document is read no further."""


def elements(file: BinaryIO, name: str, wanted: Collection[str]) -> Iterator[Element]:
    """The root without its children, then each child of the root that is ``wanted``, whole.

    Args:
        file: In any encoding that XML names.
        name: What the document is called in messages.
        wanted: Names of children; others are passed by.

    Raises:
        DomainError: ``invalid_archive`` for what is no XML, too deep, or too large in one piece.
    """
    reader = _Reader(wanted)
    try:
        while block := file.read(_BLOCK):
            reader.feed(block)
            yield from reader.taken()
        reader.feed(b"", is_last=True)
        yield from reader.taken()
    except (ExpatError, LookupError, ValueError) as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: Exception) -> DomainError:
    return invalid_archive(
        f"{printable(name)} cannot be read as XML: {printable(str(error))[:200].rstrip('.')}."
    )


class _Reader:
    """Puts elements together."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = wanted
        self._done: list[Element] = []
        self._builder: TreeBuilder | None = None
        self._depth = self._parts = self._bytes = 0
        self._parser = ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse

    def feed(self, block: bytes, *, is_last: bool = False) -> None:
        """Read on."""
        self._bytes += len(block)
        if self._bytes > _MOST_BYTES:
            raise _Broken(f"one element takes more than {_MOST_BYTES >> 20} MiB")
        self._parser.Parse(block, is_last)

    def taken(self) -> list[Element]:
        """What was finished since it was last asked for."""
        done, self._done = self._done, []
        return done

    def _refuse(self, *_: object) -> None:
        raise _Broken("it declares a document type or entities; take that out")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._parts += 1
        if self._depth > _MOST_DEPTH:
            raise _Broken(f"it is nested more than {_MOST_DEPTH} deep")
        if self._parts > _MOST_PARTS:
            raise _Broken(f"one element has more than {_MOST_PARTS:,} parts")
        if self._depth == 1:
            self._done.append(Element(name, attributes))
        elif self._depth == 2 and name in self._wanted:
            self._builder = TreeBuilder()
        if self._builder is not None:
            self._builder.start(name, attributes)

    def _text(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def _end(self, name: str) -> None:
        if self._builder is not None:
            self._builder.end(name)
        self._depth -= 1
        if self._depth == 1:
            self._parts = self._bytes = 0
            if self._builder is not None:
                self._done.append(self._builder.close())
                self._builder = None
