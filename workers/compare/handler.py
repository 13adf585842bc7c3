"""The ``compare`` job: the nearest of each image, the same pictures among them, what is alone."""

import shutil
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.alike import NEAREST, Alike, read_alike, write_alike
from core.states import ArtifactKind
from core.tables import Job
from models.features.duplicates import (
    groups_of,
    isolation_of,
    nearest_files,
    nearest_rows,
    outlines,
)
from models.params.compare import CompareParams
from workers.artifacts import keep
from workers.compare.findings import leaking, mark
from workers.compare.gather import gather
from workers.context import JobContext
from workers.dry_run import dry_run
from workers.stores import open_store
from workers.yielding import Yielding

PHASES: Final = ("gather", "search", "outline", "store")
_FILE: Final = "alike.parquet"


def run(context: JobContext) -> dict[str, Any]:
    """Compare the images that have features; later ones are compared by the next such job."""
    if context.dry_run:
        from workers.compare.dry_run import prepare

        return dry_run(context, prepare)
    context.plan(PHASES)
    if not context.done("gather"):
        with context.phase("gather"):
            gather(context)
    known = context.checkpoint["known"]
    count = known["images"]
    yielding = Yielding(context)
    out = context.work / "nearest"
    if not context.done("search"):
        # Each image with each other one, and then once over all pixels.
        context.plan(PHASES, work={"search": count * (1 + count / 20_000), "outline": count})
        with context.phase("search"):
            path = context.storage.features(context.project_id) / known["features"]
            nearest_rows(
                np.load(path, mmap_mode="r")[:count],
                known["width"],
                out=out,
                done=int(context.checkpoint.get("searched", 0)),
                progress=yielding.progress,
                save=lambda done: context.save({"searched": done}),
            )
    if not context.done("outline"):
        with context.phase("outline"):
            _group(context, known, yielding)
    if not context.done("store"):
        with context.phase("store"):
            _store(context, count)
    shutil.rmtree(context.work, ignore_errors=True)
    return dict(context.checkpoint["found"])


def _group(context: JobContext, known: dict[str, Any], yielding: Yielding) -> None:
    params = CompareParams.model_validate(context.params)
    store = open_store(context.storage, context.project_id, known["input_size"], known["images"])
    prints, means = outlines(store, yielding.progress)
    rows, cosines = (
        np.load(path, mmap_mode="r") for path in nearest_files(context.work / "nearest")
    )
    group = groups_of(
        rows,
        cosines,
        prints,
        means,
        similarity=params.similarity,
        correlation=params.correlation,
    )
    isolation = isolation_of(np.asarray(cosines[:, :NEAREST]), NEAREST)
    write_alike(context.work / _FILE, Alike(isolation, group))


def _store(context: JobContext, count: int) -> None:
    """Say of each image which it is the same as, and keep the file; both or neither."""
    path = context.work / _FILE
    group = read_alike(path).group
    key = f"projects/{context.project_id}/jobs/{context.job_id}/{_FILE}"
    artifact = keep(context, path, ArtifactKind.ALIKE, key, {"images": count})
    with context.transaction() as (session, job):
        session.add(artifact)
        mark(session, context.project_id, group)
        leaks = leaking(session, context.project_id)
        grouped = int((group >= 0).sum())
        groups = len(np.unique(group[group >= 0]))
        found = {
            "images": count,
            "groups": groups,
            "duplicates": grouped - groups,
            "leaks": leaks,
            "notes": list(_notes(groups, grouped - groups, leaks)),
        }
        context.checkpoint = {**context.checkpoint, "found": found}
        context.finish_phase(job, "store")


def _notes(groups: int, duplicates: int, leaks: int) -> list[str]:
    notes = [f"{groups} pictures are there more than once: {duplicates} images are copies."]
    if leaks:
        notes.append(
            f"{leaks} images of the pool are copies of images to evaluate on, so that accuracy "
            "looks better than it is; hold them out on the page Pool, under Duplicates."
        )
    return notes


def failed(session: Session, job: Job) -> None:
    """Nothing to put right: what was found before stays, and a retry goes on where this ended."""
