"""Runs of a benchmark that are kept as they end, so that a stopped one goes on."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

Run = dict[str, Any]


class Runs:
    """A JSON file with a configuration and the runs so far."""

    def __init__(self, path: Path, config: dict[str, Any], key: tuple[str, ...]) -> None:
        """Read what there is of this configuration; `key` names the fields that tell runs apart."""
        self.path, self.config, self.key = path, config, key
        self.all: list[Run] = []
        if path.exists():
            kept = json.loads(path.read_text())
            if kept["config"] != config:
                raise SystemExit(
                    f"{path} holds runs of another configuration; name another --json FILE."
                )
            self.all = kept["runs"]
        self._known = {self._key(run) for run in self.all}

    def __contains__(self, case: Run) -> bool:
        """Say whether a run with these values of the key fields has ended."""
        return self._key(case) in self._known

    def add(self, run: Run) -> None:
        """Keep a run."""
        self.all.append(run)
        self._known.add(self._key(run))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_name(self.path.name + ".tmp")
        partial.write_text(json.dumps({"config": self.config, "runs": self.all}, indent=1))
        os.replace(partial, self.path)

    def _key(self, run: Run) -> tuple[Any, ...]:
        return tuple(run[name] for name in self.key)


def spread(values: list[float], digits: int = 1) -> str:
    """Mean and standard deviation."""
    if not values:
        return "–"
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


def difference(values: list[float], digits: int = 1) -> str:
    """Mean and its standard error, with a sign; a dash of fewer than two."""
    if len(values) < 2:
        return "–"
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):+.{digits}f} ± {error:.{digits}f}"
