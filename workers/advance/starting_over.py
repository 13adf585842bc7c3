"""Rounds whose embeddings are gone when they go on."""

import shutil

from workers.advance.phases import Advance


def start_over_if_lost(advance: Advance) -> None:
    """Have all done again but the snapshot where the embeddings are gone that this job has made.

    They are where somebody removed them, and where a new version of Karat makes others. What was
    made of those fits no new ones.
    """
    context = advance.context
    is_under_way = context.done("embed") and not context.done("publish")
    if advance.closing is None or not advance.frozen or not is_under_way:
        return
    if advance.embeddings_file.exists():
        return
    for path in advance.work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.stem != "snapshot":
            path.unlink()
    context.forget(context.seconds.keys() - {"snapshot"})
