"""The ``prune`` job: freeze the labels, warm up on them, look at all, choose, keep the subset."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.states import ArtifactKind
from models.catalog.params.prune import PruneParams
from models.errors import ModelError
from models.files.arrays import read_arrays, write_arrays
from models.protocols import Indices
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.run import finite_rows, prune
from models.pruning.view import PruningView
from models.pruning.warm_up import WarmUp
from workers.dry_run import class_notes, dry_run
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.work import JobWork, read_json, write_json
from workers.labels.job_inputs import (
    JobInputs,
    before_review,
    class_names,
    example_ids,
    frozen,
    true_classes,
)
from workers.labels.subset import write_subset
from workers.prune.dry_run import prepare
from workers.prune.gather import gather, learned_features, warm_up_of
from workers.prune.premise import premise, trial
from workers.prune.report import Found, result_of
from workers.prune.warmed import EVALUATION, WarmedUp, said_of
from workers.weights import located

_VIEW: Final = "view.npz"
_SUBSET: Final = "subset.parquet"


def run(context: JobContext) -> dict[str, Any]:
    """Choose a subset; a killed job goes on in the warm-up where it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    return Pruning(context, located(context, PruneParams.of(context))).run(PHASES)


class Pruning(JobWork[PruneParams]):
    """One job; each phase leaves a file of its unfinished work."""

    @cached_property
    def known(self) -> JobInputs:
        """What was gathered."""
        return frozen(self.context)

    @cached_property
    def labeled(self) -> tuple[Indices, Indices]:
        """Pool indices and labels of the images that are chosen from, (N,) each."""
        return self.known.snapshot.inside()

    @cached_property
    def training(self) -> WarmUp | FrozenWarmUp:
        """The warm-up, whose files are with the unfinished work."""
        return warm_up_of(self.context, self.known, self.params)

    @cached_property
    def warmed_up(self) -> WarmedUp:
        """Where this warm-up may lie from an earlier job."""
        return WarmedUp(self.context, self.known, self.params)

    def effort(self) -> dict[str, float]:
        """What training and looking amount to, in images that pass through the network.

        How long the choice takes depends on the method, and shows only when it is made.
        """
        params, labeled = self.params, len(self.labeled[0])
        if params.frozen:
            # Heads are trained while everything is looked at, which takes no time beside embedding.
            return {"warm_up": float(labeled), "embed": labeled / 100}
        # Learning from an image takes about as long as looking at three; each epoch ends with a
        # look.
        return {
            "warm_up": float(4 * params.models * params.epochs * labeled),
            "embed": float((params.models + 1) * labeled),
        }

    def gather(self) -> None:
        """Freeze the labels."""
        gather(self.context, self.params)

    def warm_up(self) -> None:
        """Train, or take what an earlier job has seen if it trained in the same way."""
        if self.file(_VIEW).exists():
            # Taken before a restart; the next job may have replaced what it was taken from.
            return
        found = self.warmed_up.find()
        self.context.save({"warmed_up_by": self.context.job_id if found is None else found[1]})
        if found is None:
            self.training.train(self.progress)
        else:
            write_arrays(self.file(_VIEW), found[0])

    def look(self) -> None:
        """Leave the arrays of a view, for this job and for the next one."""
        if self.file(_VIEW).exists():
            return
        view = self.training.look(self.progress)
        arrays: dict[str, Any] = {
            name: value
            for name, value in vars(view).items()
            if isinstance(value, np.ndarray) and name != "labels"
        }
        try:
            _require_finite(arrays)
        except ModelError:
            # In this order: a job that says it is trained has to have its models.
            self.context.forget(["warm_up"])
            shutil.rmtree(self.training.work, ignore_errors=True)
            raise
        if isinstance(self.training, FrozenWarmUp):
            arrays[EVALUATION] = self.training.evaluation_features
        if view.margins is not None:
            # Otherwise an earlier version began, and other methods would miss what it did not note.
            self.warmed_up.keep(arrays)
        write_arrays(self.file(_VIEW), arrays)

    def choose(self) -> None:
        """Choose the subset, and say what is chosen."""
        context, params, snapshot = self.context, self.params, self.known.snapshot
        indices, labels = self.labeled
        arrays = read_arrays(self.file(_VIEW))
        judging = arrays.pop(EVALUATION, None)
        view = PruningView(
            labels,
            snapshot.classes,
            self.known.seed,
            **arrays,
            names=tuple(class_names(context, snapshot.class_ids)),
        )
        if params.method == "ssp" and view.self_supervised is None:
            view = replace(view, self_supervised=learned_features(context, indices))
        n = params.keep_of(len(indices))
        pruned = prune(params.method, view, n, params.method_params(), self.progress)
        found = Found(
            view,
            pruned,
            snapshot.class_ids,
            example_ids(context, indices),
            true_classes(context, indices),
            before_review(context, snapshot, indices),
        )
        write_subset(
            self.file(_SUBSET),
            indices,
            found.examples,
            found.given,
            found.true_ids,
            snapshot.reviewed,
            view,
            pruned,
            found.confidence,
        )
        job_id = context.checkpoint.get("warmed_up_by", context.job_id)
        again = () if job_id == context.job_id else (said_of(job_id),)
        said = (*class_notes(context, snapshot), *again)
        result = {
            **result_of(params, found, said),
            "premise": premise(params, found),
            "trial": trial(found, judging, snapshot.evaluation_labels),
        }
        write_json(self.result_file, result)

    def publish(self) -> None:
        """Keep the subset as an artifact, and note that all is done."""
        result = read_json(self.result_file)
        meta = {name: result[name] for name in ("method", "labeled", "kept", "noise")}
        subset = keep(self.context, self.file(_SUBSET), ArtifactKind.SUBSET, meta)
        with self.context.transaction() as (session, job):
            session.add(subset)
            session.flush()
            self.context.note(job, {"result": {**result, "subset_id": subset.id}})


PHASES: Final = (
    Phase("gather", Pruning.gather),
    Phase("warm_up", Pruning.warm_up),
    Phase("embed", Pruning.look),
    Phase("prune", Pruning.choose),
)


def _require_finite(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a warm-up that a retry would otherwise take up as it is."""
    broken = [name for name, values in arrays.items() if not finite_rows(values).all()]
    if broken:
        raise ModelError(
            f"The warm-up went astray: its {', '.join(broken)} are not all finite. Retry to train "
            "it again from the start, or start another job with a lower learning_rate or precision "
            "float32."
        )
