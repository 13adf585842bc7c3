"""Plain cross-entropy on the labels as they are: the reference."""

from models.params.relabel import CeParams
from models.protocols import Progress
from models.relabeling.task import Learned, Task, decay, training_params
from models.training.train import train


def learn(task: Task, params: CeParams, progress: Progress | None = None) -> Learned:
    """Train one network.

    Args:
        task: what to learn from.
        params: see the schema.
        progress: counts steps; may raise `Cancelled`.

    Raises:
        ModelError: training diverged.
    """
    model = task.model(params, steps=params.epochs * task.per_epoch(params), seed=task.seed)
    train(
        model.network,
        task.store[task.indices],
        task.labels,
        params=training_params(model),
        seed=task.seed,
        schedule=decay(params),
        checkpoint=task.checkpoint,
        progress=progress,
    )
    return Learned((model,))
