"""MixMatch and adversarial training beside literal transcriptions of their formulas."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.catalog.params.networks import TinyParams
from models.catalog.params.regularize import AttackParams, MixMatchParams, TaufeParams
from models.errors import Cancelled, ModelError
from models.media.images.networks.build import build_network
from models.media.images.networks.nets import Network
from models.media.images.store import PixelStore
from models.media.images.training.adversarial import AdversarialObjective, attacked
from models.media.images.training.mixing import sharpened
from models.media.images.training.mixmatch import MixMatchObjective, Unlabeled, train_mixmatch
from models.media.images.training.resume import Batches
from models.purity.inside import Believed, believed_inside
from models.regularization.judging import measure
from models.regularization.parts import Parts
from models.regularization.training import effort, settings_of, train_method
from models.target.trained import NetworkModel

QUICK = {"network": "cnn_tiny", "width": 8, "steps": 40, "batch_size": 32, "flip": False}
NONE = np.empty(0, dtype=np.int64)


@pytest.fixture
def network(digit_store: PixelStore) -> Network:
    built = build_network("cnn_tiny", TinyParams(width=8), classes=4, store=digit_store, seed=0)
    return built.train()


def parts_of(labels: NDArray[np.int64]) -> Parts:
    """Digits 0 to 5 are in-distribution, 60 of them labeled; 6 and 7 are OOD."""
    inside, ood = np.flatnonzero(labels[:900] < 6), np.flatnonzero((labels == 6) | (labels == 7))
    test = 900 + np.flatnonzero(labels[900:1300] < 6)
    known = inside[:60]
    return Parts(
        known, labels[known], ood[:80], NONE, test, labels[test], ood[80:160], "evaluation",
        unlabeled=inside[60:],
    )  # fmt: skip


def norms(network: Network) -> list[Tensor]:
    return [value.clone() for name, value in network.named_buffers() if "running" in name]


def test_mixmatch_equals_its_algorithm(network: Network) -> None:
    mixing = MixMatchParams(temperature=0.5, augmentations=2, alpha=0.75)
    objective = MixMatchObjective(network, TinyParams(), mixing)
    torch.manual_seed(0)
    x, first, second = (torch.rand(3, 3, 8, 8) for _ in range(3))
    labels = torch.tensor([0, 3, 1])

    before = norms(network)
    guessed = objective.guesses([first, second])
    assert all(torch.equal(*pair) for pair in zip(before, norms(network), strict=True))
    assert not guessed.requires_grad
    with torch.no_grad():
        p, q = network(first)[0].softmax(dim=1), network(second)[0].softmax(dim=1)
    for row in range(3):
        mean = [(float(p[row, c]) + float(q[row, c])) / 2 for c in range(4)]
        squared = [one**2 for one in mean]
        assert_allclose(guessed[row], [one / sum(squared) for one in squared], rtol=1e-4)

    torch.manual_seed(1)
    found = objective.mixed_batch(x, functional.one_hot(labels, 4).float(), [first, second], 75.0)
    torch.manual_seed(1)
    drawn = torch.distributions.Beta(torch.full((9,), 0.75), torch.full((9,), 0.75)).sample()
    partner = torch.randperm(9).tolist()
    images = [*x, *first, *second]
    targets = [*functional.one_hot(labels, 4).float(), *guessed, *guessed]
    mixed, wanted = [], []
    for row in range(9):
        share = max(float(drawn[row]), 1 - float(drawn[row]))
        mixed.append(share * images[row] + (1 - share) * images[partner[row]])
        wanted.append(share * targets[row] + (1 - share) * targets[partner[row]])
    probabilities = network(torch.stack(mixed))[0].softmax(dim=1).detach()
    labeled = -sum(
        float(wanted[row][c] * probabilities[row, c].log()) for row in range(3) for c in range(4)
    )
    unlabeled = sum(
        float((wanted[row][c] - probabilities[row, c]) ** 2)
        for row in range(3, 9)
        for c in range(4)
    )
    assert_allclose(found.item(), labeled / 3 + 75 * unlabeled / (6 * 4), rtol=1e-4)


def test_training_by_mixmatch_equals_its_steps(
    network: Network, digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    known, unknown = np.flatnonzero(digit_labels < 4)[:12], np.flatnonzero(digit_labels < 4)[12:50]
    params = TinyParams(
        width=8, steps=4, batch_size=6, learning_rate=0.05, momentum=0.9, weight_decay=0.01,
        augment=False, flip=False, precision="float32",
    )  # fmt: skip
    mixing = MixMatchParams(lambda_u=40, ramp_steps=2, augmentations=2)
    literal = deepcopy(network)
    train_mixmatch(
        network, digit_store[known], digit_labels[known], params=params, seed=5,
        unlabeled=Unlabeled(digit_store, unknown), mixing=mixing,
    )  # fmt: skip

    labeled, unlabeled = Batches(12, 6, 5), Batches(38, 6, 6)
    velocity = [torch.zeros_like(one) for one in literal.parameters()]
    torch.manual_seed(5)
    for step, (weight, rate) in enumerate([(0, 0.05), (20, 0.05), (40, 0.005), (40, 0.0005)]):
        rows = known[labeled.rows(step).numpy()]
        x = torch.from_numpy(digit_store[rows]).permute(0, 3, 1, 2) / 255
        others = digit_store[unknown[unlabeled.rows(step).numpy()]]
        u = torch.from_numpy(others).permute(0, 3, 1, 2) / 255
        # Both views are the image itself. A copy guesses, so that no running average moves.
        guess = deepcopy(literal)(u)[0].softmax(dim=1).detach() ** 2
        guess = guess / guess.sum(dim=1, keepdim=True)
        targets = torch.cat([torch.eye(4)[digit_labels[rows]], guess, guess])
        share = torch.distributions.Beta(torch.full((18,), 0.75), torch.full((18,), 0.75)).sample()
        share = torch.where(share > 0.5, share, 1 - share)
        partner = torch.randperm(18)
        images = torch.cat([x, u, u])
        mixed = torch.einsum("r,rchw->rchw", share, images)
        mixed = mixed + torch.einsum("r,rchw->rchw", 1 - share, images[partner])
        wanted = share[:, None] * targets + (1 - share)[:, None] * targets[partner]
        logits = literal(mixed)[0]
        loss = functional.cross_entropy(logits[:6], wanted[:6])
        loss = loss + weight * functional.mse_loss(logits[6:].softmax(dim=1), wanted[6:])
        gradients = torch.autograd.grad(loss, list(literal.parameters()))
        with torch.no_grad():
            for value, moved, gradient in zip(
                literal.parameters(), velocity, gradients, strict=True
            ):
                moved.mul_(0.9).add_(gradient + 0.01 * value)
                value.sub_(rate * moved)
    found, expected = ([*one.parameters(), *norms(one)] for one in (network, literal))
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-5)


def test_unlabeled_images_help_unless_their_weight_drowns_the_labels(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    parts = parts_of(digit_labels)
    parts = replace(parts, inside=parts.inside[:12], labels=parts.labels[:12])

    def right(method: str, **mixing: Any) -> float:
        settings = QUICK | {"steps": 150, "learning_rate": 0.05, "training": "mixmatch"} | mixing
        params = TaufeParams(**settings)
        model = train_method(method, digit_store, parts, params, classes=6, seed=1)
        return float(measure(model, parts, params, seed=0)["accuracy"])

    alone = right("supervised")
    assert right("standard", lambda_u=10, ramp_steps=50) > alone + 0.03
    assert right("standard", lambda_u=100, ramp_steps=0) < alone - 0.3


def test_low_temperatures_leave_the_most_probable_class() -> None:
    found = sharpened(torch.tensor([[0.1, 0.2, 0.7], [0.25, 0.5, 0.25]]), 0.001)
    assert_allclose(found, [[0, 0, 1], [0, 1, 0]], atol=1e-6)


def test_unlabeled_images_weigh_more_step_by_step(network: Network) -> None:
    objective = MixMatchObjective(network, TinyParams(), MixMatchParams())
    weights = [objective.weight(step) for step in (0, 4_000, 16_000, 20_000)]
    assert weights == [0, 25, 100, 100]
    at_once = MixMatchObjective(network, TinyParams(), MixMatchParams(ramp_steps=0))
    assert at_once.weight(0) == 100


def test_mixmatch_is_the_same_beside_ood_images_and_after_a_kill(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    parts = parts_of(digit_labels)
    params = TaufeParams(
        **QUICK | {"steps": 12, "batch_size": 16}, training="mixmatch", ramp_steps=6, taufe=1e-9
    )

    def learn(method: str, params: TaufeParams = params, **more: Any) -> dict[str, Tensor]:
        model = train_method(method, digit_store, parts, params, classes=6, seed=1, **more)
        assert isinstance(model, NetworkModel)
        return dict(model.network.named_parameters())

    def interrupt(step: int, _: int) -> None:
        if step == 10:
            raise Cancelled

    plain, beside = learn("standard"), learn("taufe")
    for name, value in plain.items():
        torch.testing.assert_close(beside[name], value, rtol=1e-3, atol=1e-5, msg=name)
    strong = learn("taufe", params.model_copy(update={"taufe": 1.0}))
    assert not torch.equal(strong["head.weight"], plain["head.weight"])
    checkpoint = tmp_path / "training.safetensors"
    with pytest.raises(Cancelled):
        learn("standard", checkpoint=checkpoint, progress=interrupt)
    resumed = learn("standard", checkpoint=checkpoint)
    assert all(torch.equal(resumed[name], value) for name, value in plain.items())


def test_attacked_pixels_stay_in_the_ball_and_the_loss_does_not_fall(
    network: Network, digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    rows = np.flatnonzero(digit_labels < 4)[:64]
    pixels = torch.from_numpy(digit_store[rows]).permute(0, 3, 1, 2)
    y = torch.from_numpy(digit_labels[rows])
    network.eval()

    def loss(images: Tensor) -> Tensor:
        return functional.cross_entropy(network(images)[0], y)

    clean = loss(pixels / 255).item()
    seen = []
    for steps in (0, 1, 20):
        moved = attacked(loss, pixels, epsilon=8, step=2, steps=steps)
        assert (moved - pixels).abs().max() <= 8
        assert moved.min() >= 0
        assert moved.max() <= 255
        seen.append(loss(moved / 255).item())
    assert clean < seen[2]
    assert seen[0] < seen[1] < seen[2]
    assert all(parameter.grad is None for parameter in network.parameters())


def test_one_step_of_the_attack_equals_its_formula() -> None:
    weight = torch.tensor([1.0, -2.0, 0.0])[None, :, None, None]
    pixels = torch.full((1, 3, 1, 1), 100, dtype=torch.uint8)
    pixels[0, 0] = 253
    moved = attacked(
        lambda images: (images * weight).sum(), pixels, epsilon=4, step=9, steps=1,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    start = torch.empty(3).uniform_(-4, 4, generator=torch.Generator().manual_seed(0))
    # Up to white, down to the border of the ball, and where nothing changes the loss the start.
    assert_allclose(moved.flatten(), [255, 96, 100 + float(start[2])], rtol=1e-6)


def test_adversarial_training_learns_from_attacked_images(network: Network) -> None:
    torch.manual_seed(0)
    x = torch.randint(0, 256, (6, 3, 8, 8), dtype=torch.uint8)
    ood = torch.randint(0, 256, (6, 3, 8, 8), dtype=torch.uint8)
    y = torch.tensor([0, 1, 2, 3, 0, 1])
    params = TinyParams(taufe=0.5)
    attack = AttackParams(epsilon=8, attack_step=2, attack_steps=3)
    before = norms(network)
    torch.manual_seed(1)
    found = AdversarialObjective(network, params, attack)(x, y, ood, shielded=False)
    after = norms(network)
    assert not any(torch.equal(*pair) for pair in zip(before, after, strict=True))

    torch.manual_seed(1)
    moved = x + torch.empty(6, 3, 8, 8).uniform_(-8, 8)
    moved = moved.clamp(0, 255)
    for _ in range(3):
        moved.requires_grad_()
        loss = functional.cross_entropy(network(moved / 255)[0], y)
        (gradient,) = torch.autograd.grad(loss, moved)
        moved = moved.detach() + 2 * gradient.sign()
        moved = torch.minimum(torch.maximum(moved, x - 8.0), x + 8.0).clamp(0, 255)
    expected = functional.cross_entropy(network(moved / 255)[0], y)
    penalty = network.embed(ood / 255).square().mean()
    assert_allclose(found.item(), (expected + 0.5 * penalty).item(), rtol=1e-5)
    everything = AttackParams(epsilon=8, attack_step=2, attack_steps=3, attack_ood=True)
    torch.manual_seed(1)
    harder = AdversarialObjective(network, params, everything)(x, y, ood, shielded=False)
    assert harder > found


def test_what_is_trained_against_attacks_withstands_them(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    parts = parts_of(digit_labels)
    parts = replace(parts, inside=parts.unlabeled, labels=digit_labels[parts.unlabeled])
    params = TaufeParams(
        **QUICK | {"steps": 80}, training="adversarial", epsilon=24, attack_step=12, attack_steps=3,
        judging_steps=6, judging_images=80,
    )  # fmt: skip
    assert params.methods == ("supervised", "standard", "oat", "taufe")
    found = {}
    for method in ("supervised", "standard"):
        model = train_method(method, digit_store, parts, params, classes=6, seed=1)
        found[method] = measure(model, parts, params, seed=0)
    assert found["supervised"]["attacked_accuracy"] < found["standard"]["attacked_accuracy"]
    assert all(one["attacked_accuracy"] < one["accuracy"] for one in found.values())
    # Rounds learn otherwise, so there is nothing to use.
    assert settings_of(params, 16) == {}
    amounts = effort(parts, params)
    assert set(amounts) == {*params.methods, "compare"}
    assert amounts["supervised"] < amounts["standard"] < amounts["taufe"]


def test_unlabeled_ood_images_are_left_out(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    known = np.flatnonzero(digit_labels[:400] < 6)
    ood = np.flatnonzero(digit_labels[:400] > 5)
    unlabeled = np.arange(500, 1000)
    out = tmp_path / "features.npy"

    def believe(ood: NDArray[np.int64]) -> Believed:
        rows = np.concatenate([known, ood, unlabeled])
        np.save(out, digit_store[rows].reshape(len(rows), -1).astype(np.float32))
        return believed_inside(
            out, digit_labels[known], len(ood), unlabeled, classes=6, least=0.5, image_size=16,
            seed=0,
        )  # fmt: skip

    found = believe(ood)
    assert found.told
    assert len(found.rows) + found.left_out == len(unlabeled)
    assert (digit_labels[found.rows] < 6).mean() > 0.95
    assert np.isin(unlabeled[digit_labels[unlabeled] < 6], found.rows).mean() > 0.8
    # With next to no OOD answers nobody knows.
    untold = believe(ood[:3])
    assert not untold.told
    assert_array_equal(untold.rows, unlabeled)


def test_nothing_to_learn_from_is_said(digit_labels: NDArray[np.int64]) -> None:
    with pytest.raises(ModelError, match="no unlabeled image that mixmatch could learn from"):
        parts_of(digit_labels).beside(NONE)
    assert_array_equal(parts_of(digit_labels).beside(np.array([3])).unlabeled, [3])
