"""The ``prune`` job: freeze the labels, warm up on them, look at all, choose, keep the subset."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from core.states import ArtifactKind
from core.storage import write_atomically
from core.tables import Job
from models.errors import ModelError
from models.params.prune import PruneParams
from models.pruning.run import finite_rows, prune
from models.pruning.view import PruningView
from workers.arrays import read_arrays, write_arrays
from workers.artifacts import keep
from workers.context import JobContext
from workers.dry_run import class_notes, dry_run
from workers.job_inputs import JobInputs, class_names, example_ids, frozen, true_classes
from workers.prune.dry_run import prepare
from workers.prune.gather import gather, learned_features, warm_up_of
from workers.prune.report import Found, result_of
from workers.prune.warmed import WarmedUp, said_of
from workers.subset import write_subset
from workers.yielding import Yielding

PHASES: Final = ("gather", "warm_up", "embed", "prune")
_VIEW: Final = "view.npz"


def run(context: JobContext) -> dict[str, Any]:
    """Choose a subset; a killed job goes on in the warm-up where it was."""
    if context.dry_run:
        return dry_run(context, prepare)
    context.plan(PHASES)
    if "result" not in context.checkpoint:
        _find(context)
    shutil.rmtree(context.work, ignore_errors=True)
    result: dict[str, Any] = context.checkpoint["result"]
    return result


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: nothing was published, and a retry goes on where this ended."""


def _find(context: JobContext) -> None:
    params = PruneParams.model_validate(context.params)
    if not context.done("gather"):
        with context.phase("gather"):
            gather(context)
    known = frozen(context)
    context.plan(PHASES, work=_effort(params, len(known.snapshot.inside()[0])))
    if not context.done("warm_up"):
        with context.phase("warm_up"):
            _warm_up(context, known, params)
    if not context.done("embed"):
        with context.phase("embed"):
            _look(context, known, params)
    if not context.done("prune"):
        with context.phase("prune"):
            _prune(context, known, params)
    _publish(context)


def _effort(params: PruneParams, labeled: int) -> dict[str, float]:
    """What training and looking amount to, in images that pass through the network.

    How long the choice takes depends on the method, and shows only when it is made.
    """
    if params.frozen:
        # Heads are trained while everything is looked at, which takes no time beside embedding.
        return {"warm_up": float(labeled), "embed": labeled / 100}
    # Learning from an image takes about as long as looking at three; each epoch ends with a look.
    return {
        "warm_up": float(4 * params.models * params.epochs * labeled),
        "embed": float((params.models + 1) * labeled),
    }


def _warm_up(context: JobContext, known: JobInputs, params: PruneParams) -> None:
    """Train, or take what an earlier job has seen if it trained in the same way."""
    if (context.work / _VIEW).exists():
        # Taken before a restart; the next job may have replaced what it was taken from.
        return
    found = WarmedUp(context, known, params).find()
    context.save({"warmed_up_by": context.job_id if found is None else found[1]})
    if found is None:
        warm_up_of(context, known, params).train(Yielding(context).progress)
    else:
        write_arrays(context.work / _VIEW, found[0])


def _look(context: JobContext, known: JobInputs, params: PruneParams) -> None:
    """Leave the arrays of a view, for this job and for the next one."""
    if (context.work / _VIEW).exists():
        return
    view = warm_up_of(context, known, params).look(Yielding(context).progress)
    arrays: dict[str, Any] = {
        name: value
        for name, value in vars(view).items()
        if isinstance(value, np.ndarray) and name != "labels"
    }
    try:
        _require_finite(arrays)
    except ModelError:
        # In this order: a job that says it is trained has to have its models.
        context.forget(["warm_up"])
        shutil.rmtree(context.work / "warm-up", ignore_errors=True)
        raise
    WarmedUp(context, known, params).keep(arrays)
    write_arrays(context.work / _VIEW, arrays)


def _require_finite(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a warm-up that a retry would otherwise take up as it is."""
    broken = [name for name, values in arrays.items() if not finite_rows(values).all()]
    if broken:
        raise ModelError(
            f"The warm-up went astray: its {', '.join(broken)} are not all finite. Retry to train "
            "it again from the start, or start another job with a lower learning_rate or precision "
            "float32."
        )


def _prune(context: JobContext, known: JobInputs, params: PruneParams) -> None:
    indices, labels = known.snapshot.inside()
    view = PruningView(
        labels,
        known.snapshot.classes,
        known.seed,
        **read_arrays(context.work / _VIEW),
        names=tuple(class_names(context, known.snapshot.class_ids)),
    )
    if params.method == "ssp" and view.self_supervised is None:
        view = replace(view, self_supervised=learned_features(context, indices))
    n = params.keep_of(len(indices))
    pruned = prune(params.method, view, n, params.method_params(), Yielding(context).progress)
    found = Found(
        view,
        pruned,
        known.snapshot.class_ids,
        example_ids(context, indices),
        true_classes(context, indices),
    )
    write_subset(
        context.work / "subset.parquet",
        indices,
        found.examples,
        found.given,
        found.true_ids,
        known.snapshot.reviewed,
        view,
        pruned,
        found.confidence,
    )
    job_id = context.checkpoint.get("warmed_up_by", context.job_id)
    again = () if job_id == context.job_id else (said_of(job_id),)
    said = (*class_notes(context, known.snapshot), *again)
    text = json.dumps(result_of(params, found, said))
    write_atomically(context.work / "result.json", lambda part: part.write_text(text))


def _publish(context: JobContext) -> None:
    """Keep the subset as an artifact, and note that all is done."""
    result = json.loads((context.work / "result.json").read_text())
    key = f"projects/{context.project_id}/jobs/{context.job_id}/subset.parquet"
    meta = {name: result[name] for name in ("method", "labeled", "kept", "noise")}
    subset = keep(context, context.work / "subset.parquet", ArtifactKind.SUBSET, key, meta)
    with context.transaction() as (session, job):
        session.add(subset)
        session.flush()
        context.checkpoint = {**context.checkpoint, "result": {**result, "subset_id": subset.id}}
        job.checkpoint = context.checkpoint
