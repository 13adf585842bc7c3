"""Distance of contrastive features from labeled OOD examples.

Source: thesis, section 4.4, "Training Configurations": the OOD score there is the distance to the
closest labeled OOD example. What lies close to OOD is likely OOD, so the distance is the purity.
"""

from models.catalog.params import NoParams
from models.errors import NotReady
from models.numerics.similarity import similarity_to
from models.protocols import Float32Array, PoolView
from models.purity.csi import contrastive_features


def score(view: PoolView, params: NoParams) -> Float32Array:
    """Return the cosine distance to the nearest labeled OOD example.

    Returns:
        (N,) float32 in 0..2, higher = more in-distribution.

    Raises:
        NotReady: no contrastive features, or no OOD verdict.
    """
    del params
    features, labeled = contrastive_features(view, "csi_ood")
    ood = view.is_ood
    if not ood.any():
        raise NotReady(
            "Purity csi_ood compares with OOD answers and there are none yet; it starts with the "
            "first."
        )
    return 1 - similarity_to(features, labeled[ood], neighbours=1)
