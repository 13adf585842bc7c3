"""How little scores of single rows say where rows are alike, once a project has both."""

from typing import Any

import numpy as np
from sqlalchemy import select

from core.artifacts.selections import read_columns, tied_share
from core.errors import DomainError
from core.states import ArtifactKind
from core.tables import Artifact
from workers.jobs.context import JobContext

_SCORED, _CLUSTERED = "sample_scores", "fp_instruction"
Columns = dict[str, Any]


def tied_scores(context: JobContext, method: str, columns: Columns) -> dict[str, Any] | None:
    """The share of pairs of a cluster that have one score, of this selection and of another.

    Args:
        context: Of the job that has chosen.
        method: By which it has.
        columns: ``example_id``, ``cluster`` and ``score`` of what it has chosen, (N,) each.

    Returns:
        ``share`` with the jobs ``scores_of`` and ``clusters_of``; None if the project has no
        selection that lacks nothing of the two together with this one.
    """
    is_scored, is_clustered = method == _SCORED, bool((columns["cluster"] >= 0).any())
    if is_scored == is_clustered:
        return None
    other = _newest(context, _CLUSTERED if is_scored else _SCORED)
    if other is None:
        return None
    job_id, theirs = other
    scored, clustered = (columns, theirs) if is_scored else (theirs, columns)
    _, one, two = np.intersect1d(
        scored["example_id"], clustered["example_id"], assume_unique=True, return_indices=True
    )
    share = tied_share(clustered["cluster"][two], scored["score"][one])
    if share is None:
        return None
    jobs = (context.job_id, job_id) if is_scored else (job_id, context.job_id)
    return {"share": share, "scores_of": jobs[0], "clusters_of": jobs[1]}


def _newest(context: JobContext, method: str) -> tuple[int, Columns] | None:
    """The job of the newest selection by a method, and its columns; None if there is none."""
    statement = (
        select(Artifact.job_id, Artifact.storage_key)
        .where(
            Artifact.project_id == context.project_id,
            Artifact.kind == ArtifactKind.SELECTION,
            Artifact.meta["method"].as_string() == method,
            Artifact.job_id.is_not(None),
        )
        .order_by(Artifact.id.desc())
        .limit(1)
    )
    with context.sessions() as session:
        found = session.execute(statement).one_or_none()
    if found is None:
        return None
    try:
        path = context.storage.fetch(found.storage_key)
        return found.job_id, read_columns(path, "example_id", "cluster", "score")
    except (FileNotFoundError, DomainError):
        # What was chosen does not depend on it.
        return None
