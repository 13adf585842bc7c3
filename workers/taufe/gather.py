"""What a comparison of regularizers begins with, and what it refuses before it takes hours."""

from models.params.regularize import TaufeParams
from models.regularize import Parts, divide
from workers.context import JobContext
from workers.job_inputs import JobInputs, freeze


def gather(context: JobContext, params: TaufeParams) -> JobInputs:
    """Freeze what is known.

    Raises:
        ModelError: It could not be learned from.
    """
    known = freeze(context, in_use=True)
    divide_known(known, params)
    return known


def divide_known(known: JobInputs, params: TaufeParams) -> Parts:
    """Say which images are learned from, and which judge."""
    snapshot = known.snapshot
    inside, targets = snapshot.trained()
    return divide(
        inside,
        targets.outputs(),
        snapshot.ood,
        snapshot.auxiliary,
        snapshot.evaluation,
        snapshot.evaluation_labels,
        params,
        seed=known.seed,
    )
