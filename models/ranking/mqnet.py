"""MQ-Net: a small monotone network that balances purity against informativeness.

Source: thesis, section 4.3; D. Park et al., "Meta-Query-Net: Resolving
Purity-Informativeness Dilemma in Open-set Active Learning", NeurIPS 2022.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.strategies import MQNetParams
from models.errors import ModelError
from models.files import tensorfile
from models.numerics.probability import sigmoid
from models.protocols import Float32Array

HIDDEN: Final = 64
CLAMP: Final = 10.0
"""Meta-inputs are exp(z) with z held within this many standard deviations."""

_LEAST_WEIGHT = 1e-4
_START_STEPS: Final = 300
_START_RATE: Final = 0.1
_START_PAIRS: Final = 64


@dataclass(frozen=True)
class Normalisation:
    """Mean and standard deviation of one raw score over all unlabeled examples of a round."""

    mean: float
    std: float

    @classmethod
    def fit(cls, raw: NDArray[np.floating]) -> Self:
        """Take the statistics of (N,) scores.

        Equal scores get standard deviation exactly 0, where rounding would leave a little that
        blows noise up to full size.
        """
        exact = raw.astype(np.float64)
        if len(exact) == 0 or exact.min() == exact.max():
            return cls(float(exact[0]) if len(exact) else 0.0, 0.0)
        return cls(float(exact.mean()), float(exact.std()))

    def apply(self, raw: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return z-scores of (n,) scores; all 0 when the standard deviation is 0."""
        if self.std == 0:
            return np.zeros(len(raw))
        result: NDArray[np.float64] = (raw.astype(np.float64) - self.mean) / self.std
        return result


@dataclass(frozen=True)
class InputNormalisation:
    """The normalisations of the two inputs."""

    purity: Normalisation
    informativeness: Normalisation

    @classmethod
    def fit(
        cls, purity: NDArray[np.floating], informativeness: NDArray[np.floating]
    ) -> "InputNormalisation":
        """Take the statistics of the raw scores, (N,) each, of all unlabeled examples."""
        return cls(Normalisation.fit(purity), Normalisation.fit(informativeness))


def meta_inputs(
    purity: NDArray[np.floating],
    informativeness: NDArray[np.floating],
    normalisation: InputNormalisation,
) -> Float32Array:
    """Convert raw scores to meta-inputs  <P(x), I(x)> = exp(clamp(z, -10, 10)).

    Source: thesis, section 4.3, "Meta-input Conversion".

    Args:
        purity: (N,) raw, finite, higher = more in-distribution.
        informativeness: (N,) raw, finite, higher = ask sooner.
        normalisation: statistics over all unlabeled examples of the round.

    Returns:
        (N, 2) float32, positive: purity, informativeness.
    """
    z = np.stack(
        [
            normalisation.purity.apply(purity),
            normalisation.informativeness.apply(informativeness),
        ],
        axis=1,
    )
    return np.exp(np.clip(z, -CLAMP, CLAMP)).astype(np.float32)


@dataclass(frozen=True)
class Prior:
    """Examples of the pool, and how they are thought to rank before anybody has answered.

    Attributes:
        inputs: (m, 2) float32 meta-inputs.
        values: (m,) float64, higher = ask sooner.
    """

    inputs: Float32Array
    values: NDArray[np.float64]


