"""Learners from noisy labels beside literal transcriptions of their formulas."""

import math

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from sklearn.mixture import GaussianMixture
from torch import Tensor
from torch.nn import functional

from models.media.images.training.mixing import mixed_up, sharpened
from models.relabeling.dividemix import balanced_loss, clean_probability, refined_targets
from models.relabeling.sop_plus import consistency, imbalance, sop_loss


def softmax(logits: Tensor) -> Tensor:
    total = sum(torch.exp(one) for one in logits)
    return torch.stack([torch.exp(one) / total for one in logits])


def reference_cross_entropy(logits: Tensor, labels: list[int], u: Tensor, v: Tensor) -> Tensor:
    """Algorithm 1, line 5: of the prediction with the noise in it."""
    total = torch.zeros(())
    for row, label in enumerate(labels):
        entries = []
        for c, p in enumerate(softmax(logits[row])):
            noise = u[row, 0] ** 2 if c == label else -(v[row, c] ** 2)
            entries.append(torch.clamp(p + noise, min=1e-4))
        normal = entries[label] / sum(entries)
        total = total - torch.log(torch.clamp(normal, min=1e-4))
    return total / len(labels)


def reference_squared_error(logits: Tensor, labels: list[int], u: Tensor, v: Tensor) -> Tensor:
    """Algorithm 1, line 6: of the hard prediction with the noise in it."""
    total = torch.zeros(())
    for row, label in enumerate(labels):
        top = int(logits[row].argmax())
        for c in range(logits.shape[1]):
            noise = u[row, 0] ** 2 if c == label else -(v[row, c] ** 2)
            total = total + (float(c == top) + noise - float(c == label)) ** 2
    return total / len(labels)


@pytest.mark.parametrize("seed", range(5))
def test_sop_loss_equals_its_formula(seed: int) -> None:
    torch.manual_seed(seed)
    labels = torch.randint(0, 4, (6,))
    logits = (3 * torch.randn(6, 4)).requires_grad_()
    u = (2 * torch.rand(6, 1) - 1).requires_grad_()
    v = (2 * torch.rand(6, 4) - 1).requires_grad_()
    loss = sop_loss(logits, functional.one_hot(labels, 4).float(), u, v)
    found = torch.autograd.grad(loss, (logits, u, v))
    entropy = reference_cross_entropy(logits, labels.tolist(), u, v)
    error = reference_squared_error(logits, labels.tolist(), u, v)
    assert_allclose(loss.item(), (entropy + error).item(), rtol=1e-5)
    # The network and u learn from the cross-entropy, v from the squared error.
    wanted = (*torch.autograd.grad(entropy, (logits, u)), *torch.autograd.grad(error, (v,)))
    for ours, theirs in zip(found, wanted, strict=True):
        assert_allclose(ours, theirs, atol=1e-5)


