"""The documentation names every setting and command, and its links lead somewhere."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from core.project_settings import Choice, ProjectSettings
from core.settings import Settings
from karat.cli import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _tables() -> dict[str, str]:
    """First cell of each row of the settings page, and the second."""
    text = (ROOT / "docs" / "settings.md").read_text()
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", text, re.MULTILINE))


def _variable(name: str) -> str:
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


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


KARAT: Any = typer.main.get_command(app)
COMMANDS = dict(_commands(KARAT, "karat"))


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
    documented = _tables()[_variable(name)]
    # karat up replaces the addresses of the servers; the folder of the pages follows the checkout.
    if default is not None and not name.endswith("_url"):
        assert documented.split()[0].strip("`") == _shown(default)


@pytest.mark.parametrize(("name", "default"), [*_project_settings(ProjectSettings)])
def test_every_setting_of_a_project_is_documented(name: str, default: object) -> None:
    assert _tables()[name].strip("`") == _shown(default)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}`" in (ROOT / "docs" / "reference" / "cli.md").read_text()


def test_every_variable_of_the_command_line_is_documented() -> None:
    options = [option for command in (KARAT, *COMMANDS.values()) for option in command.params]
    variables = {option.envvar for option in options if option.envvar}
    assert variables - _tables().keys() == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCED.sub("", page.read_text())):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} does not exist"
        assert not anchor or anchor in _anchors(target), f"{link} names no heading"


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
