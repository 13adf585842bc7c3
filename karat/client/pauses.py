"""What to say of a job that waits for somebody to decide how it goes on."""

from karat.client.resources import JobPause


def paused_words(pause: JobPause) -> str:
    """A sentence: how far the job is, what it has cost, and what to do.

    Args:
        pause: Of the job.
    """
    rest = "" if pause["rest"] is None else f", and the rest may cost about {pause['rest']:.4g}"
    remedy = ", let it finish with what is there" if pause["may_finish"] else ""
    return (
        f"it has spent {pause['spent']:.4g} of {pause['cap']:.4g}. {pause['done']:,} of "
        f"{pause['of']:,} {pause['what']} are done and kept{rest}. Resume it with more to spend"
        f"{remedy}, or cancel it."
    )
