"""The blocks of code of the documentation, as a Markdown parser finds them."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tests.processes import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# What is between the fences says nothing here.
_MARKDOWN = MarkdownIt("commonmark").disable("inline")
RUN = frozenset({"sh", "python"})
SHOWN = frozenset({"json", "text", "", "toml", "yaml"})


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: The file it stands in.
        line: Where it begins, from 1.
        language: The first word of its fence.
        code: What is in it.
        not_run: Why it is not run; empty if it is.
        expected: The JSON that follows it; None if nothing does.
    """

    page: Path
    line: int
    language: str
    code: str
    not_run: str = ""
    expected: Any = None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found: list[Block] = []
    for block in _fences(page):
        if block.language == "json" and found and found[-1].language == "sh":
            before = found.pop()
            fields = vars(before) | {"expected": json.loads(block.code)}
            found.append(Block(**fields))
        else:
            found.append(block)
    return found


def _fences(page: Path) -> Iterator[Block]:
    for token in _MARKDOWN.parse(page.read_text()):
        if token.type != "fence":
            continue
        assert token.map is not None
        language, _, rest = token.info.strip().partition(" ")
        words = shlex.split(rest.strip("{} "))
        reason = next((one.removeprefix("reason=") for one in words if "reason=" in one), "")
        assert ("." + "not-run" in words) == bool(reason), f"{page}: {token.info}"
        yield Block(page, token.map[0] + 1, language, token.content, reason)


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    """Where an answer has not the form that is documented.

    Values are not compared, only names and kinds. ``"..."`` stands for anything, and as a name for
    more names. Null is any kind.
    """
    if expected == "..." or expected is None:
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in expected.keys() - {"..."}:
            if name not in actual:
                yield f"{path}.{name} is documented and not there"
            else:
                yield from differences(expected[name], actual[name], f"{path}.{name}")
        if "..." not in expected:
            yield from (f"{path}.{name} is not documented" for name in actual.keys() - expected)
    elif isinstance(expected, list) and isinstance(actual, list):
        for number, one in enumerate(expected[: len(actual)]):
            yield from differences(one, actual[number], f"{path}[{number}]")
    elif actual is not None and _kind(expected) != _kind(actual):
        yield f"{path} is {actual!r}, documented as {expected!r}"


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)


def last_json(text: str) -> Any:
    """The last JSON document of an output."""
    decoder = json.JSONDecoder()
    found, at = None, 0
    while at < len(text):
        try:
            found, at = decoder.raw_decode(text, at)
        except ValueError:
            at += 1
    return found
