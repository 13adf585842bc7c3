"""What OOD examples can teach a classifier of the other ones: which features to do without.

Source: thesis, chapter 3; D. Park et al., "Task-Agnostic Undesirable Feature Deactivation Using
Out-of-Distribution Data", NeurIPS 2021 (TAUFE); S. Lee et al., "Removing Undesirable Feature
Contributions Using Out-of-Distribution Data", ICLR 2021 (OAT).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm


def feature_penalty(embeddings: Tensor) -> Tensor:
    """Return the penalty of TAUFE: the mean square of (B, D) OOD embeddings, over all values.

    The thesis prints a sum over the features (equation 3.3); its weights, 0.1 at 32 px and 0.01 at
    64 and 224 px, belong to the mean. The head is not part of it, so it never sees the penalty.
    """
    return embeddings.square().mean()


def uniformity_loss(outputs: Tensor) -> Tensor:
    """Return the loss of OAT: the mean cross-entropy of (B, C) OOD logits to the uniform.

    The thesis prints it on in-distribution examples (equation 3.2), by mistake: they have labels.
    """
    outputs = outputs.float()
    return (outputs.logsumexp(dim=1) - outputs.mean(dim=1)).mean()


@contextmanager
def still_statistics(network: nn.Module) -> Iterator[None]:
    """Let images pass in training mode without moving the running averages of batch normalisation.

    Otherwise they would become averages over both kinds of images, and in-distribution images
    would be normalised by others in evaluation than in training.
    """
    norms = [module for module in network.modules() if isinstance(module, _BatchNorm)]
    momenta = [norm.momentum for norm in norms]
    try:
        for norm in norms:
            norm.momentum = 0.0
        yield
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
