"""YOLO's labels: a text for each image, and the names of the numbers in ``data.yaml``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from core.tasks.box_conventions import number_of
from workers.imports.drawn import Drawn, Rectangle
from workers.imports.formats.boxes.shapes import ENCLOSED, around, pairs, texts
from workers.imports.formats.lines import lines_of
from workers.imports.items import Refused, printable

SOURCE: Final = "YOLO"
"""Source of what names nobody."""
YAML: Final = frozenset({".yaml", ".yml"})
LISTS: Final = frozenset({"classes.txt", "obj.names"})
"""Names of files with one class a line."""
_MOST_NAMES: Final = 10_000
# Shares of an image; what was measured in pixels lies far beyond.
_LEAST, _MOST = -1.0, 2.0
_BOX, _SURE, _CORNERS = 5, 6, 9

NamesByFile = Mapping[str, Mapping[int, str]]
"""What the numbers of classes stand for, by the path of each file of one folder that says it."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the numbers in a text stand for.

    Attributes:
        said: By what goes first.
        passed_over: By lists that do not count beside a ``data.yaml``.
    """

    said: NamesByFile
    passed_over: NamesByFile = field(default_factory=dict)


class NamesByFolder:
    """The files of an archive that say what numbers stand for."""

    def __init__(self) -> None:
        """Begin with none."""
        self._yaml: dict[str, dict[str, Mapping[int, str]]] = {}
        self._lists: dict[str, dict[str, Mapping[int, str]]] = {}

    def add(self, name: str, content: bytes) -> None:
        """Read what the file at a path says, if it says anything."""
        found = class_names(name, content)
        if found is not None:
            is_yaml = PurePosixPath(name).suffix.lower() in YAML
            by_folder = self._yaml if is_yaml else self._lists
            by_folder.setdefault(name.rpartition("/")[0], {})[name] = found

    @property
    def class_names(self) -> list[str]:
        """Every name, by its number in the first file that has it; a ``data.yaml`` goes first."""
        files = chain.from_iterable(one.values() for one in (self._yaml or self._lists).values())
        return list(dict.fromkeys(name for one in files for _, name in sorted(one.items())))

    def names_for(self, name: str) -> Names | None:
        """What holds for the text at a path.

        The nearest ``data.yaml`` around it goes first, as YOLO itself reads no list; then the
        nearest list, and then what the archive's only file of either kind says.
        """
        by_yaml, by_list = _nearest(self._yaml, name), _nearest(self._lists, name)
        if by_yaml or by_list:
            return Names(by_yaml, by_list) if by_yaml else Names(by_list)
        every = [one for kind in (self._yaml, self._lists) for one in kind.values()]
        different = {tuple(sorted(one.items())) for said in every for one in said.values()}
        return Names(every[0]) if len(different) == 1 else None


def _nearest(by_folder: Mapping[str, NamesByFile], name: str) -> NamesByFile:
    return next((by_folder[one] for one in _around(name) if one in by_folder), {})


def _around(name: str) -> Iterator[str]:
    """The folders that a file lies in, the nearest first."""
    while name:
        name = name.rpartition("/")[0]
        yield name


def class_names(name: str, content: bytes) -> Mapping[int, str] | None:
    """What the numbers of classes stand for, by a ``data.yaml`` or a list; ``None`` without any.

    Args:
        name: Path of the file.
        content: All of it.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if PurePosixPath(name).suffix.lower() not in YAML:
        lines = [line.strip() for line in lines_of(text)]
        while lines and not lines[-1]:
            lines.pop()
        return dict(enumerate(map(printable, lines[:_MOST_NAMES]))) or None
    try:
        found = _PlainLoader(text).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    names = found.get("names") if isinstance(found, dict) else None
    pairs_: Any = enumerate(names) if isinstance(names, list) else None
    if isinstance(names, dict):
        pairs_ = names.items()
    if pairs_ is None:
        return None
    try:
        return {int(number): printable(str(one)) for number, one in pairs_}
    except (TypeError, ValueError):
        return None


class _PlainLoader(yaml.SafeLoader):
    """Reads every scalar as the text that stands there: a class may be called ``no`` or ``1.10``.

    Anchors are refused, since a few of them make gigabytes.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


_PlainLoader.yaml_implicit_resolvers = {}


def read(text: str, name: str, names: Names | None) -> Drawn | Refused:
    """What one text says. Without a line it says that there is nothing in its image.

    Args:
        text: All of it.
        name: Its path.
        names: What its numbers stand for; ``None`` where no file says it.
    """
    shown = printable(name)
    boxes: list[Rectangle] = []
    notes: dict[str, None] = {}
    passed_over = names.passed_over if names is not None else {}
    lines = [(place, line.split()) for place, line in enumerate(lines_of(text), 1)]
    for number, (line, parts) in enumerate(((p, one) for p, one in lines if one), 1):
        found = _box(parts, number, names)
        if isinstance(found, Refused):
            return Refused(f"{shown}: box {number} (line {line}) {found.reason}")
        if found.is_made:
            notes[ENCLOSED] = None
        for file, others in passed_over.items():
            if others.get(int(float(parts[0])), found.class_name) != found.class_name:
                notes[f"{printable(file)} names its classes otherwise, and was passed over"] = None
        boxes.append(found)
    return Drawn(shown, "yolo", tuple(boxes), None, tuple(notes))


def _box(parts: list[str], number: int, names: Names | None) -> Rectangle | Refused:
    class_name = _class(parts[0], names)
    if isinstance(class_name, Refused):
        return class_name
    values = [number_of(one) for one in parts[1:]]
    if len(parts) == _CORNERS:
        return Refused("has four corners: it may be turned, and boxes here stand upright")
    if len(parts) < _BOX or (len(parts) % 2 == 0 and len(parts) != _SURE):
        return Refused(f"has {len(parts)} numbers where 5 should be")
    bad = next((one for one, value in zip(parts[1:], values, strict=True) if value is None), None)
    if bad is not None:
        return Refused(f"has {printable(bad)[:20]!r} where a number should be")
    shares = [value for value in values if value is not None]
    far = next((one for one in shares if not _LEAST <= one <= _MOST), None)
    if far is not None:
        return Refused(f"has {far:g} where a share of the image, 0 to 1, should be")
    if len(parts) in (_BOX, _SURE):
        # The sixth is how sure a model is.
        score = parts[_BOX] if len(parts) == _SURE else None
        return Rectangle(number, class_name, tuple(parts[1:_BOX]), score=score)
    box = around(pairs(shares))
    if box is None:
        return Refused("is an outline that encloses nothing")
    left, top, right, bottom = box
    made = ((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
    return Rectangle(number, class_name, texts(made), is_made=True)


def _class(text: str, names: Names | None) -> str | Refused:
    number = number_of(text)
    if number is None or not number.is_integer() or number < 0:
        return Refused(f"is of class {printable(text)[:20]!r}, which is not the number of one")
    if names is None:
        return Refused(
            f"is of class {number:g}, and no data.yaml or classes.txt says what that is "
            "for this file: put one beside it, or above"
        )
    said = {file: one[int(number)] for file, one in names.said.items() if int(number) in one}
    files = ", ".join(PurePosixPath(printable(file)).name for file in said or names.said)
    if not said:
        return Refused(f"is of class {number:g}, and {files} has no name for it: add that there")
    if len(set(said.values())) > 1:
        return Refused(
            f"is of class {number:g}, which {files} name differently: leave out those that do "
            "not hold"
        )
    return next(iter(said.values()))
