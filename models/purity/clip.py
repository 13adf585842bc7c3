"""Zero-shot purity by a network that has learned from images and their captions.

Source: Y. Ming et al., "Delving into Out-of-Distribution Detection with Vision-Language
Representations", NeurIPS 2022, section 3, when only the classes are named; S. Esmaeilpour et al.,
"Zero-Shot Out-of-Distribution Detection Based on the Pre-trained Model CLIP", AAAI 2022, when
names of OOD are given too (here by a person, there by a network).
"""

from pathlib import Path

import numpy as np

from models.catalog.params.scores import ClipParams
from models.errors import NotReady
from models.media.images.networks.captions import of_hub, uploaded
from models.numerics.probability import softmax
from models.protocols import Float32Array, PoolView

_BLOCK = 128


def score(view: PoolView, params: ClipParams) -> Float32Array:
    """Tell images of the classes from those of something else, by the names of both.

    The softmax runs over the cosine similarities of the image with all captions, divided by the
    temperature. With names of OOD the score is the sum over the classes, their probability; without
    any it is the maximum, which orders images and is no probability. One pass of the network over
    all candidates, in blocks.

    Returns:
        (N,) float32 in 0..1, higher = more in-distribution.

    Raises:
        NotReady: no class is named, or it alone; the package or the weights are missing, or the
            view names no model whose images could be read.
        ModelError: uploaded weights are not of their architecture.
    """
    classes, ood = params.named
    if not classes:
        raise NotReady(
            "Purity clip compares images with names of the classes and has none; set its "
            "parameter classes."
        )
    if len(classes + ood) < 2:
        raise NotReady(
            "Purity clip weighs names against each other and has one; say in its parameter ood "
            "what else the pool shows."
        )
    if view.model is None or view.indices is None:
        raise NotReady(
            "Purity clip looks at images and these scores were read from a file; score the pool "
            "again."
        )
    if params.uploaded:
        network = uploaded(Path(params.uploaded), params.architecture)
    else:
        network = of_hub(params.weights)
    captions = network.texts([params.template.replace("{}", name) for name in classes + ood])
    result = np.empty(len(view.indices), dtype=np.float32)
    for start in range(0, len(result), _BLOCK):
        images = network.images(view.model.pixels(view.indices[start : start + _BLOCK]))
        probability = softmax(images @ captions.T / params.divisor)[:, : len(classes)]
        purity = probability.sum(axis=1) if ood else probability.max(axis=1)
        result[start : start + _BLOCK] = purity
    return result
