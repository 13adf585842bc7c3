"""The ``resize`` job: see that every original is there, make its pixels anew, and swap them."""

import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from core.errors import Conflict
from core.settings.project import ProjectSettings
from core.tables import Project
from models.frame import Fit, Frame
from models.media.images.store import PixelStore
from workers.jobs.context import JobContext, Phase
from workers.jobs.yielding import Turn
from workers.resize.dry_run import estimate, wanted
from workers.resize.refit import Refit, require_originals
from workers.resize.swap import (
    name,
    prefer_features,
    put_in_place,
    require_patches,
    take_back,
    tidy,
)

_SAVE_SECONDS: Final = 2.0
_SEEN: Final[dict[Fit, str]] = {
    "crop": "The model sees the middle square of each image now, instead of all of it.",
    "pad": "The model sees the whole of each image now, instead of its middle square.",
}


def run(context: JobContext) -> dict[str, Any]:
    """Bring the images of a project to the size of ``input_size``, as ``fit`` says."""
    if context.dry_run:
        return estimate(context)
    frame = wanted(context)
    if not context.done("swap"):
        _require_another(context, frame)
        # Whoever took a break may find more images than there were.
        context.forget(["fit"])
    context.run(PHASES, context)
    storage, known = context.storage, context.checkpoint["swapped"]
    tidy(storage, context.project_id, frame, known["anew"])
    prefer_features(storage, context.project_id, _settings(context))
    shutil.rmtree(context.work, ignore_errors=True)
    size, before = frame.side, known["before"]
    # Of a job that an earlier version has swapped only the size is known, which alone changed.
    fit_before = known.get("fit_before", frame.fit)
    notes = []
    if size != before:
        notes.append(
            f"The model sees {known['images']:,} images at {size} × {size} now, instead of "
            f"{before} × {before}."
        )
    if frame.fit != fit_before:
        notes.append(_SEEN[frame.fit])
    return {
        "images": known["images"],
        "before": before,
        "input_size": size,
        "fit_before": fit_before,
        "fit": frame.fit,
        "notes": notes,
    }


def _require_another(context: JobContext, frame: Frame) -> None:
    """Refuse what the images were brought to since, and what the settings forbid now."""
    settings = _settings(context)
    if Frame(settings.side, settings.fit) == frame:
        raise Conflict(
            "input_size_same",
            f"The images are stored at {frame.side} px already; ask for another size, or another "
            "fit.",
        )
    require_patches(settings, frame.side)


def _settings(context: JobContext) -> ProjectSettings:
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        return ProjectSettings.model_validate(project.settings)


def check(context: JobContext) -> None:
    """See that every original is there."""
    require_originals(context, context.progress)


def fit(context: JobContext) -> None:
    """Make the pixels of every image, from where an earlier attempt got to."""
    frame = wanted(context)
    context.work.mkdir(parents=True, exist_ok=True)
    part = context.work / "pixels.u8"
    take_back(_new_file(context, frame), part)
    began = saved = time.monotonic()
    turn = Turn(context, 0.0)
    fitted = int(context.checkpoint.get("fitted", 0)) if part.exists() else 0
    with closing(Refit(context)) as refit, PixelStore.writer(part, frame.side) as pixels:
        count = refit.count()
        context.log.write(f"{count - fitted} of {count} images are to be fitted to {frame.side} px")
        for rows in refit.batches(fitted):
            context.progress(rows[0].pool_index, count)
            pixels.write(rows[0].pool_index, refit.pixels(rows, frame))
            fitted = rows[-1].pool_index + 1
            if time.monotonic() - saved >= _SAVE_SECONDS:
                pixels.flush()
                context.save({"fitted": fitted})
                saved = time.monotonic()
                turn.check()
        context.progress(count, count)
        pixels.flush()
        context.save({"fitted": fitted})
    context.log.write(f"fitted {fitted} images in {time.monotonic() - began:.1f} s")


def swap(context: JobContext) -> None:
    """Have the new file named by the settings; both say the same at every moment."""
    frame = wanted(context)
    put_in_place(context.work / "pixels.u8", _new_file(context, frame))
    with context.transaction() as (session, job):
        before, anew = name(session, context.project_id, frame)
        swapped = {
            "images": context.checkpoint["fitted"],
            "before": before.side,
            "fit_before": before.fit,
            "anew": anew,
        }
        context.note(job, {"swapped": swapped})
        context.finish_phase(job, "swap")


def _new_file(context: JobContext, frame: Frame) -> Path:
    return context.storage.resized_pixels(context.project_id, frame.side, frame.fit)


PHASES: Final = (Phase("check", check), Phase("fit", fit), Phase("swap", swap))
