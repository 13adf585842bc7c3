"""What relabeling would take."""

from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Any, Final

import numpy as np

from models.catalog import find, parse
from models.params.relabel import DivideMixParams, LearnerParams, RelabelParams
from models.protocols import Indices
from models.rehearsal import extended_seconds, step_seconds, timed
from models.relabeling.second_opinion import second_opinion
from models.relabeling.task import Learned, Task
from models.resolve import resolve
from workers.arrays import read_arrays
from workers.dry_run import Cost, Rehearsal
from workers.knowledge import Knowledge, frozen
from workers.runner import JobContext

_SAMPLE: Final = 512


def rehearse(context: JobContext, gather: Callable[[], None]) -> Rehearsal:
    """Gather as the job does, and say what to measure."""
    gather()
    task = _Task(context, frozen(context), read_arrays(context.work / "gathered.npz")["trained"])
    phases: dict[str, Callable[[], Cost]] = {"train": task.train}
    if task.params.second_opinion:
        phases["second_opinion"] = task.second_opinion
    return Rehearsal(images=len(task.trained), phases={**phases, "publish": lambda: Cost(0.0)})


class _Task:
    """The labels of one project."""

    def __init__(self, context: JobContext, known: Knowledge, trained: Any) -> None:
        self.context, self.known = context, known
        self.params = RelabelParams.model_validate(context.params)
        self.indices, self.labels = known.snapshot.inside()
        self.trained: Indices = np.flatnonzero(trained)
        self.learned = Learned(())

    def train(self) -> Cost:
        """Time steps of the learner, and inference on some images."""
        name = self.params.learner
        params: LearnerParams = parse("learner", name, self.params.learner_params())
        first = step_seconds(partial(self._learn, params.model_copy(update=_epochs(params, 1))))
        model = self.learned.models[0]
        count = len(self.indices) + len(self.known.snapshot.evaluation)
        looking = extended_seconds(
            lambda size: model.infer(self.indices[:size]), min(_SAMPLE, len(self.indices)), count
        )
        per_image = looking / count
        per_epoch = ceil(len(self.trained) / params.batch_size)
        if not isinstance(params, DivideMixParams):
            # What sop_plus looks at in the end is no part of a step.
            extra = params.batch_size * per_image if name == "sop_plus" else 0.0
            return Cost(params.epochs * per_epoch * max(first - extra, first / 2) + 2 * looking)
        second = step_seconds(partial(self._learn, params.model_copy(update=_epochs(params, 2))))
        divided = params.epochs - params.warm_up_epochs
        # Each step here is one of both networks, with the looks that divide the examples.
        epochs = params.warm_up_epochs * first + divided * max(second - first, first)
        return Cost(per_epoch * epochs + 2 * looking)

    def second_opinion(self) -> Cost:
        """Time it on a sample and on a part of it; its features are fitted once in each."""
        labels, count = self.labels, len(self.labels)
        mixed = np.random.default_rng(self.known.seed).permutation(count)
        # Two of each class come first, as one alone would be refused.
        place = np.empty(count, dtype=np.int64)
        for label in np.unique(labels):
            mine = mixed[labels[mixed] == label]
            place[mine] = np.arange(len(mine))
        order = mixed[np.argsort(place[mixed] >= 2, kind="stable")]
        least = int((place < 2).sum())

        def judge(size: int) -> None:
            self.context.check()
            some = np.sort(order[:size])
            second_opinion(
                self.known.store,
                self.indices[some],
                labels[some],
                classes=self.known.snapshot.classes,
                seed=self.known.seed,
            )

        size = min(count, max(least, _SAMPLE))
        part = max(least, size // 4)
        judge(part)
        whole = timed(judge, size)
        if size == part:
            return Cost(whole)
        slope = max(0.0, whole - timed(judge, part)) / (size - part)
        return Cost(whole + slope * (count - size))

    def _learn(self, params: LearnerParams, steps: int) -> None:
        """Learn for so many steps an epoch, from images that come again if there are few."""
        self.context.check()
        some = np.resize(self.trained, steps * params.batch_size)
        task = Task(
            self.known.store,
            self.indices[some],
            self.labels[some],
            self.known.snapshot.classes,
            self.known.seed,
            self.context.work / "rehearsal",
        )
        task.work.mkdir(exist_ok=True)
        self.learned = resolve(find("learner", self.params.learner))(
            task, params, lambda *_: self.context.check()
        )
        task.checkpoint.unlink(missing_ok=True)


def _epochs(params: LearnerParams, epochs: int) -> dict[str, int]:
    """So many epochs, of which dividemix warms up in the first."""
    warm_up = {"warm_up_epochs": 1} if isinstance(params, DivideMixParams) else {}
    return {"epochs": epochs, **warm_up}
