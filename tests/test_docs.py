"""The documentation names every setting and command, and its links lead somewhere."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from markdown_it import MarkdownIt
from pydantic import BaseModel

import core.errors
from core.errors import OutOfOrder, Unavailable
from core.events import Topic
from core.files import disk
from core.media.images.heif_processes import DecoderUnavailable
from core.security.sealing import Unreadable
from core.settings import Settings
from core.settings.project import Choice, ProjectSettings
from core.states import EventKind
from karat.cli import app
from scripts.docs.commands import commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)?(?:::(?P<name>test_\w+))?(?<!`)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _tables() -> dict[str, str]:
    """First cell of each row of the settings page, and the second."""
    text = (ROOT / "docs" / "settings.md").read_text()
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", text, re.MULTILINE))


def variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"KARAT_{name.upper()}"


def _project_settings(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, Choice):
            yield prefix + name, default.name
        elif isinstance(default, BaseModel):
            yield from _project_settings(type(default), f"{prefix}{name}.")
        else:
            yield prefix + name, default


KARAT: Any = typer.main.get_command(app)
COMMANDS = dict(commands())


def _shown(default: object) -> str:
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, list):
        return json.dumps(default)
    return {"True": "true", "False": "false", "None": "none"}.get(str(default), str(default))


def _anchors(page: Path) -> set[str]:
    """What a heading can be linked by, made as the usual Markdown hosts make it."""
    headings = _HEADING.findall(_FENCED.sub("", page.read_text()))
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_of_an_installation_is_documented(name: str) -> None:
    default = Settings.model_fields[name].default
    documented = _tables()[variable(name)]
    # karat up replaces the addresses of the servers; the folder of the pages follows the checkout.
    if default is not None and not name.endswith("_url"):
        assert documented.split()[0].strip("`") == _shown(default)


@pytest.mark.parametrize(("name", "default"), [*_project_settings(ProjectSettings)])
def test_every_setting_of_a_project_is_documented(name: str, default: object) -> None:
    assert _tables()[name].strip("`") == _shown(default)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}`" in (ROOT / "docs" / "reference" / "cli.md").read_text()


def _is_command(said: str) -> bool:
    """Whether the words after ``karat`` are, as far as they name commands, those of one."""
    place = KARAT
    for word in said.split()[1:]:
        if word.startswith("-") or word.isupper() or not hasattr(place, "commands"):
            return True
        if word not in place.commands:
            return False
        place = place.commands[word]
    return True


def test_every_command_that_a_sentence_names_exists() -> None:
    named = {
        one.content
        for page in PAGES
        for token in MarkdownIt().parse(page.read_text())
        for one in token.children or ()
        if one.type == "code_inline" and one.content.startswith("karat ")
    }
    assert len(named) > 50
    assert {one for one in named if not _is_command(one)} == set()


def test_every_variable_of_the_command_line_is_documented() -> None:
    options = [option for command in (KARAT, *COMMANDS.values()) for option in command.params]
    variables = {option.envvar for option in options if option.envvar}
    assert variables - _tables().keys() == set()


def _tests(text: str) -> Iterator[tuple[str, str]]:
    """Files of tests that a page names, each with the test that is meant, or nothing."""
    file = ""
    for found in _TEST.finditer(text):
        file = found["file"] or file
        yield file, found["name"] or ""


PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])


def test_every_test_that_a_page_names_exists() -> None:
    named = [one for page in PAGES for one in _tests(page.read_text())]
    assert len(named) > 100
    for file, name in set(named):
        path = ROOT / file
        assert path.is_file(), file
        assert not name or f"def {name}(" in path.read_text(), f"{file}::{name}"


def test_every_test_of_security_is_named_beside_a_claim() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    files = {f"tests/security/{path.name}" for path in (ROOT / "tests/security").glob("test_*.py")}
    assert files - {file for file, _ in _tests(page)} == set()


def test_every_part_of_the_security_page_has_its_tests() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    parts = {found.strip("# ") for found in _HEADING.findall(_FENCED.sub("", page))}
    without = {"Security", "Who may call what", "Tested", "Measured", "Not protected against"}
    tested = set(re.findall(r"^\| \*\*(.+?)\*\*", page, re.MULTILINE))
    assert parts - without - tested == set()


def _calls(*folders: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call in the code, with the name of what is called."""
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func).rpartition(".")[2], node


