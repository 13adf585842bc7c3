"""Jobs that train in several ways on the same knowledge, and judge them side by side."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from core.files.storage import write_atomically
from core.states import ArtifactKind
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.yielding import Yielding


class Trainings(ABC):
    """The trainings of one job, over its frozen knowledge; a killed job goes on where it was.

    Attributes:
        context: The job.
        progress: To call in trainings: lets what is waited for go first.
        shown: Name of the file with what pages draw.
    """

    shown: ClassVar[str]

    def __init__(self, context: JobContext) -> None:
        """Begin, or go on."""
        self.context = context
        self.progress = Yielding(context).progress

    def run(self) -> None:
        """Run the phases, and publish what they have left."""
        self.context.run(self.phases(), self, work=self.effort)
        self.publish()

    @abstractmethod
    def phases(self) -> Sequence[Phase[Any]]:
        """What is done: gather, each training, compare."""

    @abstractmethod
    def effort(self) -> Mapping[str, float]:
        """What trainings and the comparison amount to beside each other."""

    @abstractmethod
    def methods(self) -> Sequence[str]:
        """The ways to train."""

    @abstractmethod
    def class_ids(self) -> list[int]:
        """Classes by their outputs."""

    def file(self, name: str) -> Path:
        """A file of this job's unfinished work."""
        return self.context.work / name

    def write(self, shown: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Keep what was found, until it is published."""
        self._write(self.shown, json.dumps(shown))
        self._write("result.json", json.dumps(result))

    def publish(self) -> None:
        """Keep the models, and what pages draw, as artifacts, and note that all is done."""
        class_ids = self.class_ids()
        files: dict[str, tuple[ArtifactKind, dict[str, Any]]] = {
            f"{method}.safetensors": (ArtifactKind.CHECKPOINT, {"method": method})
            for method in self.methods()
        }
        files[self.shown] = ArtifactKind.COMPARISON, {}
        made = [
            keep(self.context, self.file(name), kind, {**meta, "class_ids": class_ids})
            for name, (kind, meta) in files.items()
        ]
        result = json.loads(self.file("result.json").read_text())
        with self.context.transaction() as (session, job):
            session.add_all(made)
            self.context.note(job, {"result": result})

    def _write(self, name: str, text: str) -> None:
        write_atomically(self.file(name), lambda part: part.write_text(text))
