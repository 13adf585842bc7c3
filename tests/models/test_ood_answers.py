import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch.nn import functional

from models.catalog import validate
from models.catalog.params.networks import TinyParams
from models.errors import Cancelled, ModelError
from models.evaluation.evaluate import accuracy
from models.heads.head import Scaling, fit_head
from models.media.images.networks.nets import Network, cnn_tiny
from models.media.images.store import PixelStore
from models.media.images.training import resume
from models.media.images.training.regularizers import (
    feature_penalty,
    still_statistics,
    uniformity_loss,
)
from models.numerics.probability import softmax
from models.protocols import Progress, TargetModel
from models.target.train import load_target, train_target, training_notes

TINY = {"steps": 30, "width": 8, "batch_size": 32, "flip": False}
CLASSES = 6


def features(store: PixelStore) -> NDArray[np.float32]:
    return store[slice(None)][..., 0].reshape(len(store), -1).astype(np.float32)


def trained(
    store: PixelStore,
    labels: NDArray[np.int64],
    name: str,
    params: dict[str, Any],
    *,
    count: int = 400,
    ood: bool = True,
    seed: int = 0,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> TargetModel:
    """Digits 0 to 5 are in-distribution, 6 to 9 are not."""
    answered = np.arange(count)
    inside = labels[:count] < CLASSES
    return train_target(
        store, answered[inside], labels[:count][inside], classes=CLASSES, name=name, params=params,
        seed=seed, ood_indices=answered[~inside] if ood else None, embeddings=features(store),
        checkpoint=checkpoint, progress=progress,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("patch_kmeans", {"ood_class": True}),
        ("cnn_tiny", TINY | {"steps": 150, "width": 16, "ood_class": True}),
    ],
)
def test_the_output_for_ood_tells_it_apart(
    digit_store: PixelStore,
    digit_labels: NDArray[np.int64],
    tmp_path: Path,
    name: str,
    params: dict[str, Any],
) -> None:
    model = trained(digit_store, digit_labels, name, params)
    assert model.classes == CLASSES
    rest = np.arange(400, 1797)
    outputs = model.infer(rest)
    assert outputs.logits.shape == (len(rest), CLASSES)
    assert outputs.ood_logits is not None
    inside = digit_labels[rest] < CLASSES
    # Evaluation asks which class, never whether it is one.
    assert accuracy(model.infer(rest[inside]), digit_labels[rest[inside]]) > 0.85
    all_outputs = np.column_stack([outputs.logits, outputs.ood_logits])
    called_ood = all_outputs.argmax(axis=1) == CLASSES
    assert (called_ood == ~inside).mean() > 0.8
    head = model.linear_head()
    assert head is not None
    assert head.weight.shape == (outputs.embeddings.shape[1], CLASSES)
    assert_allclose(outputs.embeddings @ head.weight + head.bias, outputs.logits, atol=1e-2)

    path = tmp_path / "model.safetensors"
    model.save(path)
    loaded = load_target(path, digit_store, embeddings=features(digit_store))
    assert loaded.classes == CLASSES
    after = loaded.infer(rest)
    assert after.ood_logits is not None
    assert_allclose(after.ood_logits, outputs.ood_logits, atol=1e-5)
    assert_allclose(after.logits, outputs.logits, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "params"), [("patch_kmeans", {}), ("cnn_tiny", TINY)], ids=["frozen", "network"]
)
def test_without_ood_answers_it_is_the_plain_model(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], name: str, params: dict[str, Any]
) -> None:
    plain = trained(digit_store, digit_labels, name, params, ood=False)
    model = trained(digit_store, digit_labels, name, params | {"ood_class": True}, ood=False)
    outputs = model.infer(np.arange(90))
    assert outputs.ood_logits is None
    assert_array_equal(outputs.logits, plain.infer(np.arange(90)).logits)
    said = "No OOD answer yet: the model was trained without an output for OOD."
    expected = (said,) if name == "cnn_tiny" else ()
    assert training_notes(name, params | {"ood_class": True}, inside=3, ood=0) == expected
    assert training_notes(name, params | {"ood_class": True}, inside=3, ood=1) == ()


@pytest.mark.parametrize(
    ("name", "params"),
    [("patch_kmeans", {"ood_class": False}), ("cnn_tiny", TINY)],
    ids=["frozen", "network"],
)
def test_the_plain_model_ignores_ood_answers(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], name: str, params: dict[str, Any]
) -> None:
    with_ood, without = (
        trained(digit_store, digit_labels, name, params, ood=ood).infer(np.arange(90))
        for ood in (True, False)
    )
    assert_array_equal(with_ood.logits, without.logits)
    assert with_ood.ood_logits is None


