"""ODIN: the softmax of an input that was moved towards its predicted class.

Source: S. Liang, Y. Li, R. Srikant, "Enhancing The Reliability of Out-of-distribution Image
Detection in Neural Networks", ICLR 2018, section 3.
"""

from models.catalog.params.scores import OdinParams
from models.errors import NotReady
from models.protocols import Float32Array, PoolView
from models.purity.msp import largest_probability
from models.ranking.single_class import require_classes


def score(view: PoolView, params: OdinParams) -> Float32Array:
    """Return the largest probability at temperature T after one step of size epsilon.

    The step follows the sign of the gradient of the predicted class's log-probability; of pixels,
    or of embeddings where the model has nothing else (`TargetModel.perturbed_logits`).

    Returns:
        (N,) float32 in 1/C..1, higher = more in-distribution.

    Raises:
        NotReady: the view names no model to take gradients of, or a single class.
    """
    require_classes(view, "odin")
    if view.model is None or view.indices is None:
        raise NotReady(
            "Purity odin takes gradients of the model and these scores were read from a file; "
            "score the pool again."
        )
    logits = view.model.perturbed_logits(
        view.indices, temperature=params.temperature, epsilon=params.epsilon
    )
    return largest_probability(logits, params.temperature)