class MQNet(nn.Module):
    """Phi(z; w): 2 -> 64 -> 1, sigmoid after both layers, non-decreasing in both inputs.

    Weight matrices pass through ReLU and biases are free, which is all that monotonicity needs.
    A weight below zero would get no gradient and stay dead, so weights start positive and each
    training step puts those that crossed zero back to a small positive value (projected SGD).

    Without the skyline constraint (thesis, Table "Efficacy of the skyline constraint") weights
    have any sign and start as PyTorch's linear layers do.

    Attributes:
        skyline: whether the constraint holds.
        has_prior: whether it started as a prior says.
        normalisation: of the inputs that the weights were trained on; None before training.
    """

    def __init__(self, *, skyline: bool = True, has_prior: bool = False) -> None:
        """Start with small positive weights, and biases that centre both sigmoids."""
        super().__init__()
        self.skyline = skyline
        self.has_prior = has_prior
        self.normalisation: InputNormalisation | None = None
        if not skyline:
            first, second = nn.Linear(2, HIDDEN), nn.Linear(HIDDEN, 1)
            self.weight1, self.bias1 = first.weight, first.bias
            self.weight2, self.bias2 = second.weight, second.bias
            return
        # U(0, 2) times 1/2 per input keeps the hidden units of typical inputs (median 1) apart.
        self.weight1 = nn.Parameter(torch.rand(HIDDEN, 2))
        self.bias1 = nn.Parameter(-2 * torch.rand(HIDDEN))
        self.weight2 = nn.Parameter(torch.rand(1, HIDDEN) * 8 / HIDDEN)
        self.bias2 = nn.Parameter(-0.5 * self.weight2.detach().sum().reshape(1))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (n, 2) meta-inputs to (n,) meta-scores in 0..1, higher = ask sooner."""
        first, second = self.weight1, self.weight2
        if self.skyline:
            first, second = functional.relu(first), functional.relu(second)
        hidden = torch.sigmoid(functional.linear(inputs, first, self.bias1))
        return torch.sigmoid(functional.linear(hidden, second, self.bias2)).squeeze(1)

    @torch.no_grad()
    def keep_alive(self) -> None:
        """Lift weights at or below zero to a small positive value, where the skyline holds."""
        if self.skyline:
            self.weight1.clamp_(min=_LEAST_WEIGHT)
            self.weight2.clamp_(min=_LEAST_WEIGHT)

    def scores(self, inputs: Float32Array) -> Float32Array:
        """Return the meta-scores of (N, 2) meta-inputs: (N,) float32 in 0..1.

        Sums hidden units one by one in float64: a matrix product may add the terms of different
        rows in different orders, and the rounding would break monotonicity in the last place.
        """
        purity, informativeness = inputs.astype(np.float64).T
        weight1, bias1, weight2, bias2 = (
            value.detach().cpu().double().numpy()
            for value in (self.weight1, self.bias1, self.weight2, self.bias2)
        )
        if self.skyline:
            weight1, weight2 = np.maximum(weight1, 0), np.maximum(weight2, 0)
        total = np.full(len(inputs), bias2[0])
        for unit in range(HIDDEN):
            first, second = weight1[unit]
            total += weight2[0, unit] * sigmoid(
                first * purity + second * informativeness + bias1[unit]
            )
        return sigmoid(total).astype(np.float32)

    def save(self, path: Path) -> None:
        """Write everything that drawing and going on need to one safetensors file, atomically."""
        metadata = {
            "format": "karat-mqnet",
            "skyline": json.dumps(self.skyline),
            "has_prior": json.dumps(self.has_prior),
        }
        if self.normalisation is not None:
            metadata["normalisation"] = json.dumps(asdict(self.normalisation))
        tensorfile.write(path, self.state_dict(), metadata)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            ModelError: not a saved MQ-Net.
        """
        tensors, metadata = tensorfile.read(path)
        if metadata.get("format") != "karat-mqnet":
            raise ModelError(f"{path} is not a saved MQ-Net.")
        network = cls(
            skyline=json.loads(metadata.get("skyline", "true")),
            has_prior=json.loads(metadata.get("has_prior", "false")),
        )
        network.load_state_dict(tensors)
        if "normalisation" in metadata:
            network.normalisation = InputNormalisation(
                **{
                    name: Normalisation(**statistics)
                    for name, statistics in json.loads(metadata["normalisation"]).items()
                }
            )
        return network


def ranking_loss(
    score_i: Tensor, score_j: Tensor, loss_i: Tensor, loss_j: Tensor, margin: float
) -> Tensor:
    """Return  max(0, margin - sign(l_i - l_j) * (score_i - score_j))  per pair; ties give 0.

    Thesis, equation 4.3, with the margin where a ranking loss has it: as printed, inside the
    product with the sign, it would ask half of the pairs for a negative margin. Pairs of equal
    loss, such as two OOD examples, have no order and contribute exactly nothing.

    Args:
        score_i: (M,) meta-scores.
        score_j: (M,) meta-scores.
        loss_i: (M,) masked cross-entropies, >= 0.
        loss_j: (M,) masked cross-entropies, >= 0.
        margin: by how much the better one has to lead.

    Returns:
        (M,) >= 0.
    """
    sign = torch.sign(loss_i - loss_j)
    return sign.abs() * functional.relu(margin - sign * (score_i - score_j))


