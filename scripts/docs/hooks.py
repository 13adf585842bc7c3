"""Hooks of MkDocs: pages from the code, and what Markdown alone cannot say."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from models.catalog import Kind, specs
from scripts.docs import commands, routes
from scripts.docs.schemas import PAGE, Schemas

ROOT: Final = Path(__file__).resolve().parents[2]
_FONTS: Final = ROOT / "frontend/node_modules/@fontsource-variable/geist/files"
_ROUTES: Final = "reference/http"
_KINDS: Final[dict[Kind, str]] = {
    "model": "Target models",
    "informativeness": "Informativeness",
    "purity": "Purity",
    "strategy": "Query strategies",
    "pruning": "Data pruning",
    "learner": "Learners from noisy labels",
    "instruction_selection": "Choosing instructions",
    "job": "Jobs",
}
_PICTURE: Final = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)-light\.webp\)")
# Attributes are for the test that runs the commands.
_ATTRIBUTES: Final = re.compile(r"^(```+\w+) \{[^}\n]*\}$", re.MULTILINE)


def _document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "frontend/openapi.json").read_text())
    return found


def _generated() -> Iterator[tuple[str, str]]:
    """Pages that are in no file, by their place."""
    document = _document()
    schemas = Schemas(document)
    for tag, found in routes.groups(document).items():
        yield f"{_ROUTES}/{tag}.md", routes.page(tag, found, schemas)
    yield f"{_ROUTES}/{PAGE}", routes.schemas_page(schemas)


def _below(index: Any) -> list[Any]:
    """What the navigation has below the index of a part."""
    if index == "algorithms/index.md":
        return [
            {title: [f"algorithms/{one.kind}-{one.name}.md" for one in specs() if one.kind == kind]}
            for kind, title in _KINDS.items()
        ]
    if index == "adr/index.md":
        return [f"adr/{one.name}" for one in sorted((ROOT / "docs/adr").glob("0*.md"))]
    if index == f"{_ROUTES}/index.md":
        return [uri for uri, _ in _generated()]
    return []


def _expand(nav: Any) -> Any:
    if isinstance(nav, dict):
        return {title: _expand(below) for title, below in nav.items()}
    if isinstance(nav, list):
        return [more for one in nav for more in (_expand(one), *_below(one))]
    return nav


def on_config(config: MkDocsConfig) -> None:
    """Put the pages of each part below its index."""
    config.nav = _expand(config.nav)


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages that are made from the code, and the font of the app."""
    for uri, text in _generated():
        files.append(File.generated(config, uri, content=text))
    font = str(_FONTS / "geist-latin-wght-normal.woff2")
    files.append(File.generated(config, "assets/geist.woff2", abs_src_path=font))


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fill in what is generated; show pictures in the scheme of the reader."""
    uri = page.file.src_uri
    if uri == f"{_ROUTES}/index.md":
        markdown = markdown.replace("<!-- generated: routes -->", routes.index(_document()))
    if uri == "reference/cli.md":
        markdown = markdown.replace("<!-- generated: commands -->", commands.reference())
    if not uri.startswith("screens/"):
        markdown = _PICTURE.sub(
            r"![\1](\2-light.webp#only-light)![\1](\2-dark.webp#only-dark)", markdown
        )
    return _ATTRIBUTES.sub(r"\1", markdown)
