"""DivideMix, from top to bottom: two networks that tell each other which labels to believe.

Source: J. Li, R. Socher, S. C. H. Hoi, "DivideMix: Learning with Noisy Labels as Semi-supervised
Learning", ICLR 2020, algorithm 1; hyper-parameters of the thesis, section 5.3.1.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.networks import TrainingParams
from models.catalog.params.relabel import DivideMixParams
from models.device import best_device, computes_in_bfloat16, place
from models.media.images.networks.nets import Network
from models.media.images.training.batches import ImageBatches, scaled
from models.media.images.training.mixing import mixed_loss, mixed_up, sharpened
from models.media.images.training.resume import Batches, counted, restore, seeded, store
from models.media.images.training.train import (
    augmented,
    diverged,
    require_finite,
    sgd,
)
from models.numerics.probability import log_softmax
from models.protocols import Progress
from models.relabeling.noisy_labels import Learned, NoisyLabels, decay, training_params
from models.target.trained import NetworkModel

# As in the runs of its authors.
_MIXTURE: Final[dict[str, Any]] = {"max_iter": 10, "tol": 1e-2, "reg_covar": 5e-4}
_LEAST_SHARE: Final = 1e-6


class Pair(nn.Module):
    """Two networks, and how likely each finds the label of each of n examples right.

    Attributes:
        networks: both.
        clean: (2, n) float32 in 0..1, by the losses of each network when the epoch began.
    """

    clean: Tensor

    def __init__(self, networks: tuple[Network, Network], count: int) -> None:
        """Begin with faith in all labels."""
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.register_buffer("clean", torch.ones(2, count))


@dataclass(frozen=True)
class _Place:
    """Where in the training a step is: `epoch`, `which` network, and `batch` of its turn."""

    epoch: int
    which: int
    batch: int


def learn(noisy: NoisyLabels, params: DivideMixParams, progress: Progress | None = None) -> Learned:
    """Train two networks, in turn by epochs; an epoch has the batches of a pass over everything.

    Args:
        noisy: what to learn from.
        params: see the schema.
        progress: counts steps of both; may raise `Cancelled`.

    Returns:
        Both models. Extras: "clean", the share of labels that both networks together find right.

    Raises:
        ModelError: training diverged.
    """
    device, per_epoch = best_device(), noisy.per_epoch(params)
    steps = 2 * params.epochs * per_epoch
    models = tuple(noisy.model(params, steps=steps // 2, seed=2 * noisy.seed + k) for k in (0, 1))
    pair = Pair((models[0].network, models[1].network), len(noisy.indices))
    pair = place(pair).train()
    turn = _Turn(noisy, params, models, pair, device)
    # A network without gradients is left alone, so one optimizer does for both.
    optimizer = sgd(pair, turn.settings)
    run, factor = noisy.fingerprint(params), decay(params)

    def save(step: int) -> None:
        store(noisy.checkpoint, pair, optimizer, step, run)

    with seeded(noisy.seed, device):
        start = restore(noisy.checkpoint, pair, optimizer, run)
        for step in counted(start, steps, save=save, progress=progress):
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * factor(step, steps)
            now = _Place(step // (2 * per_epoch), step // per_epoch % 2, step % per_epoch)
            divided = now.epoch >= params.warm_up_epochs
            if divided and now.which == now.batch == 0:
                turn.divide(step)
            loss = turn.divided_loss(now, per_epoch) if divided else turn.plain_loss(now)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            require_finite(loss, step, steps, params.learning_rate)
    pair.eval()
    turn.divide(steps)
    clean = pair.clean.mean(dim=0) > params.kappa
    return Learned(models, {"clean": float(clean.float().mean())})


class _Turn:
    """What one network learns from one batch."""

    def __init__(
        self,
        noisy: NoisyLabels,
        params: DivideMixParams,
        models: tuple[NetworkModel, ...],
        pair: Pair,
        device: torch.device,
    ) -> None:
        self.noisy, self.params, self.models, self.pair = noisy, params, models, pair
        self.device = device
        self.settings: TrainingParams = training_params(models[0])
        self.images = ImageBatches(noisy.images, device)
        self.labels = torch.from_numpy(noisy.labels).to(device)
        half = computes_in_bfloat16(params.precision, device, models[0].network)
        self.autocast = partial(torch.autocast, device.type, dtype=torch.bfloat16, enabled=half)
        self._streams: dict[tuple[int, ...], tuple[Tensor, Batches]] = {}

    def divide(self, step: int) -> None:
        """Judge every label by the losses of each network, before a step."""
        training = self.pair.training
        self.pair.eval()
        for number, model in enumerate(self.models):
            logits = model.infer(self.noisy.indices).logits
            own = np.take_along_axis(log_softmax(logits), self.noisy.labels[:, None], axis=1)
            if not np.isfinite(own).all():
                raise diverged(step, self.params.learning_rate)
            clean = clean_probability(-own[:, 0], seed=self.noisy.seed)
            self.pair.clean[number] = torch.from_numpy(clean).to(self.device)
        self.pair.train(training)

    def plain_loss(self, now: _Place) -> Tensor:
        """Cross-entropy, in the warm-up."""
        rows = self._rows(now, torch.arange(len(self.labels), device=self.device), part=0)
        logits = self._logits(now.which, self._view(rows))
        loss = functional.cross_entropy(logits, self.labels[rows])
        if self.params.confidence_penalty:
            logs = logits.log_softmax(dim=1)
            loss = loss + (logs.exp() * logs).sum(dim=1).mean()
        return loss

    def divided_loss(self, now: _Place, per_epoch: int) -> Tensor:
        """MixMatch on what the other network believes, and on what it does not."""
        params, which = self.params, now.which
        clean = self.pair.clean[1 - which]
        believed = clean > params.kappa
        if not believed.any():
            believed = clean >= clean.median()
        known = self._rows(now, believed.nonzero()[:, 0], part=1)
        views = [self._view(known) for _ in range(params.augmentations)]
        given = functional.one_hot(self.labels[known], self.noisy.classes).float()
        with torch.no_grad():
            refined = refined_targets(
                given, clean[known], self._mean((which,), views), params.temperature
            )
        targets = [refined] * params.augmentations
        if not believed.all():
            doubted = self._rows(now, (~believed).nonzero()[:, 0], part=2)
            others = [self._view(doubted) for _ in range(params.augmentations)]
            with torch.no_grad():
                guessed = sharpened(self._mean((0, 1), others, now=which), params.temperature)
            views, targets = views + others, targets + [guessed] * params.augmentations
        mixed, wanted = mixed_up(torch.cat(views), torch.cat(targets), params.gamma)
        logits = self._logits(which, mixed)
        after = now.epoch + now.batch / per_epoch - params.warm_up_epochs
        ramp = min(1.0, after / params.ramp_epochs) if params.ramp_epochs else 1.0
        return balanced_loss(
            logits, wanted, labeled=len(known) * params.augmentations, weight=ramp * params.lambda_u
        )

    def _view(self, rows: Tensor) -> Tensor:
        return scaled(augmented(self.images[rows], self.settings))

    def _logits(self, which: int, images: Tensor) -> Tensor:
        network = self.models[which].network
        with self.autocast():
            return network.all_outputs(images.contiguous(memory_format=torch.channels_last))[0]

    def _mean(self, which: tuple[int, ...], views: list[Tensor], now: int | None = None) -> Tensor:
        """Return the mean probabilities (B, C) over networks and views.

        The network that does not learn `now` keeps its running statistics.
        """
        total = torch.zeros(len(views[0]), self.noisy.classes, device=self.device)
        for number in which:
            network = self.models[number].network
            network.train(now is None or number == now)
            for view in views:
                total += self._logits(number, view).softmax(dim=1)
            network.train()
        return total / (len(which) * len(views))

    def _rows(self, now: _Place, among: Tensor, part: int) -> Tensor:
        """Return (B,) positions of the batch among the given ones, shuffled anew each epoch."""
        key = (now.epoch, now.which, part)
        if key not in self._streams:
            # Only the streams of one turn are wanted at a time.
            self._streams = {k: s for k, s in self._streams.items() if k[:2] == key[:2]}
            mixed = np.random.SeedSequence([self.noisy.seed, *key]).generate_state(1)[0]
            batches = Batches(len(among), self.params.batch_size, int(mixed), self.device)
            self._streams[key] = (among, batches)
        positions, batches = self._streams[key]
        return positions[batches.rows(now.batch)]


def clean_probability(losses: NDArray[np.float64], *, seed: int) -> NDArray[np.float32]:
    """Return how likely each label is right, by a mixture of two Gaussians over the losses.

    Source: section 3.1: the posterior of the component with the smaller mean, of losses that are
    scaled to 0..1.

    Args:
        losses: (n,) >= 0 of the given labels.
        seed: of the first guess of the mixture.

    Returns:
        (n,) float32 in 0..1; 1 where all losses are alike.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    span = float(np.ptp(losses))
    if len(losses) < 2 or span <= 0:
        return np.ones(len(losses), dtype=np.float32)
    column = ((losses - losses.min()) / span)[:, None]
    mixture = GaussianMixture(2, **_MIXTURE, random_state=seed)
    with warnings.catch_warnings():
        # A rough division does as well, and two distinct losses have two clusters at most.
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = mixture.fit(column).predict_proba(column)
    found: NDArray[np.float32] = posterior[:, mixture.means_[:, 0].argmin()].astype(np.float32)
    return found


def refined_targets(given: Tensor, clean: Tensor, predicted: Tensor, temperature: float) -> Tensor:
    """Mix labels with predictions by how likely the labels are right, and sharpen (equation 3).

    Args:
        given: (B, C) one-hot labels.
        clean: (B,) in 0..1.
        predicted: (B, C) mean probabilities over the views.
        temperature: of the sharpening.
    """
    weight = clean[:, None]
    return sharpened(weight * given + (1 - weight) * predicted, temperature)


def balanced_loss(logits: Tensor, targets: Tensor, *, labeled: int, weight: float) -> Tensor:
    """Add to the loss of MixMatch that the classes are balanced (equations 9 to 12).

    Args:
        logits: (R, C) of mixed images.
        targets: (R, C) mixed.
        labeled: how many rows come first and count as labeled, > 0.
        weight: of the squared error of the others.
    """
    loss = mixed_loss(logits, targets, labeled=labeled, weight=weight)
    mean = logits.softmax(dim=1).mean(dim=0).clamp(min=_LEAST_SHARE)
    return loss - mean.log().mean() - float(np.log(len(mean)))
