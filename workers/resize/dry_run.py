"""What bringing a pool to another size would take, measured on its first images."""

import shutil
import time
from contextlib import closing
from typing import Any, Final

import psutil

from core.settings.project import ProjectSettings
from core.tables import Project
from models.catalog.params.resize import ResizeParams
from models.frame import Frame
from workers.jobs.context import JobContext
from workers.resize.refit import Refit, require_originals

PHASES: Final = ("check", "measure")
_SAMPLE: Final = 128


def estimate(context: JobContext) -> dict[str, Any]:
    """Check as the job does, and time some images; leaves nothing behind.

    Returns:
        The result: ``estimate``, as of other jobs.

    Raises:
        Conflict: ``originals_gone``.
    """
    context.plan(PHASES)
    frame = wanted(context)
    started = time.perf_counter()
    with context.phase("check"):
        require_originals(context, context.progress)
    seconds = {"check": time.perf_counter() - started}
    with context.phase("measure"), closing(Refit(context)) as refit:
        count = refit.count()
        rows = refit.rows(0, _SAMPLE)
        started = time.perf_counter()
        refit.pixels(rows, frame)
        seconds["fit"] = (time.perf_counter() - started) * count / max(1, len(rows))
    # A rename and a few rows, however many images there are.
    seconds["swap"] = 0.0
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        before = ProjectSettings.model_validate(project.settings).side
    shutil.rmtree(context.work, ignore_errors=True)
    return {
        "estimate": {
            "seconds": round(sum(seconds.values()), 1),
            "memory_bytes": int(psutil.Process().memory_info().rss),
            "device": "CPU",
            "labeled": count,
            "phases": {name: round(value, 2) for name, value in seconds.items()},
            "notes": [
                f"The pixels take {_megabytes(count, frame.side)} MB on the disk, those of now "
                f"{_megabytes(count, before)} MB; while the job is at work there are both.",
                "The next round embeds every image again.",
            ],
        }
    }


def wanted(context: JobContext) -> Frame:
    """What models are to see of the images."""
    params = ResizeParams.of(context)
    if params.fit is not None:
        return Frame(params.side, params.fit)
    # A job that was started before there were several.
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        return Frame(params.side, ProjectSettings.model_validate(project.settings).fit)


def _megabytes(count: int, size: int) -> str:
    return f"{count * size * size * 3 / 1e6:,.1f}"
