"""The audit log's page has words for all that is written into the log, in every language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
_PLACES: Final = {"verb": 2, "object_type": 3}
_BLOCKS: Final = {"verb": "verbs", "object_type": "objects"}


def _literals(node: ast.expr) -> Iterator[str]:
    """The words that an argument may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def written(argument: str) -> set[str]:
    """Every word that the source hands over as this argument of a record or a row of the log."""
    found: set[str] = set()
    for path in (*ROOT.glob("api/**/*.py"), *ROOT.glob("workers/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name == "record" and len(node.args) > _PLACES[argument]:
                found |= set(_literals(node.args[_PLACES[argument]]))
            if name in {"record", "AuditEntry", "Audit", "AuditLog"}:
                for keyword in node.keywords:
                    if keyword.arg == argument:
                        found |= set(_literals(keyword.value))
    return found


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("argument", _PLACES)
def test_the_page_has_a_word_for_it(argument: str, language: str) -> None:
    strings = (ROOT / f"frontend/src/strings/{language}/audit.ts").read_text()
    block = re.search(rf"{_BLOCKS[argument]}: {{(.*?)}}", strings, re.S)
    assert block is not None
    there = set(re.findall(r"^\s+(\w+):", block[1], re.M))
    needed = written(argument)
    assert len(needed) > 10
    assert needed - there == set()
