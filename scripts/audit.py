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
_NAMED: Final = 3


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


def status(every: Iterable[Findings], *, where_reachable: bool) -> int:
    """Return the exit status: 1 for a weak package, else 3 for an unknown one unless allowed."""
    found = list(every)
    if any(one.weak for one in found):
        return 1
    return UNKNOWN if any(one.unknown for one in found) and not where_reachable else 0


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
        more = ", …" if len(found.unknown) > _NAMED else ""
        some = ", ".join(found.unknown[:_NAMED])
        print(f"{name}: could not look up {some}{more} ({len(found.unknown)} in all)")
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
    every = []
    for name, command, read in audits:
        report = _report(command)
        found = Findings(unknown=["any package"]) if report is None else read(report)
        _tell(name, found)
        every.append(found)
    return status(every, where_reachable=arguments.where_reachable)


if __name__ == "__main__":
    sys.exit(main())
