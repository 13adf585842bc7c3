"""Inputs moved towards the class that a model predicts for them."""

from collections.abc import Callable

from torch import Tensor


def moved_to_class(
    logits: Callable[[Tensor], Tensor], inputs: Tensor, *, temperature: float, epsilon: float
) -> Tensor:
    """Return x + epsilon sign(d log max_c softmax(logits(x) / temperature) / dx).

    Source: S. Liang, Y. Li, R. Srikant, "Enhancing The Reliability of Out-of-distribution Image
    Detection in Neural Networks", ICLR 2018, equation 2; computed by pytorch-ood.

    Args:
        logits: maps (B, ...) inputs to (B, C) logits; its own parameters collect no gradients.
        inputs: (B, ...) float32.
        temperature: > 0.
        epsilon: size of the step, in units of the inputs.
    """
    # Imported here because the package takes seconds, and no other score needs gradients.
    from pytorch_ood.detector.odin import odin_preprocessing

    moved: Tensor = odin_preprocessing(logits, inputs, eps=epsilon, temperature=temperature)
    return moved
