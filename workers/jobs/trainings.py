"""Jobs that train in several ways on the same knowledge, and judge them side by side."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from core.states import ArtifactKind
from workers.jobs.artifacts import keep
from workers.jobs.context import Phase
from workers.jobs.work import JobWork, Params, read_json, write_json


class Trainings(JobWork[Params], ABC):
    """The trainings of one job, over its frozen knowledge.

    Attributes:
        shown: Name of the file with what pages draw.
    """

    shown: ClassVar[str]

    @abstractmethod
    def methods(self) -> Sequence[str]:
        """The ways to train."""

    @abstractmethod
    def class_ids(self) -> list[int]:
        """Classes by their outputs."""

    @abstractmethod
    def train(self, method: str) -> None:
        """Train one of the ways."""

    def write(self, shown: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Keep what was found, until it is published."""
        write_json(self.file(self.shown), shown)
        write_json(self.result_file, result)

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
        result = read_json(self.result_file)
        with self.context.transaction() as (session, job):
            session.add_all(made)
            self.context.note(job, {"result": result})


def training(method: str) -> Phase[Any]:
    """The phase in which one way is trained, if it is asked for."""
    return Phase(method, lambda task: task.train(method), lambda task: method in task.methods())
