"""How the code hangs together, at any version: ``python -m scripts.rooms 30477bf HEAD``.

A *room* of a package is a file at its root or a folder below it; an *arrow* is that one imports
another. What is counted is Python, and for the pages TypeScript, without tests and what is made
from the API's description.
"""

import argparse
import ast
import io
import re
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

ROOT: Final = Path(__file__).resolve().parent.parent
_PACKAGES: Final = ("api", "core", "karat", "models", "workers")
_MADE: Final = "Made from the API's description"
_LONGEST: Final = {".py": 400, ".ts": 250, ".tsx": 250}
_AT_HOME: Final = re.compile(r"/(tasks|media)(/|$)")
_CLASS_IDS: Final = re.compile(r"\bclass_ids?\b|\bclassIds?\b")
_PIXELS: Final = re.compile(r"\b[Pp]ixels?\b|\bPixelStore\b|<img\b")


def sources(version: str) -> dict[str, str]:
    """Every file that is counted, by its path."""
    command = ["git", "archive", version, *_PACKAGES, "frontend/src"]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    found = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            is_counted = Path(member.name).suffix in _LONGEST and ".test." not in member.name
            if content is not None and is_counted and not member.name.endswith("schema.d.ts"):
                text = content.read().decode()
                if _MADE not in text:
                    found[member.name] = text
    return found


def arrows(files: Mapping[str, str]) -> set[tuple[str, str]]:
    """Pairs of Python files of which the first imports the second."""
    modules = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
        for name in files
        if name.endswith(".py")
    }
    return {
        (name, modules[other])
        for name in modules.values()
        for other in _imported(files[name], modules)
        if other in modules and modules[other] != name
    }


def _imported(text: str, modules: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                inner = f"{node.module}.{one.name}"
                yield inner if inner in modules else node.module


def room(name: str) -> str:
    """The room of a file: itself, or the folder below its package that it is in."""
    parts = name.split("/")
    return name if len(parts) == 2 else "/".join(parts[:2])


def figures(version: str) -> dict[str, str]:
    """What is counted, by what it is called."""
    files = sources(version)
    python = [name for name in files if name.endswith(".py")]
    pages = [name for name in files if name not in python]
    pairs = arrows(files)
    found = {"Python files": f"{len(python):,}", "files of pages": f"{len(pages):,}"}
    for package in _PACKAGES:
        mine = [name for name in python if name.startswith(f"{package}/")]
        count = sum(one.startswith(f"{package}/") for one, _ in pairs)
        between = {
            (room(one), room(other))
            for one, other in pairs
            if one.startswith(f"{package}/") and other.startswith(f"{package}/")
        }
        at_root = sum(name.count("/") == 1 for name in mine)
        found[f"{package}: imports a file"] = f"{count / len(mine):.2f}"
        found[f"{package}: arrows between rooms"] = str(sum(one != other for one, other in between))
        found[f"{package}: files at its root"] = f"{at_root} of {len(mine)}"
    for what, words in (("class ids", _CLASS_IDS), ("pixels", _PIXELS)):
        for kind, names in (("Python", python), ("pages", pages)):
            away = [name for name in names if not _AT_HOME.search(name)]
            count = sum(bool(words.search(files[name])) for name in away)
            found[f"{what}, outside tasks and media: {kind}"] = f"{count} of {len(away)}"
    longer = [
        name for name, text in files.items() if text.count("\n") > _LONGEST[Path(name).suffix]
    ]
    return found | {"files over 400 lines, of pages 250": ", ".join(longer) or "none"}


def main() -> None:
    """Print a column for each version."""
    parser = argparse.ArgumentParser(description="How the code hangs together.")
    parser.add_argument("versions", nargs="*", default=["HEAD"])
    versions = parser.parse_args().versions
    counted = [figures(version) for version in versions]
    table = Table("", *versions)
    for name in counted[0]:
        table.add_row(name, *(one[name] for one in counted))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
