"""Pages and documentation have one list of words, and whatever has a name has a word."""

import ast
import re
from collections.abc import Iterator

import pytest

from core.states import JobKind
from tests.processes import ROOT

STRINGS = ROOT / "frontend/src/strings"
LANGUAGES = ("en", "ko")


def block(language: str, file: str, name: str) -> str:
    """The object ``name`` of a file of strings, as text."""
    source = (STRINGS / language / f"{file}.ts").read_text()
    return source.split(f"  {name}: {{\n", 1)[1].split("\n  }", 1)[0]


def keys(language: str, file: str, name: str) -> set[str]:
    return set(re.findall(r"^ +(\w+):", block(language, file, name), re.MULTILINE))


def phases() -> Iterator[str]:
    """Whatever phase a job plans by a name that is written down."""
    # A check on the command line is no job, and has words of its own.
    found = (ROOT / "workers").rglob("*.py")
    for path in (one for one in found if one.parent.name != "check"):
        for node in ast.walk(ast.parse(path.read_text())):
            target = node.target if isinstance(node, ast.AnnAssign) else None
            if not isinstance(target, ast.Name) or not target.id.endswith("PHASES"):
                continue
            assert isinstance(node, ast.AnnAssign)
            if isinstance(node.value, ast.Tuple):
                for item in node.value.elts:
                    # A name, or the phase that it is the name of.
                    called = item.args[0] if isinstance(item, ast.Call) else item
                    if isinstance(called, ast.Constant):
                        yield str(called.value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_and_job_has_a_word(language: str) -> None:
    found = set(phases())
    assert {"second_opinion", "embed", "train"} <= found
    assert found - keys(language, "common", "phases") == set()
    assert {str(kind) for kind in JobKind} - keys(language, "overview", "job") <= {"export"}


def test_the_documentation_has_the_words_of_the_pages() -> None:
    entry = re.compile(r'word:\s*"([^"]*)",\s*text:\s*"([^"]*)"', re.DOTALL)
    pages = [*entry.findall(block("en", "glossary", "words"))]
    experts = [*entry.findall(block("en", "glossary", "terms"))]
    assert len(pages) > 5
    assert len(experts) > 5
    text = (ROOT / "docs/words.md").read_text()
    assert re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", text, re.MULTILINE) == [*pages, *experts]
