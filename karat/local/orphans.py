"""Looks for files of an installation that belong to nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from karat.local.findings import Finding
from karat.local.installation import opened
from karat.local.processes import ServiceError

_SHOWN: Final = 20


def orphaned(data_dir: Path, *, free: bool) -> Iterator[Finding]:
    """Look for files that belong to nothing, whether Karat runs or not.

    Args:
        data_dir: The data directory.
        free: Whether to remove them.

    Yields:
        The first of them, then how much there is, and what is free before and after.

    Raises:
        ServiceError: There is no Karat, or it cannot be looked at.
    """
    with opened(data_dir) as installation:
        arguments = ["--free"] if free else []
        with installation.run("workers.cleanup.strays", *arguments) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            shown = 0
            sums: dict[str, Any] = {}
            for line in process.stdout:
                found = json.loads(line)
                if "name" not in found:
                    sums = found
                elif "stays" in found:
                    yield Finding("orphan", False, f"{found['name']} stays: {found['stays']}")
                elif shown < _SHOWN:
                    shown += 1
                    yield Finding("orphan", True, f"{found['name']}, {_size(found['bytes'])}")
            errors = process.stderr.read().strip()
        if process.returncode != 0 or not sums:
            last = (errors.splitlines() or ["no reason given"])[-1]
            raise ServiceError(f"Orphans were not looked for to the end: {last}", "")
    if sums["count"] > shown:
        yield Finding("orphan", True, f"and {sums['count'] - shown:,} more")
    total = f"{sums['count']:,} files or folders belong to nothing, {_size(sums['bytes'])}"
    if not free:
        command = f"karat doctor --data-dir {data_dir} --orphans --free"
        yield Finding("orphans", True, total, f"Remove them: {command}" if sums["count"] else "")
        return
    yield Finding("orphans", True, f"{total}; {sums['freed_files']:,} files were removed")
    before, after = _size(sums["free_before"]), _size(sums["free_after"])
    yield Finding("disk", True, f"{before} were free before, {after} are free now")


def _size(amount: int) -> str:
    """Bytes for people."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20)):
        if amount >= factor:
            return f"{amount / factor:.1f} {unit}"
    return f"{amount / 1024:.1f} KiB"
