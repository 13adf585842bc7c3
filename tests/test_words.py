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
    """Whatever phase a job has by a name that is written down."""
    # A check on the command line is no job, and has words of its own.
    found = (ROOT / "workers").rglob("*.py")
    for path in (one for one in found if one.parent.name != "check"):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[ast.expr] = []
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Phase":
                names = node.args[:1]
            elif (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.value, ast.Tuple)
                and isinstance(node.target, ast.Name)
                and node.target.id.endswith("PHASES")
            ):
                names = node.value.elts
            yield from (str(one.value) for one in names if isinstance(one, ast.Constant))


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


def test_documentation_and_terminal_have_no_other_name_for_none_of_the_classes() -> None:
    other = re.compile(r"None of them\*|\bof no class\b|none of your classes\*", re.I)
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "karat").rglob("*.py")]
    found = {str(page.relative_to(ROOT)): other.findall(page.read_text()) for page in pages}
    assert {page: names for page, names in found.items() if names} == {}
