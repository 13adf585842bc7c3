"""The ``resize`` job: see that every original is there, make its pixels anew, and swap them."""

import shutil
import time
from contextlib import closing
from typing import Any, Final

from core.errors import Conflict
from core.settings.project import ProjectSettings
from core.tables import Project
from models.catalog.params.resize import ResizeParams
from models.media.images.store import PixelStore
from workers.jobs.context import JobContext, Phase
from workers.jobs.yielding import Turn
from workers.resize.dry_run import estimate
from workers.resize.refit import Refit, require_originals
from workers.resize.swap import name, put_in_place, require_patches, take_back, tidy

_SAVE_SECONDS: Final = 2.0


def run(context: JobContext) -> dict[str, Any]:
    """Bring the images of a project to the size of ``input_size``."""
    if context.dry_run:
        return estimate(context)
    size = ResizeParams.of(context).side
    if not context.done("swap"):
        _require_another(context, size)
        # Whoever took a break may find more images than there were.
        context.forget(["fit"])
    context.run(PHASES, context)
    storage, known = context.storage, context.checkpoint["swapped"]
    tidy(storage, context.project_id, size, known["anew"])
    shutil.rmtree(context.work, ignore_errors=True)
    return {
        "images": known["images"],
        "before": known["before"],
        "input_size": size,
        "notes": [
            f"The model sees {known['images']:,} images at {size} × {size} now, instead of "
            f"{known['before']} × {known['before']}."
        ],
    }


def _require_another(context: JobContext, size: int) -> None:
    """Refuse a size that the images were brought to since, and one that the settings forbid now."""
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
    if settings.side == size:
        raise Conflict("input_size_same", f"The images are stored at {size} px already.")
    require_patches(settings, size)


def check(context: JobContext) -> None:
    """See that every original is there."""
    require_originals(context, context.progress)


def fit(context: JobContext) -> None:
    """Make the pixels of every image, from where an earlier attempt got to."""
    size = ResizeParams.of(context).side
    context.work.mkdir(parents=True, exist_ok=True)
    part = context.work / "pixels.u8"
    take_back(context.storage.resized_pixels(context.project_id, size), part)
    began = saved = time.monotonic()
    turn = Turn(context, 0.0)
    fitted = int(context.checkpoint.get("fitted", 0)) if part.exists() else 0
    with closing(Refit(context)) as refit, PixelStore.writer(part, size) as pixels:
        count = refit.count()
        context.log.write(f"{count - fitted} of {count} images are to be fitted to {size} px")
        for rows in refit.batches(fitted):
            context.progress(rows[0].pool_index, count)
            pixels.write(rows[0].pool_index, refit.pixels(rows, size))
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
    size = ResizeParams.of(context).side
    part = context.work / "pixels.u8"
    put_in_place(part, context.storage.resized_pixels(context.project_id, size))
    with context.transaction() as (session, job):
        before, anew = name(session, context.project_id, size)
        swapped = {"images": context.checkpoint["fitted"], "before": before, "anew": anew}
        context.note(job, {"swapped": swapped})
        context.finish_phase(job, "swap")


PHASES: Final = (Phase("check", check), Phase("fit", fit), Phase("swap", swap))
