"""The ``compare`` job: the nearest of each image, the same pictures among them, what is alone."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from core.artifacts.alike import NEAREST, Alike, read_alike, write_alike
from core.artifacts.features import name_of
from core.states import ArtifactKind
from core.withdrawals import withdrawn_places
from models.catalog.params.compare import CompareParams
from models.features.duplicates import (
    groups_of,
    isolation_of,
    nearest_files,
    nearest_rows,
    outlines,
)
from workers.compare.dry_run import prepare
from workers.compare.findings import leaking, mark
from workers.compare.gather import gather
from workers.dry_run import dry_run
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.stores import frame_noted, open_store
from workers.jobs.work import JobWork

_FILE: Final = "alike.parquet"


def run(context: JobContext) -> dict[str, Any]:
    """Compare the images that have features; later ones are compared by the next such job."""
    if context.dry_run:
        return dry_run(context, prepare)
    task = Comparing(context, CompareParams.of(context))
    if context.done("gather") and not context.done("search") and task.is_lost:
        context.start_over("the features that it compared are gone, or were learned anew")
    if "found" in context.checkpoint:
        # So an earlier version has noted the result.
        context.checkpoint["result"] = context.checkpoint["found"]
    return task.run(PHASES)


class Comparing(JobWork[CompareParams]):
    """One job; each phase leaves files of its unfinished work."""

    @property
    def features(self) -> Path:
        """What is compared; later ones may have taken its place."""
        name: str = self.context.known["features"]
        return self.context.storage.features(self.context.project_id) / name

    @property
    def is_lost(self) -> bool:
        """Whether that is gone, or was made anew."""
        path = self.features
        return not path.exists() or name_of(path) != self.context.known.get("made", name_of(path))

    def effort(self) -> dict[str, float]:
        """Each image with each other one, and then once over all pixels."""
        count = self.context.known["images"]
        return {"search": count * (1 + count / 20_000), "outline": count}

    def gather(self) -> None:
        """Note what is compared."""
        gather(self.context)

    def search(self) -> None:
        """Find the nearest of each image."""
        context, known = self.context, self.context.known
        nearest_rows(
            np.load(self.features, mmap_mode="r")[: known["images"]],
            known["width"],
            out=self.file("nearest"),
            done=int(context.checkpoint.get("searched", 0)),
            progress=self.progress,
            save=lambda done: context.save({"searched": done}),
        )

    def outline(self) -> None:
        """Group those that are the same picture."""
        context, known = self.context, self.context.known
        store = open_store(context.storage, context.project_id, frame_noted(known), known["images"])
        prints, means = outlines(store, self.progress)
        rows, cosines = (
            np.load(path, mmap_mode="r") for path in nearest_files(self.file("nearest"))
        )
        group = groups_of(
            rows,
            cosines,
            prints,
            means,
            similarity=self.params.similarity,
            correlation=self.params.correlation,
            progress=self.progress,
        )
        isolation = isolation_of(np.asarray(cosines[:, :NEAREST]), NEAREST)
        with context.sessions() as session:
            withdrawn = np.fromiter(session.scalars(withdrawn_places(context.project_id)), np.int64)
        # Nothing is left in their places: what is the same there is no picture.
        withdrawn = withdrawn[withdrawn < len(group)]
        group[withdrawn], isolation[withdrawn] = -1, np.nan
        write_alike(self.file(_FILE), Alike(isolation, group))

    def store(self) -> None:
        """Say of each image which it is the same as, and keep the file; both or neither."""
        context, count = self.context, self.context.known["images"]
        path = self.file(_FILE)
        group = read_alike(path).group
        artifact = keep(context, path, ArtifactKind.ALIKE, {"images": count})
        with context.transaction() as (session, job):
            session.add(artifact)
            mark(session, context.project_id, group)
            leaks = leaking(session, context.project_id)
            grouped = int((group >= 0).sum())
            groups = len(np.unique(group[group >= 0]))
            result = {
                "images": count,
                "groups": groups,
                "duplicates": grouped - groups,
                "leaks": leaks,
                "notes": list(_notes(groups, grouped - groups, leaks)),
            }
            context.note(job, {"result": result})
            context.finish_phase(job, "store")


PHASES: Final = (
    Phase("gather", Comparing.gather),
    Phase("search", Comparing.search),
    Phase("outline", Comparing.outline),
    Phase("store", Comparing.store),
)


def _notes(groups: int, duplicates: int, leaks: int) -> list[str]:
    notes = [f"{groups} pictures are there more than once: {duplicates} images are copies."]
    if leaks:
        notes.append(
            f"{leaks} images of the pool are copies of images to evaluate on, so that accuracy "
            "looks better than it is; hold them out on the page Pool, under Duplicates."
        )
    return notes
