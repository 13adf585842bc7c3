"""Ask PyPI and npm about known weaknesses of the pinned packages: `python -m scripts.audit`.

Exits with 1 if any is known, and with 3 if nothing is known but not every package could be looked
up: without a network, or through a mirror that serves packages only.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

UNKNOWN: Final = 3
_PIP_AUDIT: Final = (
    *(sys.executable, "-m", "uv", "tool", "run", "--quiet", "pip-audit==2.10.1"),
    *("--disable-pip", "--require-hashes", "--requirement", "requirements/lock.txt"),
    *("--progress-spinner", "off", "--format", "json"),
)
_NPM_AUDIT: Final = (sys.executable, "scripts/node.py", "npm", "--prefix", "frontend", "audit")
_SERIOUS: Final = frozenset({"high", "critical"})
_SECONDS: Final = 180


@dataclass
class Findings:
    """What was learned of some packages.

    Attributes:
        weak: A line for each package with a known weakness.
        unknown: What could not be looked up, or why nothing could.
    """

    weak: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def of_pypi(report: dict[str, Any]) -> Findings:
    """Read what ``pip-audit --format json`` prints."""
    found = Findings()
    for package in report["dependencies"]:
        if "skip_reason" in package:
            found.unknown.append(package["name"])
            continue
        ids = [one["id"] for one in package["vulns"]]
        if ids:
            found.weak.append(f"{package['name']} {package['version']}: {', '.join(ids)}")
    return found


def of_npm(report: dict[str, Any]) -> Findings:
    """Read what ``npm audit --json`` prints; what is less than high is not reported."""
    if "vulnerabilities" not in report:
        return Findings(unknown=[report.get("message", "npm did not answer")])
    serious = (one for one in report["vulnerabilities"].values() if one["severity"] in _SERIOUS)
    return Findings(weak=[f"{one['name']} {one['range']}: {one['severity']}" for one in serious])


def _report(command: Iterable[str]) -> dict[str, Any] | None:
    """Run an audit; None if it could not be made."""
    try:
        done = subprocess.run(
            list(command), capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return report


def _tell(name: str, found: Findings) -> None:
    for line in found.weak:
        print(f"{name}: {line}")
    if found.unknown:
        some = ", ".join(found.unknown[:3])
        print(f"{name}: {len(found.unknown)} could not be looked up ({some}, …)")
    if not found.weak and not found.unknown:
        print(f"{name}: no known weakness")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--where-reachable",
        action="store_true",
        help="succeed also if packages could not be looked up",
    )
    arguments = parser.parse_args()
    audits = (("PyPI", _PIP_AUDIT, of_pypi), ("npm", (*_NPM_AUDIT, "--json"), of_npm))
    weak = unknown = False
    for name, command, read in audits:
        report = _report(command)
        found = Findings(unknown=["no answer"]) if report is None else read(report)
        _tell(name, found)
        weak, unknown = weak or bool(found.weak), unknown or bool(found.unknown)
    if weak:
        return 1
    return UNKNOWN if unknown and not arguments.where_reachable else 0


if __name__ == "__main__":
    sys.exit(main())
