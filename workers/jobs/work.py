"""The work of jobs in phases: what each leaves lies in files, until it is published."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.files.storage import write_atomically
from workers.jobs.context import JobContext, Phase
from workers.jobs.yielding import Yielding

Params = TypeVar("Params")


class JobWork(Generic[Params]):
    """One job; each phase leaves files of its unfinished work, with which a killed one goes on.

    Attributes:
        context: The job.
        params: What is asked.
        progress: To call in what takes long: lets what is waited for go first.
    """

    def __init__(self, context: JobContext, params: Params) -> None:
        """Begin, or go on."""
        self.context, self.params = context, params
        self.progress = Yielding(context).progress

    def run(self, phases: Sequence[Phase[Any]]) -> dict[str, Any]:
        """Run the phases, publish what they have left, and return the result."""
        return self.context.finish(lambda: self._make(phases))

    def _make(self, phases: Sequence[Phase[Any]]) -> None:
        self.context.run(phases, self, work=self.effort)
        self.publish()

    def effort(self) -> Mapping[str, float]:
        """What phases amount to beside each other, see ``Eta``; nothing where nobody knows."""
        return {}

    def publish(self) -> None:
        """Keep what the phases have left, and note the result; nothing where the last one does."""

    @property
    def result_file(self) -> Path:
        """What was found out, until it is published."""
        return self.file("result.json")

    def file(self, name: str) -> Path:
        """A file of this job's unfinished work."""
        return self.context.work / name


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Keep what was found out, until it is published."""
    text = json.dumps(value)
    write_atomically(path, lambda part: part.write_text(text))


def read_json(path: Path) -> dict[str, Any]:
    """Read what ``write_json`` kept."""
    value: dict[str, Any] = json.loads(path.read_text())
    return value
