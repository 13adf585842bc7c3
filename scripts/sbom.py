"""What Karat is made of, as CycloneDX 1.6: ``python -m scripts.sbom``.

Read from the files that pin every package, so that it is the same wherever it is made.
"""

import argparse
import json
import re
import sys
import tomllib
import uuid
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

ROOT: Final = Path(__file__).resolve().parent.parent
_SPACE: Final = uuid.UUID("6b617261-7400-4000-8000-73626f6d0000")
_PIN: Final = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)(?:\s*;\s*(.*?))?\s*\\?$")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA: Final = re.compile(r"^\s+#\s+(?:via\s+)?(\S+)")
_NAME: Final = re.compile(r"^[A-Za-z0-9_.-]+")
_FROM: Final = re.compile(r"^FROM (\S+)", re.MULTILINE)
_OURS: Final = "karat"
# Extras of the image besides what always is there; the rest are tools for tests and documents.
_SHIPPED: Final = ("otel", "s3", "clip")


@dataclass
class Package:
    """A pinned package.

    Attributes:
        name: As its registry writes it.
        version: The one that is pinned.
        hashes: SHA-256 of its files.
        when: For which machines and versions of Python, if not for all.
        wanted_by: Names of those that need it.
    """

    name: str
    version: str
    hashes: list[str] = field(default_factory=list)
    when: str | None = None
    wanted_by: list[str] = field(default_factory=list)

    @property
    def ref(self) -> str:
        """What others of the list call it."""
        return f"pkg:pypi/{self.name}@{self.version}"


def pinned(lock: str) -> list[Package]:
    """The packages of a lock file of uv's."""
    found: list[Package] = []
    for line in lock.splitlines():
        if pin := _PIN.match(line):
            found.append(Package(pin[1].lower(), pin[2], when=pin[3]))
        elif found and (digest := _HASH.search(line)):
            found[-1].hashes.append(digest[1])
        elif found and (via := _VIA.match(line)) and via[1] != "via":
            found[-1].wanted_by.append(via[1].lower())
    return found


def shipped(packages: list[Package], project: Mapping[str, Any]) -> set[str]:
    """Names of those that Karat needs to run, and not only to be tested."""
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in _SHIPPED for one in extras[name])]
    names = (_NAME.match(one) for one in wanted)
    left = {found[0].lower().replace("_", "-") for found in names if found}
    reached: set[str] = set()
    while left:
        reached |= left
        needed = {one.name for one in packages if left & set(one.wanted_by)}
        left = needed - reached
    return reached


def of_python(packages: list[Package], project: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Components of pinned packages, of which Karat's ``project`` needs some to run."""
    needed = shipped(packages, project)
    for one in packages:
        made: dict[str, Any] = {
            "type": "library",
            "bom-ref": one.ref,
            "name": one.name,
            "version": one.version,
            "purl": one.ref,
            "scope": "required" if one.name in needed else "optional",
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{one.name}/{one.version}/",
                    "hashes": [{"alg": "SHA-256", "content": digest} for digest in one.hashes],
                }
            ],
        }
        if said := _license(one.name):
            made["licenses"] = [{"license": {"name": said}}]
        if one.when:
            made["properties"] = [{"name": "karat:when", "value": one.when}]
        yield made


def _license(name: str) -> str | None:
    """What an installed package says of its license; None where it is not installed."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    fields = [*about.get_all("License-Expression", []), *about.get_all("License", []), ""]
    said = fields[0].strip()
    # Some have the whole text there.
    return said if 0 < len(said) < 80 else None


def of_npm() -> Iterator[dict[str, Any]]:
    """Components of ``frontend/package-lock.json``; those of the build are left out at run time."""
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())
    seen: set[str] = set()
    for path, one in lock["packages"].items():
        name = path.rpartition("node_modules/")[2]
        ref = f"pkg:npm/{quote(name, safe='/')}@{one.get('version')}"
        if not name or ref in seen or "version" not in one:
            continue
        seen.add(ref)
        algorithm, _, digest = one.get("integrity", "").partition("-")
        made: dict[str, Any] = {
            "type": "library",
            "bom-ref": ref,
            "name": name,
            "version": one["version"],
            "purl": ref,
            "scope": "excluded" if one.get("dev") or one.get("devOptional") else "required",
        }
        if algorithm == "sha512":
            made["hashes"] = [{"alg": "SHA-512", "content": b64decode(digest).hex()}]
        if said := one.get("license"):
            made["licenses"] = [{"license": {"name": said}}]
        yield made


def of_images() -> Iterator[dict[str, Any]]:
    """Images that the containers begin with, by what they are called."""
    compose = (ROOT / "docker-compose.yml").read_text()
    named = _FROM.findall(_filled((ROOT / "Dockerfile").read_text()))
    named += re.findall(r"^    image: \$\{KARAT_\w+_IMAGE:-([\w./-]+:[\w.@:-]+)\}", compose, re.M)
    for image in sorted({one for one in named if ":" in one}):
        tagged, _, digest = image.partition("@sha256:")
        name, _, version = tagged.partition(":")
        ref = f"pkg:docker/{name}@{version}"
        yield {
            "type": "container",
            "bom-ref": ref,
            "name": name,
            "version": version,
            "purl": ref,
            "scope": "excluded" if name == "node" else "required",
            "hashes": [{"alg": "SHA-256", "content": digest}],
        }


def _filled(dockerfile: str) -> str:
    """A Dockerfile with the defaults of its arguments put in."""
    for name, value in re.findall(r"^ARG (\w+)=(\S+)", dockerfile, re.MULTILINE):
        dockerfile = dockerfile.replace(f"${{{name}}}", value)
    return dockerfile


def _dependencies(
    components: list[dict[str, Any]], packages: list[Package]
) -> list[dict[str, Any]]:
    """Which Python package needs which; the lock of npm has ranges only."""
    wants: dict[str, set[str]] = {one.ref: set() for one in packages}
    by_name: dict[str, list[str]] = {}
    for one in packages:
        by_name.setdefault(one.name, []).append(one.ref)
    direct: set[str] = {one["bom-ref"] for one in components if "/pypi/" not in one["purl"]}
    for one in packages:
        for name in one.wanted_by:
            for ref in by_name.get(name, ()):
                wants[ref].add(one.ref)
            if name == _OURS:
                direct.add(one.ref)
    rows = {_OURS: direct, **wants}
    return [{"ref": ref, "dependsOn": sorted(needs)} for ref, needs in sorted(rows.items())]


def bill() -> dict[str, Any]:
    """All of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = pinned((ROOT / "requirements" / "lock.txt").read_text())
    components = [*of_python(packages, project), *of_npm(), *of_images()]
    found = sorted(components, key=lambda one: one["bom-ref"])
    content = json.dumps([one["bom-ref"] for one in found])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # The same as long as what it is made of is the same.
        "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _OURS,
                "name": _OURS,
                "version": project["version"],
                "purl": f"pkg:pypi/{_OURS}@{project['version']}",
            }
        },
        "components": found,
        "dependencies": _dependencies(found, packages),
    }


def main() -> None:
    """Write it to a file, or to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where to; standard output if left out")
    asked = parser.parse_args()
    text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if asked.out is None:
        sys.stdout.write(text)
    else:
        asked.out.write_text(text)


if __name__ == "__main__":
    main()
