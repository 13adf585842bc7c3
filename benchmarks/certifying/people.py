"""People who look at draws, and err."""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.certifying.projects import Project
from models.protocols import OOD


@dataclass
class People:
    """Annotators of a project.

    Attributes:
        project: what they look at.
        error: chance that one of them says something else than what is true, each of the other
            labels alike.
        follow: chance that one of them misses a mistake of the model and says what it says,
            besides: what no pairs of verdicts tell of, when both do.
        seed: decides their mistakes.
        answers: how many they have given.
    """

    project: Project
    error: float
    seed: int
    follow: float = 0.0
    answers: int = 0
    _generator: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        """Make them repeatable."""
        self._generator = np.random.default_rng([self.seed, 1])

    def say(self, row: int, hidden: bool | None = None) -> int:
        """Return the verdict of one of them on an example: a class or `OOD`.

        Args:
            row: the example.
            hidden: whether the model's mistake is overlooked; None: drawn.
        """
        self.answers += 1
        truth = int(self.project.truth[row])
        if hidden is None:
            hidden = self.hides()
        if hidden:
            return int(self.project.labels[row])
        if self._generator.random() >= self.error:
            return truth
        others = [one for one in range(OOD, self.project.classes) if one != truth]
        return int(self._generator.choice(others))

    def hides(self) -> bool:
        """Say whether the next example is one on which everybody follows the model."""
        return bool(self._generator.random() < self.follow)

    def contradict(self, row: int) -> bool:
        """Say whether two of them, one after the other, contradict the model.

        The second is asked only where the first does.
        """
        hidden, label = self.hides(), int(self.project.labels[row])
        if self.say(row, hidden) == label:
            return False
        return self.error == 0 or self.say(row, hidden) != label

    def differ(self, rows: list[int]) -> int:
        """Return on how many of these two of them differ; both are asked about each."""
        return sum(self.say(row, False) != self.say(row, False) for row in rows)