def test_what_is_no_class_shows_which_features_tell_the_classes() -> None:
    # Two of two hundred features tell the classes, each from all else. A few labels of classes
    # alone cannot say which, and what is none of them can.
    gains = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        kinds = random.integers(0, 3, 400)
        rows = random.normal(size=(400, 200)).astype(np.float32)
        rows[:, 0] += 4 * (kinds == 0)
        rows[:, 1] += 4 * (kinds == 1)
        scaling = Scaling.fit(rows)
        inside, outside = np.flatnonzero(kinds < 2), np.flatnonzero(kinds == 2)
        few, rest = inside[:8], inside[8:]
        right = []
        for seen in (few, np.concatenate([few, outside[:100]])):
            head = fit_head(rows[seen], kinds[seen], classes=2, l2=0.1, scaling=scaling)
            right.append(np.mean(head.logits(rows[rest]).argmax(axis=1) == kinds[rest]))
        gains.append(right[1] - right[0])
    assert np.mean(gains) > 0.05


def test_the_head_equals_scikit_learn_with_one_more_class(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    x = features(digit_store)
    scaling = Scaling.fit(x)
    labels = np.minimum(digit_labels, CLASSES)
    head = fit_head(x[:300], labels[:300], classes=CLASSES, l2=0.2, scaling=scaling)
    reference = LogisticRegression(C=1 / 0.2, tol=1e-9, max_iter=5000)
    reference.fit(scaling.apply(x[:300]).astype(float), labels[:300])
    ood = head.ood_logits(x[300:])
    assert ood is not None
    expected = reference.predict_proba(scaling.apply(x[300:]).astype(float))
    found = softmax(np.column_stack([head.logits(x[300:]), ood]))
    assert_allclose(found, expected, atol=1e-3)


def test_an_absent_class_stays_unlikely_among_the_classes(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    x = features(digit_store)
    labels = np.where(digit_labels < 3, digit_labels, 4)[:200]
    head = fit_head(x[:200], labels, classes=4, l2=0.2, scaling=Scaling.fit(x))
    count = (labels < 3).sum()
    assert_allclose(softmax(head.logits(x[:50]))[:, 3], 1 / (count + 2), rtol=1e-4)


def tiny() -> Network:
    torch.manual_seed(0)
    return cnn_tiny(TinyParams(width=8), classes=3, image_size=16)


def test_the_penalty_is_the_mean_square_feature() -> None:
    embeddings = tiny().embed(torch.rand(7, 3, 16, 16)).detach()
    total = 0.0
    for row in embeddings.tolist():
        for feature in row:
            total += feature**2
    assert float(feature_penalty(embeddings)) == pytest.approx(total / (7 * 32), rel=1e-5)


def test_the_head_never_sees_the_penalty() -> None:
    network, x, x_ood = tiny().eval(), torch.rand(5, 3, 16, 16), torch.rand(5, 3, 16, 16)
    y = torch.tensor([0, 1, 2, 0, 1])

    def gradients(taufe: float) -> list[torch.Tensor]:
        network.zero_grad()
        loss = functional.cross_entropy(network(x)[0], y)
        (loss + taufe * feature_penalty(network.embed(x_ood))).backward()  # type: ignore[no-untyped-call]
        first = next(network.backbone.parameters())
        return [value.grad for value in (network.head.weight, network.head.bias, first)]  # type: ignore[misc]

    plain, penalised = gradients(0), gradients(5)
    assert torch.equal(plain[0], penalised[0])
    assert torch.equal(plain[1], penalised[1])
    assert not torch.equal(plain[2], penalised[2])


def test_uniformity_is_the_cross_entropy_to_the_uniform_distribution() -> None:
    outputs = 3 * torch.randn(7, 4, generator=torch.Generator().manual_seed(0))
    expected = [
        -sum(math.log(p) / 4 for p in functional.softmax(row.double(), dim=0).tolist())
        for row in outputs
    ]
    assert float(uniformity_loss(outputs)) == pytest.approx(sum(expected) / 7, rel=1e-5)


def test_oat_makes_predictions_on_ood_uniform(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    def confidence(oat: float) -> float:
        model = trained(digit_store, digit_labels, "cnn_tiny", TINY | {"steps": 80, "oat": oat})
        rest = np.arange(400, 1797)
        probabilities = softmax(model.infer(rest).logits).max(axis=1)
        return float(probabilities[digit_labels[rest] >= CLASSES].mean())

    assert confidence(1.0) < confidence(0.0) - 0.1


@pytest.mark.parametrize("source", ["verdicts", "auxiliary_ood", "both"])
def test_which_ood_images_count_is_a_choice(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], source: str
) -> None:
    def logits(verdicts: list[int], auxiliary: list[int], ood_from: str) -> NDArray[np.float32]:
        model = train_target(
            digit_store, np.arange(40), digit_labels[:40], classes=10, name="cnn_tiny",
            params=TINY | {"steps": 5, "taufe": 5.0, "ood_from": ood_from}, seed=0,
            ood_indices=np.array(verdicts), auxiliary_indices=np.array(auxiliary),
        )  # fmt: skip
        return model.infer(np.arange(20)).logits

    first, second = [50, 51, 52], [60, 61, 62]
    same = {
        "verdicts": logits(first, [], "both"),
        "auxiliary_ood": logits([], second, "both"),
        "both": logits(first + second, [], "verdicts"),
    }
    found = logits(first, second, source)
    for name, expected in same.items():
        assert np.array_equal(found, expected) == (name == source)


def test_ood_images_leave_the_running_averages_alone() -> None:
    network = tiny().train()
    before = {name: value.clone() for name, value in network.named_buffers()}
    with still_statistics(network):
        network.embed(torch.rand(5, 3, 16, 16))
    averages = {name: value for name, value in network.named_buffers() if "running" in name}
    assert averages
    assert all(torch.equal(value, before[name]) for name, value in averages.items())
    network.embed(torch.rand(5, 3, 16, 16))
    assert not any(torch.equal(value, before[name]) for name, value in averages.items())


def test_taufe_takes_the_features_of_ood_away(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    def ratio(taufe: float) -> float:
        model = trained(digit_store, digit_labels, "cnn_tiny", TINY | {"steps": 80, "taufe": taufe})
        rest = np.arange(400, 1797)
        norms = np.square(model.infer(rest).embeddings).mean(axis=1)
        inside = digit_labels[rest] < CLASSES
        return float(norms[~inside].mean() / norms[inside].mean())

    assert ratio(5.0) < 0.75 * ratio(0.0)


def test_no_weight_or_no_ood_answer_is_the_plain_run_bit_for_bit(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    plain = trained(digit_store, digit_labels, "cnn_tiny", TINY, ood=False)
    off = trained(digit_store, digit_labels, "cnn_tiny", TINY | {"taufe": 0.0})
    waiting = trained(digit_store, digit_labels, "cnn_tiny", TINY | {"taufe": 0.1}, ood=False)
    expected = plain.infer(np.arange(90)).logits
    assert_array_equal(off.infer(np.arange(90)).logits, expected)
    assert_array_equal(waiting.infer(np.arange(90)).logits, expected)
    (note,) = training_notes("cnn_tiny", TINY | {"taufe": 0.1}, inside=3, ood=0)
    assert note == "No OOD image to learn from yet: the model was trained without TAUFE."
    (note,) = training_notes(
        "cnn_tiny", TINY | {"oat": 1, "ood_from": "verdicts"}, inside=3, ood=0, auxiliary=9
    )
    assert note == "No OOD image to learn from yet: the model was trained without OAT."
    assert training_notes("cnn_tiny", TINY | {"oat": 1}, inside=3, ood=0, auxiliary=9) == ()


def test_one_ood_answer_is_enough(digit_store: PixelStore, digit_labels: NDArray[np.int64]) -> None:
    for more in ({"taufe": 0.1}, {"ood_class": True}):
        model = train_target(
            digit_store, np.arange(2), digit_labels[:2], classes=2, name="cnn_tiny",
            params=TINY | more, seed=0, ood_indices=np.array([7]),
        )  # fmt: skip
        assert np.isfinite(model.infer(np.arange(9)).logits).all()


@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_an_interrupted_training_with_everything_resumes_bit_by_bit(
    seconds: float,
    digit_store: PixelStore,
    digit_labels: NDArray[np.int64],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Long or none at all: stepping aside keeps the very step.
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", seconds)
    params = TINY | {"taufe": 0.1, "loss_prediction": True}
    expected = trained(digit_store, digit_labels, "cnn_tiny", params).infer(np.arange(90))
    checkpoint = tmp_path / "training.safetensors"

    def die(step: int, steps: int) -> None:
        del steps
        if step == 20:
            raise Cancelled

    with pytest.raises(Cancelled):
        trained(digit_store, digit_labels, "cnn_tiny", params, checkpoint=checkpoint, progress=die)
    seen: list[int] = []

    def note(step: int, steps: int) -> None:
        del steps
        seen.append(step)

    resumed = trained(
        digit_store, digit_labels, "cnn_tiny", params, checkpoint=checkpoint,
        progress=note,
    )  # fmt: skip
    assert seen[0] == 20
    outputs = resumed.infer(np.arange(90))
    assert_array_equal(outputs.logits, expected.logits)
    assert outputs.predicted_losses is not None
    assert_array_equal(outputs.predicted_losses, expected.predicted_losses)


@pytest.mark.parametrize(
    ("name", "params", "fault"),
    [
        ("cnn_tiny", {"taufe": 0.1, "ood_class": True}, "taufe and ood_class conflict"),
        ("timm", {"taufe": 0.1, "ood_class": True}, "taufe and ood_class conflict"),
        ("timm", {"taufe": 0.1, "mode": "frozen"}, "set both to 0 or another mode"),
        ("cnn_tiny", {"oat": 1, "ood_class": True}, "oat and ood_class conflict"),
        ("cnn_tiny", {"oat": 1, "taufe": 0.1}, "set taufe = 0 or oat = 0"),
        ("patch_kmeans", {"taufe": 0.1}, "taufe: there is no such name"),
        ("cnn_tiny", {"loss_prediction_weight": 0}, "loss_prediction_weight: .*greater than 0"),
    ],
)
def test_bad_combinations_are_refused(name: str, params: dict[str, Any], fault: str) -> None:
    with pytest.raises(ModelError, match=fault):
        validate("model", name, params)
