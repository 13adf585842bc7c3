"""Plain cross-entropy on the labels as they are: the reference."""

from models.catalog.params.relabel import CeParams
from models.media.images.training.train import train
from models.protocols import Progress
from models.relabeling.noisy_labels import Learned, NoisyLabels, decay, training_params


def learn(noisy: NoisyLabels, params: CeParams, progress: Progress | None = None) -> Learned:
    """Train one network.

    Args:
        noisy: what to learn from.
        params: see the schema.
        progress: counts steps; may raise `Cancelled`.

    Raises:
        ModelError: training diverged.
    """
    model = noisy.model(params, steps=params.epochs * noisy.per_epoch(params), seed=noisy.seed)
    train(
        model.network,
        noisy.images,
        noisy.labels,
        params=training_params(model),
        seed=noisy.seed,
        schedule=decay(params),
        checkpoint=noisy.checkpoint,
        progress=progress,
    )
    return Learned((model,))