def test_the_noise_grows_where_label_and_prediction_disagree() -> None:
    labels, logits = torch.tensor([0, 1]), torch.tensor([[4.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    u, v = torch.full((2, 1), 1e-3), torch.full((2, 3), 1e-3)
    u.requires_grad_()
    v.requires_grad_()
    sop_loss(logits, functional.one_hot(labels, 3).float(), u, v).backward()  # type: ignore[no-untyped-call]
    assert u.grad is not None
    assert v.grad is not None
    # Descent makes u larger the less likely the label is, and v at the class that is predicted.
    assert -u.grad[1, 0] > 10 * -u.grad[0, 0] > 0
    assert -v.grad[1, 0] > 100 * v.grad[0].abs().max()


def test_regularisers_equal_their_formulas() -> None:
    torch.manual_seed(0)
    first, second = (torch.randn(5, 3, requires_grad=True) for _ in range(2))
    p, q = (torch.stack([softmax(row) for row in logits]) for logits in (first, second))
    divergence = sum(
        p[i, c] * torch.log(p[i, c] / q[i, c]) for i in range(5) for c in range(3)
    ) / torch.tensor(5)
    assert_allclose(consistency(first, second).item(), divergence.item(), rtol=1e-5)
    consistency(first, second).backward()  # type: ignore[no-untyped-call]
    assert first.grad is None
    mean = [sum(float(p[i, c].detach()) for i in range(5)) / 5 for c in range(3)]
    unequal = sum(math.log((1 / 3) / one) / 3 for one in mean)
    assert_allclose(imbalance(first).item(), unequal, rtol=1e-5)
    assert imbalance(torch.zeros(4, 3)).item() == pytest.approx(0, abs=1e-6)


def test_targets_equal_their_formulas() -> None:
    torch.manual_seed(0)
    given = functional.one_hot(torch.tensor([0, 2, 1]), 3).float()
    clean, predicted = torch.rand(3), torch.rand(3, 3).softmax(dim=1)
    found = refined_targets(given, clean, predicted, 0.5)
    for row in range(3):
        w = float(clean[row])
        mixed = [w * float(given[row, c]) + (1 - w) * float(predicted[row, c]) for c in range(3)]
        powers = [one ** (1 / 0.5) for one in mixed]
        assert_allclose(found[row], [one / sum(powers) for one in powers], rtol=1e-5)
    assert_allclose(sharpened(predicted, 1.0), predicted, rtol=1e-6)
    # A label that is surely right stays what it is.
    assert_allclose(refined_targets(given, torch.ones(3), predicted, 0.5), given)


def test_mixing_keeps_the_larger_part_of_each() -> None:
    torch.manual_seed(0)
    targets = torch.eye(40)
    images = torch.arange(40.0)[:, None, None, None].expand(40, 3, 2, 2)
    mixed, wanted = mixed_up(images, targets, 4.0)
    share = wanted.diagonal()
    assert (share >= 0.5).all()
    assert len(set(share.tolist())) > 20
    assert_allclose(wanted.sum(dim=1), 1, rtol=1e-6)
    # Pixels are mixed in the same shares and with the same partners.
    assert_allclose(mixed[:, 0, 0, 0], wanted @ torch.arange(40.0), rtol=1e-4)


def test_balanced_loss_equals_its_formula() -> None:
    torch.manual_seed(0)
    logits, targets = torch.randn(6, 3), torch.rand(6, 3).softmax(dim=1)
    p = torch.stack([softmax(row) for row in logits])
    labeled = -sum(float(targets[i, c] * torch.log(p[i, c])) for i in range(4) for c in range(3))
    squares = sum(float((p[i, c] - targets[i, c]) ** 2) for i in (4, 5) for c in range(3))
    balance = sum(math.log((1 / 3) / float(p[:, c].mean())) / 3 for c in range(3))
    found = balanced_loss(logits, targets, labeled=4, weight=2.0)
    assert_allclose(found.item(), labeled / 4 + 2 * squares / (2 * 3) + balance, rtol=1e-5)
    alone = balanced_loss(logits, targets, labeled=6, weight=2.0)
    cross = functional.cross_entropy(logits, targets)
    assert_allclose(alone.item(), float(cross) + balance, rtol=1e-5)


def test_small_losses_are_clean_by_a_mixture_of_two() -> None:
    random = np.random.default_rng(0)
    losses = np.concatenate([random.gamma(2, 0.1, 300), 3 + random.normal(0, 0.5, 100)])
    found = clean_probability(losses, seed=0)
    assert (found[:300] > 0.5).mean() > 0.99
    assert (found[300:] < 0.5).mean() > 0.99
    # Bayes' rule with the densities of scikit-learn's components.
    column = ((losses - losses.min()) / np.ptp(losses))[:, None]
    mixture = GaussianMixture(2, reg_covar=5e-4, random_state=0).fit(column)
    density = mixture.weights_ * np.exp(
        -((column - mixture.means_[:, 0]) ** 2) / (2 * mixture.covariances_[:, 0, 0])
    ) / np.sqrt(mixture.covariances_[:, 0, 0])  # fmt: skip
    small = int(mixture.means_[:, 0].argmin())
    assert_allclose(found, density[:, small] / density.sum(axis=1), atol=1e-4)


@pytest.mark.parametrize("losses", [[0.3], [0.2] * 10])
def test_losses_that_are_alike_are_all_clean(losses: list[float]) -> None:
    assert_allclose(clean_probability(np.array(losses), seed=0), np.ones(len(losses)))


def test_two_different_losses_are_divided() -> None:
    found = clean_probability(np.array([0.0, 0.0, 0.0, 5.0]), seed=0)
    assert (found > 0.5).tolist() == [True, True, True, False]
