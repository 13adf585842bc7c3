"""What task types differ in, a description of each says; nothing else asks for their names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from core.tasks.registry import BUILT_IN
from tests.processes import ROOT

NAMES: Final = frozenset(one.name for one in BUILT_IN)
CONSTANTS: Final = frozenset(type(one).__name__.upper() for one in BUILT_IN)
ROOMS: Final = ("core/tasks/", "models/tasks/")
ALLOWED: Final = {
    "karat/commands/demo.py": "its --task names a pool of the demo, and boxes are none of these",
}
REMEDY: Final = (
    "asks for the name of a task type. Ask for the reason: an attribute of "
    "core.tasks.spec.TaskType (lists_objects, in_files, names_one_class, of_groups, ...), or in "
    "karat one of karat.client.task_types.KnownTask. If none says it, add one there, with a "
    "default for types that packages bring."
)
MENTIONED: Final = re.compile(rf"""["']({"|".join(NAMES)})["']|\b({"|".join(CONSTANTS)})\b""")


def is_name(one: ast.expr, constants: frozenset[str]) -> bool:
    """Whether it is ``"boxes"``, ``BOXES``, ``BOXES.name``, or several of them in brackets."""
    match one:
        case ast.Constant(value=str(name)):
            return name in NAMES
        case ast.Attribute(value=ast.Name(id=name), attr="name") | ast.Name(id=name):
            return name in constants
        case ast.Tuple(elts=several) | ast.List(elts=several) | ast.Set(elts=several):
            return any(is_name(each, constants) for each in several)
        case _:
            return False


def branches(source: str) -> Iterator[int]:
    """Lines that compare something with a task type, or with its name."""
    nodes = [*ast.walk(ast.parse(source))]
    # Others have constants of these names, too.
    constants = frozenset(
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("core.tasks.")
        for alias in node.names
        if alias.name in CONSTANTS
    )
    for node in nodes:
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot(), *_]):
                asked = [left, *node.comparators]
            case ast.Compare(comparators=asked):
                # ``"boxes" in row`` asks for a key.
                pass
            case ast.MatchValue(value=value):
                asked = [value]
            case _:
                continue
        if any(is_name(each, constants) for each in asked):
            yield asked[0].lineno


def sources() -> Iterator[Path]:
    for root in ("api", "core", "karat", "models", "workers"):
        yield from (ROOT / root).rglob("*.py")


def test_nothing_outside_its_room_asks_for_the_name_of_a_task_type() -> None:
    found: list[str] = []
    used: set[str] = set()
    for path in sources():
        place, source = path.relative_to(ROOT).as_posix(), path.read_text()
        if place.startswith(ROOMS) or not MENTIONED.search(source):
            continue
        lines = [*branches(source)]
        if place in ALLOWED:
            used |= {place} if lines else set()
        else:
            found += [f"{place}:{line} {REMEDY}" for line in lines]
    assert not found, "\n".join(found)
    assert used == ALLOWED.keys(), "these branch no more; take them off the list"


@pytest.mark.parametrize(
    "source",
    [
        'project.task == "boxes"',
        "from core.tasks.boxes import BOXES\nBOXES.name != task",
        "from core.tasks.registry import INSTRUCTIONS as RANKED\ntask in (RANKED,)",
        'task in ("boxes", "instructions")',
        'match task:\n    case "boxes":\n        pass',
    ],
)
def test_a_branch_is_found(source: str) -> None:
    assert [*branches(source)]


@pytest.mark.parametrize(
    "source", ['"boxes" in row', 'found["boxes"]', "key not in (BOXES, OTHERS)"]
)
def test_what_reads_a_label_is_none(source: str) -> None:
    assert not [*branches(source)]
