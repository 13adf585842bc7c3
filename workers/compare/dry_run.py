"""What comparing all images would take."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from models.dry_run import extended_seconds
from models.features.duplicates import nearest_rows, outlines
from workers.compare.gather import gather
from workers.dry_run import Cost, DryRun
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_noted, open_store

_SAMPLE: Final = 4096


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    gather(context)
    known = context.known
    count = known["images"]
    path = context.storage.features(context.project_id) / known["features"]
    out: Path = context.work / "nearest"

    def search() -> Cost:
        rows: Any = np.load(path, mmap_mode="r")

        def run(size: int) -> None:
            context.check()
            nearest_rows(rows[: max(2, size)], known["width"], out=out)

        seconds = extended_seconds(run, min(count, _SAMPLE), count, highest_power=2)
        # Outlines of 1,024 half floats, and short rows.
        return Cost(seconds, count * (2 * 1025 + 4 * 128))

    def outline() -> Cost:
        def run(images: int) -> None:
            context.check()
            outlines(open_store(context.storage, context.project_id, frame_noted(known), images))

        return Cost(extended_seconds(run, min(count, _SAMPLE), count))

    # Its rows are few, however many images there are.
    return DryRun(
        images=count, phases={"search": search, "outline": outline, "store": lambda: Cost(0.0)}
    )
