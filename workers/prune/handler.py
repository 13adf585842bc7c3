"""The ``prune`` job: freeze the labels, warm up on them, choose, keep the subset."""

import json
import shutil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from core.states import ArtifactKind
from core.storage import write_atomically
from core.tables import Job
from models.errors import ModelError
from models.params.prune import PruneParams
from models.protocols import Indices
from models.pruning.run import prune
from models.pruning.view import Pruned, PruningView
from models.warm_up import warm_up
from workers.arrays import read_arrays, write_arrays
from workers.artifacts import keep
from workers.features.stored import LearnedFeatures, latest
from workers.knowledge import Knowledge, example_ids, freeze, frozen
from workers.manners import Manners
from workers.runner import JobContext
from workers.subset import write_subset

PHASES: Final = ("gather", "warm_up", "prune")

_SHOWN: Final = 24
_CURVE_POINTS: Final = 100


def run(context: JobContext) -> dict[str, Any]:
    """Choose a subset; a killed job goes on in the warm-up where it was."""
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
            _gather(context)
    known = frozen(context)
    if not context.done("warm_up"):
        with context.phase("warm_up"):
            _warm_up(context, known, params)
    if not context.done("prune"):
        with context.phase("prune"):
            _prune(context, known, params)
    _publish(context)


def _gather(context: JobContext) -> None:
    """Freeze the labels, and refuse at once what could not be pruned."""
    _, labels = freeze(context).snapshot.inside()
    if len(np.unique(labels)) < 2:
        raise ModelError(
            "Fewer than two classes have a labeled image; label some images of each class first."
        )


def _warm_up(context: JobContext, known: Knowledge, params: PruneParams) -> None:
    indices, labels = known.snapshot.inside()
    view = warm_up(
        known.store,
        indices,
        labels,
        classes=known.snapshot.classes,
        params=params,
        seed=known.seed,
        work=context.work / "warm-up",
        progress=Manners(context).progress,
    )
    arrays: dict[str, Any] = {
        name: value
        for name, value in vars(view).items()
        if isinstance(value, np.ndarray) and name != "labels"
    }
    write_arrays(context.work / "view.npz", arrays)


def _prune(context: JobContext, known: Knowledge, params: PruneParams) -> None:
    indices, labels = known.snapshot.inside()
    view = PruningView(
        labels,
        known.snapshot.classes,
        known.seed,
        **read_arrays(context.work / "view.npz"),
        self_supervised=_learned(context, indices) if params.method == "ssp" else None,
    )
    n = params.keep_of(len(indices))
    pruned = prune(params.method, view, n, params.method_params(), Manners(context).progress)
    class_ids = known.snapshot.class_ids
    examples = example_ids(context, indices)
    write_subset(
        context.work / "subset.parquet", indices, examples, class_ids[labels], view, pruned
    )
    result = _result(params, known, view, pruned, examples)
    text = json.dumps(result)
    write_atomically(context.work / "result.json", lambda part: part.write_text(text))


def _learned(context: JobContext, indices: Indices) -> Any:
    """Features of the labeled images by the job that learns them, or None."""
    with context.sessions() as session:
        job_id = latest(session, context.project_id)
    if job_id is None:
        return None
    features = LearnedFeatures.of(context.storage, context.project_id, job_id)
    rows = features.rows() if features.exist else np.empty((0, 0))
    # Images that were imported since have none until a round embeds them.
    return np.asarray(rows[indices]) if len(rows) > indices.max() else None


def _result(
    params: PruneParams,
    known: Knowledge,
    view: PruningView,
    pruned: Pruned,
    examples: Indices,
) -> dict[str, Any]:
    labels = view.labels
    before = np.bincount(labels, minlength=view.classes)
    after = np.bincount(labels[pruned.order], minlength=view.classes)
    dropped = np.setdiff1d(np.arange(len(labels)), pruned.order)
    # The dropped whose label the warm-up believes least: what one would look at first.
    assert view.losses is not None
    doubtful = dropped[np.argsort(-view.losses[dropped], kind="stable")]
    return {
        "method": params.method,
        "labeled": len(labels),
        "kept": len(pruned.order),
        "class_ids": known.snapshot.class_ids.tolist(),
        "before": before.tolist(),
        "after": after.tolist(),
        "objective": _thinned(pruned.objective),
        "notes": list(pruned.notes),
        "extras": {name: float(value) for name, value in pruned.extras.items()},
        "shown": {
            name: [
                {
                    "example_id": int(examples[one]),
                    "class_id": int(known.snapshot.class_ids[labels[one]]),
                    "loss": float(view.losses[one]),
                }
                for one in some[:_SHOWN].tolist()
            ]
            for name, some in (("kept", pruned.order), ("dropped", doubtful))
        },
    }


def _thinned(curve: NDArray[np.float64]) -> list[list[float]]:
    """Return pairs of how many are kept and the objective, few enough for a page."""
    if len(curve) == 0:
        return []
    points = np.unique(np.linspace(0, len(curve) - 1, _CURVE_POINTS).astype(int))
    return [[point + 1, float(curve[point])] for point in points.tolist()]


def _publish(context: JobContext) -> None:
    """Keep the subset as an artifact, and note that all is done."""
    result = json.loads((context.work / "result.json").read_text())
    key = f"projects/{context.project_id}/jobs/{context.job_id}/subset.parquet"
    meta = {name: result[name] for name in ("method", "labeled", "kept")}
    subset = keep(context, context.work / "subset.parquet", ArtifactKind.SUBSET, key, meta)
    with context.transaction() as (session, job):
        session.add(subset)
        session.flush()
        context.checkpoint = {**context.checkpoint, "result": {**result, "subset_id": subset.id}}
        job.checkpoint = context.checkpoint
