"""SOP+, from top to bottom: a network and, for each example, the noise of its label.

Source: S. Liu, Z. Zhu, Q. Qu, C. You, "Robust Training under Label Noise by Over-parameterization",
ICML 2022, algorithm 1 and section 4.2 (SOP+); hyper-parameters of the thesis, section 5.3.1.
"""

from functools import partial
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.contrastive import ContrastiveParams
from models.catalog.params.relabel import SopPlusParams
from models.device import best_device, computes_in_bfloat16, place
from models.media.images.networks.nets import Network
from models.media.images.training.batches import ImageBatches, scaled
from models.media.images.training.resume import Batches, counted, restore, seeded, store
from models.media.images.training.train import augmented, require_finite, sgd
from models.media.images.views import recoloured
from models.protocols import Progress
from models.relabeling.noisy_labels import Learned, NoisyLabels, decay, training_params

_INITIAL: Final = 1e-8
_LEAST: Final = 1e-4
_COLOURS: Final = ContrastiveParams()


class Noisy(nn.Module):
    """A network with the noise of n labels in C classes.

    Attributes:
        network: learns the labels without their noise.
        u: (n, 1), whose square is missing from the given class.
        v: (n, C), whose square is too much at each other class.
    """

    u: Tensor
    v: Tensor

    def __init__(self, network: Network, count: int) -> None:
        """Begin with next to no noise."""
        super().__init__()
        self.network = network
        self.register_buffer("u", torch.empty(count, 1))
        self.register_buffer("v", torch.empty(count, network.classes))

    def draw(self) -> None:
        """Draw u and v of N(0, 1e-8 squared): at 0 exactly they would stay 0."""
        self.u.normal_(0, _INITIAL)
        self.v.normal_(0, _INITIAL)


def learn(noisy: NoisyLabels, params: SopPlusParams, progress: Progress | None = None) -> Learned:
    """Train a network together with the noise of the labels.

    Args:
        noisy: what to learn from.
        params: see the schema.
        progress: counts steps; may raise `Cancelled`.

    Returns:
        One model. Extras: "noise", the mean of u squared, 0..1; "implied", the share of examples
        for which the largest entry of y - s, the label without its noise, is another class; and
        "implied_agreement", in how many of these the network predicts that class.

    Raises:
        ModelError: training diverged.
    """
    device = best_device()
    steps = params.epochs * noisy.per_epoch(params)
    model = noisy.model(params, steps=steps, seed=noisy.seed)
    network, settings = place(model.network).train(), training_params(model)
    learner = Noisy(network, len(noisy.indices)).to(device)
    images = ImageBatches(noisy.images, device)
    labels = torch.from_numpy(noisy.labels).to(device)
    optimizer = sgd(network, settings)
    batches = Batches(len(labels), params.batch_size, noisy.seed, device)
    run, factor = noisy.fingerprint(params), decay(params)

    def save(step: int) -> None:
        store(noisy.checkpoint, learner, optimizer, step, run)

    with seeded(noisy.seed, device):
        learner.draw()
        start = restore(noisy.checkpoint, learner, optimizer, run)
        for step in counted(start, steps, save=save, progress=progress):
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * factor(step, steps)
            rows = batches.rows(step)
            views = scaled(augmented(images[rows], settings))  # (B, 3, S, S)
            if params.lambda_c > 0:
                second = recoloured(scaled(augmented(images[rows], settings)), _COLOURS)
                views = torch.cat([views, second])  # (2B, 3, S, S)
            loss = _step(learner, optimizer, views, labels[rows], rows, params)
            require_finite(loss, step, steps, params.learning_rate)
    network.eval()
    return Learned((model,), _implied(learner, model.infer(noisy.indices).logits.argmax(1), labels))


def _step(
    learner: Noisy,
    optimizer: torch.optim.Optimizer,
    views: Tensor,
    labels: Tensor,
    rows: Tensor,
    params: SopPlusParams,
) -> Tensor:
    """Learn from one batch: the network by SGD with momentum, u and v by plain SGD."""
    network, device = learner.network, views.device
    half = computes_in_bfloat16(params.precision, device, network)
    mixed = partial(torch.autocast, device.type, dtype=torch.bfloat16, enabled=half)
    with mixed():
        logits = network.all_outputs(views.contiguous(memory_format=torch.channels_last))[0]
    given = functional.one_hot(labels, network.classes).float()  # (B, C)
    u = learner.u[rows].requires_grad_()
    v = learner.v[rows].requires_grad_()
    first, second = logits[: len(rows)], logits[len(rows) :]
    loss = sop_loss(first, given, u, v)
    if len(second):
        loss = loss + params.lambda_c * consistency(first, second)
    if params.lambda_b > 0:
        loss = loss + params.lambda_b * imbalance(first)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    for noise, part, rate in ((learner.u, u, params.lr_u), (learner.v, v, params.lr_v)):
        assert part.grad is not None
        # A batch that spans two passes may hold a row twice.
        noise.index_add_(0, rows, part.grad, alpha=-rate)
        noise[rows] = noise[rows].clamp_(-1, 1)
    return loss.detach()


def sop_loss(logits: Tensor, given: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """Cross-entropy and squared error of predictions to which the noise of the labels is added.

    With p the softmax of the logits, y the label and s = u u y - v v (1 - y), the cross-entropy is
    that of p + s, clamped from below and normalised, and gives the gradients of the network and
    of u; the squared error is that of the hard prediction + s, and gives that of v (algorithm 1).

    Args:
        logits: (B, C) float32.
        given: (B, C) float32, one-hot labels y.
        u: (B, 1) in -1..1.
        v: (B, C) in -1..1.

    Returns:
        The sum of the two means over the batch, a scalar.
    """
    missing, surplus = u.square() * given, v.square() * (1 - given)  # (B, C) each
    corrected = (logits.softmax(dim=1) + missing - surplus.detach()).clamp(min=_LEAST)
    corrected = functional.normalize(corrected, p=1, dim=1).clamp(min=_LEAST)
    cross_entropy = -(given * corrected.log()).sum(dim=1).mean()
    predicted = functional.one_hot(logits.argmax(dim=1), logits.shape[1])
    residual = predicted + missing.detach() - surplus - given
    return cross_entropy + residual.square().sum(dim=1).mean()


def consistency(first: Tensor, second: Tensor) -> Tensor:
    """KL divergence of the predictions on one view from those on the other, which it teaches.

    Args:
        first: (B, C) logits, a target without a gradient.
        second: (B, C) logits.
    """
    target = first.detach().log_softmax(dim=1)
    return functional.kl_div(
        second.log_softmax(dim=1), target, reduction="batchmean", log_target=True
    )


def imbalance(logits: Tensor) -> Tensor:
    """KL divergence of the mean prediction of a batch, (B, C) logits, from equal classes."""
    mean = logits.softmax(dim=1).mean(dim=0).clamp(min=_LEAST)
    prior = torch.full_like(mean, 1 / len(mean))
    return functional.kl_div(mean.log(), prior, reduction="sum")


def _implied(learner: Noisy, predicted: object, labels: Tensor) -> dict[str, float]:
    given = functional.one_hot(labels, learner.v.shape[1]).float()
    without = given * (1 - learner.u.square()) + (1 - given) * learner.v.square()
    implied = without.argmax(dim=1)
    other = implied != labels
    same = implied.cpu() == torch.as_tensor(predicted)
    return {
        "noise": float(learner.u.square().mean()),
        "implied": float(other.float().mean()),
        "implied_agreement": float(same[other.cpu()].float().mean()) if other.any() else 0.0,
    }