def test_every_code_of_an_error_is_documented() -> None:
    errors = {
        name
        for name, found in vars(core.errors).items()
        if isinstance(found, type) and issubclass(found, core.errors.DomainError)
    } - {"NotFound"}
    # Errors of their own hand their code on.
    place = {**dict.fromkeys(errors, 0), "__init__": 0, "problem": 1}
    given = [
        call.args[place[name]]
        for name, call in _calls("api", "core")
        if name in place and len(call.args) > place[name]
    ]
    said = {str(one.value) for one in given if isinstance(one, ast.Constant)}
    codes = {one for one in said if re.fullmatch(r"[a-z]+(_[a-z]+)*", one)}
    assert codes >= {"invalid_settings", "location_unavailable", "malformed"}
    assert "heic_decoder_unavailable" in codes
    text = (ROOT / "docs" / "api.md").read_text()
    states = re.compile(r"(project|round|job)_\w+")
    assert {one for one in codes if f"`{one}`" not in text and not states.fullmatch(one)} == set()


def test_what_is_away_and_comes_back_says_when_and_what_needs_somebody_does_not() -> None:
    passing: list[core.errors.DomainError] = [disk.disk_full(), DecoderUnavailable("why")]
    lasting: list[core.errors.DomainError] = [Unreadable("why")]
    assert {type(one) for one in passing} == {Unavailable, *Unavailable.__subclasses__()}
    assert {type(one) for one in lasting} == set(OutOfOrder.__subclasses__())
    for name, call in _calls("api", "core"):
        if name in {"Unavailable", "OutOfOrder"} and isinstance(call.args[0], ast.Constant):
            kind, told = getattr(core.errors, name), passing if name == "Unavailable" else lasting
            told.append(kind(call.args[0].value, "why"))
    assert all(one.retry_after for one in passing)
    assert not any(one.retry_after for one in lasting)
    # No other place answers so.
    naming = {
        path.relative_to(ROOT).as_posix()
        for folder in ("api", "core")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"Kind\.UNAVAILABLE|SERVICE_UNAVAILABLE", path.read_text())
    }
    places = {"api/middleware/connections.py", "api/middleware/problems.py", "core/errors.py"}
    assert naming == places
    rows = re.findall(r"^\| 503 \| (.+?) \| (.+) \|$", (ROOT / "docs/api.md").read_text(), re.M)
    documented = {"Retry-After" in said: set(re.findall(r"`(\w+)`", codes)) for codes, said in rows}
    assert documented[True] == {one.code for one in passing} | {"too_many_connections"}
    assert documented[False] == {one.code for one in lasting}


def test_every_page_of_admins_is_described() -> None:
    strings = (ROOT / "frontend/src/strings/en/admin.ts").read_text()
    tabs = re.findall(r'\w+: "(.+?)"', strings.partition("tabs: {")[2].partition("}")[0])
    page = (ROOT / "docs/admins/watch.md").read_text()
    assert re.findall(r"^\| ([A-Z][a-z ]+) \|", page, re.MULTILINE) == tabs


def test_every_event_is_documented() -> None:
    events = {topic.value for topic in Topic}
    text = (ROOT / "docs" / "api.md").read_text()
    listen = text.partition("**Listen.**")[2].partition("\n\n")[0]
    assert {one for one in events if f"`{one}`" not in listen} == set()
    told = (ROOT / "docs" / "engineers" / "webhooks.md").read_text()
    assert {one for one in EventKind if f"`{one}`" not in told} == set()


def test_every_metric_is_documented() -> None:
    names = set(
        re.findall(r'"(karat_\w+)"', (ROOT / "api" / "operations" / "metrics.py").read_text())
    )
    assert names
    text = (ROOT / "docs" / "operations.md").read_text()
    assert {one for one in names if not re.search(rf"`{one}(_total)?`", text)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pictures_say_what_they_show(page: Path) -> None:
    shown = [one for token in MarkdownIt().parse(page.read_text()) for one in token.children or ()]
    assert [one.attrs["src"] for one in shown if one.type == "image" and not one.content] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCED.sub("", page.read_text())):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} does not exist"
        assert not anchor or anchor in _anchors(target), f"{link} names no heading"


def test_each_heading_of_the_changelog_has_one_list() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    begun = [
        line
        for before, blank, line in zip(lines, lines[1:], lines[2:], strict=False)
        if line.startswith("- ") and not blank and not before.startswith("#")
    ]
    assert begun == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = _LINK.findall(_FENCED.sub("", page.read_text()))
        found = {(page.parent / link.partition("#")[0]).resolve() for link in links}
        waiting += [one for one in found if one.suffix == ".md" and one not in reached]
    assert {str(page.relative_to(ROOT)) for page in set(PAGES) - reached} == set()
