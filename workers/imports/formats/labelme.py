"""LabelMe's files (of K. Wada's program): a JSON for each image, with the image in it or without.

Of the class of an image they say which flag is set; what they draw is read in ``boxes.labelme``.
"""

import string
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple

from core.errors import DomainError
from core.media.images.medium import ENDINGS
from workers.imports.formats.json_stream import Readable, elements
from workers.imports.formats.metadata import UNREAD
from workers.imports.items import Refused, plain_path, printable
from workers.imports.matching import Called, resolved
from workers.imports.values import is_yes

SOURCE: Final = "LabelMe"
"""Source of what names nobody."""
SHAPES: Final = "shapes"
_NAMED: Final = f'"{SHAPES}"'.encode()
IMAGE: Final = "imagePath"
# Those of its members that stand in every file of it and in hardly another.
_MARKS: Final = frozenset({"imageData", "imageHeight", "flags"})
_BASE64: Final = (string.ascii_letters + string.digits + "+/=").encode()
# Of a shorter block a word may be the whole.
_LEAST_PICTURE: Final = 1 << 12
_MOST_FLAGS: Final = 5


class Described(NamedTuple):
    """What one file says.

    Attributes:
        image: The path of its image, as it has it; empty if it names none.
        fields: Of the image, as documents have them; ``None`` if it says nothing of it.
    """

    image: str
    fields: dict[str, Any] | None


Read = Callable[[BinaryIO, str], Described | Refused]
"""Reads one file, by its path."""


class WithoutPictures:
    """A JSON without the blocks that are nothing but base64: of a picture that lies in it.

    So it takes no more memory than what it says beside them. The text that held them stays a text.
    """

    def __init__(self, file: Readable) -> None:
        """Read ``file``, which gives as much as it is asked for until it ends."""
        self._file = file
        self._end = b""
        self.names_shapes = False
        """Whether a text that was read so far is ``shapes``, be there any or none."""

    def read(self, size: int = -1, /) -> bytes:
        """The next block, of up to ``size`` bytes; none at the end."""
        while len(block := self._file.read(size)) >= _LEAST_PICTURE:
            if block.translate(None, _BASE64):
                break
        self.names_shapes = self.names_shapes or _NAMED in self._end + block
        self._end = block[1 - len(_NAMED) :]
        return block


class Marks:
    """Tells by the members of an object, as they come, whether it is a file of LabelMe."""

    def __init__(self, file: WithoutPictures) -> None:
        """Nothing is known yet of ``file``, whose members they are."""
        self._file = file
        self._seen: set[str] = set()

    @property
    def are_all(self) -> bool:
        """Whether it is one by what is known, as far as it was read."""
        return self._file.names_shapes and IMAGE in self._seen and len(self._seen) > 1

    def tell(self, key: str, value: object) -> bool:
        """Whether it is one, once this member, or element of it, is known too."""
        if key == SHAPES and isinstance(value, dict):
            return "points" in value
        if key in _MARKS or (key == IMAGE and isinstance(value, str)):
            self._seen.add(key)
        return self.are_all


def members(file: Readable, name: str) -> Iterator[tuple[str | None, Any]]:
    """The members of a file, of lists each element, as ``elements``; pictures are cut short."""
    return elements(WithoutPictures(file), name)


def read(file: BinaryIO, name: str) -> Described | Refused:
    """What a file says of the class of its image: the one flag that is set.

    Args:
        file: Its bytes.
        name: Its path.
    """
    image, has_shapes = "", False
    flags: dict[str, None] = {}
    try:
        for key, value in members(file, name):
            if key == IMAGE and isinstance(value, str):
                image = value
            elif key == SHAPES:
                has_shapes = True
            elif key == "flags" and isinstance(value, dict):
                flags = {
                    label: None
                    for flag, is_set in value.items()
                    if is_yes(is_set) and (label := printable(str(flag))).strip()
                }
    except DomainError as error:
        return Refused(error.detail)
    if len(flags) == 1:
        (label,) = flags
        return Described(image, {"class": label, "votes": [{"annotator": SOURCE, "class": label}]})
    if flags:
        names = ", ".join([*flags][:_MOST_FLAGS])[:100]
        reason = f"several flags are set ({names}); an image has one class"
        return Described(image, {"class": None, "votes": [], UNREAD: [reason]})
    if has_shapes:
        return Refused(
            "it draws shapes, which are read in projects of boxes, and sets no flag, which would "
            "be the class of its image"
        )
    return Described(image, None)


def called(name: str, image: str, beside: Sequence[str]) -> list[Called]:
    """What the image of a file is called: as it lies beside it, then as the file says.

    Args:
        name: The path of the file.
        image: The path that it has for its image; empty if it names none.
        beside: Paths of the images that lie beside it and are called like it.
    """
    stated = plain_path(image.strip()).rstrip("/")
    folder, _, base = name.rpartition("/")
    end = stated.rpartition("/")[2]
    # Of a.jpg and a.png beside a.json that which the file says.
    there = sorted(beside, key=lambda path: path.rpartition("/")[2] != end)
    is_drive = stated[1:2] == ":"
    is_whole = stated.startswith("/") or is_drive
    path = (stated[2:] if is_drive else stated).lstrip("/")
    # Of a path of another machine its end may be all that is left.
    named = [path, end] if is_whole else [resolved(f"{folder}/{path}")]
    found = [one for one in dict.fromkeys([*there, *named]) if one]
    if not path or not found:
        stem = PurePosixPath(base).stem
        found = there or [resolved(f"{folder}/{stem}{ending}") for ending in ENDINGS]
    return [Called(path) for path in found]
