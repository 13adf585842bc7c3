"""Rounds whose embeddings, or whose unfinished work, are gone or others when they go on."""

import shutil

from core.artifacts.features import learned_digest
from workers.advance.advance import Advance
from workers.advance.gather import take_snapshot


def start_over_if_lost(advance: Advance) -> None:
    """Have all done again but the snapshot where the embeddings are gone that this job has made.

    They are where somebody removed them, where a new version of Karat makes others, and where a map
    has learned others, from more images, while this job stood still. What was made of those fits no
    new ones.
    """
    context = advance.context
    is_under_way = context.done("embed") and not context.done("publish")
    if advance.closing is None or not advance.frozen or not is_under_way:
        return
    path = advance.embeddings_file
    if path.exists():
        now = learned_digest(path)
        if advance.noted("embed").get("features", now) == now:
            return
    for path in advance.work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.stem != "snapshot":
            path.unlink()
    context.forget(context.seconds.keys() - {"snapshot"})


def evaluate_again_if_too_early(advance: Advance) -> None:
    """Let a round choose that an earlier version has evaluated before it chose.

    Phases before the last one that is done count as not wanted: it would open without a queue.
    """
    context = advance.context
    if advance.selecting is not None and context.done("evaluate") and not context.done("select"):
        context.forget({"evaluate"})


def look_again_if_lost(advance: Advance) -> None:
    """Freeze once more what is known, where a job that has published goes on without its work.

    No backup holds that, and what comes after publishing needs to know what there is, but not what
    there was.
    """
    if advance.context.done("publish") and not advance.file("snapshot.npz").exists():
        take_snapshot(advance)