def train_mqnet(
    inputs: Float32Array,
    losses: NDArray[np.floating],
    *,
    params: MQNetParams,
    seed: int,
    warm: MQNet | None = None,
    normalisation: InputNormalisation | None = None,
    prior: Prior | None = None,
) -> MQNet:
    """Fit MQ-Net to the answers of the last query set.

    The loss of a batch is the sum over its 64 pairs, as printed. The thesis names no momentum, and
    there is none by default: with 0.9 the network follows each query set too closely and the share
    of in-distribution queries swings from round to round.

    With a prior the loss is a weighted mean of that of the answers and the same loss over all pairs
    of the prior, and a network without warm weights learns the prior alone first. The answers weigh
    n / (n + `params.prior`).

    Args:
        inputs: (n, 2) meta-inputs of the query set, n >= 2.
        losses: (n,) masked cross-entropy of the model that has not seen them; 0 for OOD.
        params: see the schema.
        seed: decides initial weights and pairs.
        warm: weights to start from, when `params.warm_start` and both are of one kind.
        normalisation: of the inputs, kept with the network so that it can be drawn.
        prior: how examples rank as far as nothing is learned; None: nothing is thought of that.

    Returns:
        A new network; `warm` is left as it is.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = MQNet(skyline=params.skyline, has_prior=prior is not None)
        network.normalisation = normalisation
        kind = (network.skyline, network.has_prior)
        if warm is not None and params.warm_start and (warm.skyline, warm.has_prior) == kind:
            network.load_state_dict(warm.state_dict())
        elif prior is not None:
            _learn_prior(network, prior, params)
        z = torch.from_numpy(np.ascontiguousarray(inputs, dtype=np.float32))
        target = torch.from_numpy(np.ascontiguousarray(losses, dtype=np.float64))
        pairs = max(1, min(params.batch_pairs, len(z) // 2))
        batches = -(-len(z) // (2 * pairs))
        answers = _loss_of_answers(network, z, target, params, pairs)
        if prior is None:
            loss_of = answers
        else:
            share = len(z) / (len(z) + params.prior)
            loss_of = _mixed(
                answers, share * params.batch_pairs / pairs,
                _loss_of_prior(network, prior, params, params.batch_pairs), 1 - share,
            )  # fmt: skip
        _descend(network, loss_of, params, params.epochs, batches, params.learning_rate)
    return network.eval()


def _loss_of_answers(
    network: MQNet, z: Tensor, target: Tensor, params: MQNetParams, pairs: int
) -> Callable[[], Tensor]:
    """Return what gives the loss of a batch: of pairs drawn anew each time, or of all."""

    def loss() -> Tensor:
        if params.all_pairs:
            return pairs * _mean_over_all_pairs(network(z), target, params.margin)
        first, second = torch.randperm(len(z))[: 2 * pairs].chunk(2)
        phi_i, phi_j = network(z[torch.cat([first, second])]).chunk(2)
        return ranking_loss(phi_i, phi_j, target[first], target[second], params.margin).sum()

    return loss


def _mixed(
    first: Callable[[], Tensor], weight: float, second: Callable[[], Tensor], other: float
) -> Callable[[], Tensor]:
    return lambda: weight * first() + other * second()


def _learn_prior(network: MQNet, prior: Prior, params: MQNetParams) -> None:
    # However answers are learned from: larger steps would leave every score at 1.
    params = params.model_copy(update={"momentum": 0.0})
    loss = _loss_of_prior(network, prior, params, _START_PAIRS)
    _descend(network, loss, params, _START_STEPS, 1, _START_RATE)


def _loss_of_prior(
    network: MQNet, prior: Prior, params: MQNetParams, pairs: int
) -> Callable[[], Tensor]:
    """Return what gives the loss over all pairs of the prior, scaled to those of a batch."""
    z = torch.from_numpy(np.ascontiguousarray(prior.inputs, dtype=np.float32))
    values = torch.from_numpy(np.ascontiguousarray(prior.values, dtype=np.float64))
    return lambda: pairs * _mean_over_all_pairs(network(z), values, params.margin)


def _descend(
    network: MQNet,
    loss_of: Callable[[], Tensor],
    params: MQNetParams,
    epochs: int,
    batches: int,
    learning_rate: float,
) -> None:
    """Minimise by SGD, whose rate falls to a tenth at half of the epochs."""
    optimizer = torch.optim.SGD(
        network.parameters(),
        lr=learning_rate,
        momentum=params.momentum,
        weight_decay=params.weight_decay,
    )
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [-(-epochs // 2)])
    for _ in range(epochs):
        for _ in range(batches):
            loss = loss_of()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            network.keep_alive()
        schedule.step()


def _mean_over_all_pairs(scores: Tensor, losses: Tensor, margin: float) -> Tensor:
    """Average the ranking loss over all ordered pairs, a block of rows at a time."""
    total = scores.new_zeros(())
    for rows in torch.split(torch.arange(len(scores)), 1024):
        total = (
            total
            + ranking_loss(
                scores[rows, None], scores[None], losses[rows, None], losses[None], margin
            ).sum()
        )
    return total / (len(scores) * max(1, len(scores) - 1))
