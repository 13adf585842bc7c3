"""Progress of work that has several parts."""

from models.protocols import Progress


def share_of(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Report the steps of part `number` of `count` equal ones as steps of the whole."""
    if progress is None:
        return None

    def report(step: int, steps: int) -> None:
        progress(number * steps + step, count * steps)

    return report
