"""What a browser has to load before it shows the first page."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.processes import ROOT

DIST = ROOT / "frontend/dist"
BUDGET_BYTES = 217_000
# The entry loads the app as soon as it has the strings of the language.
FIRST = ["index.html", "src/app.tsx"]


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DIST / ".vite/manifest.json").read_text())
    return found


def home() -> list[str]:
    """The module of the page at ``/``, where the router loads it on its own."""
    router = (ROOT / "frontend/src/routes/router.tsx").read_text()
    index = re.search(r"index: true, ([^}]+)\}", router)
    assert index is not None
    lazy = re.search(r'import\("\./(\w+)"\)', index[1])
    return [f"src/routes/{lazy[1]}.tsx"] if lazy else []


def chunks(modules: list[str]) -> set[str]:
    """The chunks that some modules need, by their names in the manifest."""
    known = manifest()

    def walk(name: str, seen: set[str]) -> Iterator[str]:
        if name not in seen:
            seen.add(name)
            yield name
            for one in known[name].get("imports", []):
                yield from walk(one, seen)

    seen: set[str] = set()
    return {name for module in modules for name in walk(module, seen)}


def test_the_first_page_is_small() -> None:
    known = manifest()
    files = sorted({known[name]["file"] for name in chunks(FIRST + home())})
    sizes = {file: min(path.stat().st_size for path in DIST.glob(f"{file}*")) for file in files}
    assert sum(sizes.values()) < BUDGET_BYTES, sizes


def test_nothing_that_keeps_strings_is_loaded_before_those_of_the_language() -> None:
    known = manifest()
    others = {known[name].get("name") for name in chunks(FIRST[:1])} - {"index"}
    assert others <= {"strings", "rolldown-runtime"}


def test_other_languages_and_pages_of_the_documentation_come_when_needed() -> None:
    first = chunks(FIRST + home())
    strings = {"src/strings/ko/index.ts", "src/strings/ko/catalog.json"}
    lazy = {*strings, "src/routes/OverviewRoute.tsx", "src/routes/LabelRoute.tsx"}
    assert lazy <= manifest().keys()
    assert not first & lazy
    assert not [name for name in first if name.endswith(".md")]


def test_what_is_worth_it_is_there_compressed() -> None:
    script = """
        const { readFileSync: read, readdirSync: list } = require("node:fs");
        const { brotliDecompressSync: br, gunzipSync: gz } = require("node:zlib");
        const files = list(".").filter((file) => /[.](js|css|json)$/.test(file));
        for (const file of files) {
          const plain = read(file);
          if (plain.length < 1024) continue;
          if (!br(read(file + ".br")).equals(plain)) throw new Error(file + ".br");
          if (!gz(read(file + ".gz")).equals(plain)) throw new Error(file + ".gz");
          console.log(file);
        }
    """
    command = [sys.executable, str(ROOT / "scripts/node.py"), "node", "-e", script]
    checked = subprocess.run(
        command, cwd=DIST / "assets", check=True, capture_output=True, text=True
    ).stdout.split()
    assert len(checked) > 50
