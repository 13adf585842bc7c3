"""What every learner from noisy labels promises, and what it is for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from models.catalog import parse
from models.catalog.params.networks import TrainingParams
from models.catalog.params.relabel import RelabelParams, SopPlusParams
from models.errors import Cancelled, ModelError
from models.media.images.networks.nets import preact_resnet18
from models.media.images.store import PixelStore
from models.media.images.training import resume
from models.relabeling.noisy_labels import decay
from models.relabeling.run import relabel
from tests.models.relabeling_cases import LEARNERS, learned, noisy, short

every_learner = pytest.mark.parametrize("learner", LEARNERS)


@every_learner
def test_says_something_of_every_label(
    learner: str, digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    case, steps = noisy(digit_labels, count=120), []
    kept = np.arange(10, 90)
    evaluation = np.arange(1000, 1100)
    found = learned(
        learner, digit_store, case, tmp_path, 3, trained_on=kept[::-1], evaluation=evaluation,
        evaluation_labels=digit_labels[evaluation],
        progress=lambda step, total: steps.append((step, total)),
    )  # fmt: skip
    assert found.probabilities.shape == (120, 10)
    assert found.probabilities.dtype == found.confidence.dtype == np.float32
    assert_allclose(found.probabilities.sum(axis=1), 1, atol=1e-5)
    assert_array_equal(found.corrected, found.probabilities.argmax(axis=1))
    assert_array_equal(found.confidence, found.probabilities.max(axis=1))
    assert found.accuracy is not None
    assert 0 <= found.accuracy <= 1
    assert all(np.isfinite(value) for value in found.extras.values())
    # Three epochs of three batches, of two networks in dividemix; then images are counted.
    training = 18 if learner == "dividemix" else 9
    assert steps[0] == (0, training)
    assert (training, training) in steps
    assert steps[-1] == (100, 100)


@every_learner
def test_is_repeated_by_the_same_seed_alone(
    learner: str, digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    case = noisy(digit_labels, count=80)
    first, again = (
        learned(learner, digit_store, case, tmp_path / name, 2) for name in ("first", "again")
    )
    assert first.accuracy is None
    assert_array_equal(first.probabilities, again.probabilities)
    other = relabel(
        learner, digit_store, case.indices, case.labels, classes=10, seed=1,
        work=tmp_path / "other", params=short(learner, 2),
    )  # fmt: skip
    assert np.abs(first.probabilities - other.probabilities).max() > 1e-3


@every_learner
def test_labels_outside_the_subset_are_not_learned_from(
    learner: str, digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    case, kept = noisy(digit_labels, count=80), np.arange(60)
    labels = case.labels.copy()
    labels[60:] = (labels[60:] + 3) % 10
    found = [
        relabel(
            learner, digit_store, case.indices, some, classes=10, seed=0, work=tmp_path / name,
            params=short(learner, 2), trained_on=kept,
        )
        for name, some in (("given", case.labels), ("changed", labels))
    ]  # fmt: skip
    assert_array_equal(found[0].probabilities, found[1].probabilities)


@every_learner
def test_goes_on_where_it_was(
    learner: str,
    digit_store: PixelStore,
    digit_labels: NDArray[np.int64],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case, small = noisy(digit_labels, count=80), {"batch_size": 7}
    whole = learned(learner, digit_store, case, tmp_path / "whole", 3, params=small)
    total = 72 if learner == "dividemix" else 36
    begun = []

    def attempt(at: int, kind: type[BaseException]) -> None:
        seen: list[int] = []

        def die(step: int, steps: int) -> None:
            seen.append(step)
            if steps == total and step >= at:
                raise kind

        with pytest.raises(kind):
            learned(learner, digit_store, case, tmp_path / "cut", 3, params=small, progress=die)
        begun.append(seen[0])

    # A cancelled training keeps everything; of a killed one stays what was written last.
    attempt(10, Cancelled)
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    late = total // 10 * 10
    for at in (20, late):
        attempt(at, KeyboardInterrupt)
    attempt(total, Cancelled)
    assert begun == [0, 10, 20, late]
    again = learned(learner, digit_store, case, tmp_path / "cut", 3, params=small)
    assert_array_equal(again.probabilities, whole.probabilities)
    assert again.extras == whole.extras


def test_wrong_labels_are_corrected_where_cross_entropy_learns_them_by_heart(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    case = noisy(digit_labels, count=300)
    shares: dict[str, float] = {}
    # To learn by heart takes longest, and each as wide a network as it needs.
    epochs = {"ce": 60, "sop_plus": 25, "dividemix": 12}
    widths = {"ce": 16, "sop_plus": 8, "dividemix": 16}
    for learner in LEARNERS:
        params = {"width": widths[learner], "weight_decay": 0.0}
        found = learned(
            learner, digit_store, case, tmp_path / learner, epochs[learner], params=params
        )
        right = found.corrected == case.truth
        assert right[~case.wrong].mean() > 0.9
        shares[learner] = right[case.wrong].mean()
    assert shares["ce"] < 0.7
    assert shares["sop_plus"] > 0.85
    assert shares["dividemix"] > 0.85


@every_learner
@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        ([0, 0, 1, 1, 5, 5], r"2 of 6 labels are outside 0\.\.2 \(the first at position 4\)"),
        ([0, 0, -1, 1, 1, 1], r"1 of 6 labels are outside 0\.\.2"),
        ([1, 1, 1, 1, 1, 1], "Fewer than two classes"),
        ([0, 0, 0, 1, 1, 2], r"1 of 3 classes have a single labeled image \(2\)"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    learner: str, labels: list[int], fault: str, digit_store: PixelStore, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=fault):
        relabel(
            learner, digit_store, np.arange(6), np.array(labels), classes=3, seed=0, work=tmp_path
        )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"classes": 1, "labels": np.zeros(6, np.int64)}, "the project has one; add another class"),
        ({"indices": np.arange(5)}, "one each"),
        ({"trained_on": np.array([], np.int64)}, "0 positions to learn from"),
        ({"trained_on": np.array([0, 6])}, "among the 6 labeled images"),
        ({"trained_on": np.array([0, 0, 3, 3])}, "given twice"),
        ({"trained_on": np.array([0, 1, 2])}, "subset keeps fewer than two classes"),
        ({"params": {"epochs": 0}}, "epochs: must be greater than or equal to 1"),
        ({"learner": "best"}, "no learner 'best'; known: sop_plus, dividemix, ce"),
        (
            {"learner": "dividemix", "params": {"epochs": 10}},
            "epochs = 10 leaves nothing after warm_up_epochs = 10",
        ),
    ],
)
def test_bad_calls_are_refused(
    change: dict[str, Any], fault: str, digit_store: PixelStore, tmp_path: Path
) -> None:
    call: dict[str, Any] = {
        "learner": "ce", "store": digit_store, "indices": np.arange(6),
        "labels": np.array([0, 0, 0, 1, 1, 1]), "classes": 2, "seed": 0, "work": tmp_path,
    }  # fmt: skip
    with pytest.raises(ModelError, match=fault):
        relabel(**(call | change))


@every_learner
def test_divergence_is_said(
    learner: str, digit_store: PixelStore, digit_labels: NDArray[np.int64], tmp_path: Path
) -> None:
    case = noisy(digit_labels, count=80)
    with pytest.raises(ModelError, match="lower learning_rate"):
        learned(
            learner, digit_store, case, tmp_path, 30,
            params={"learning_rate": 10.0, "weight_decay": 1.0, "momentum": 0.99},
        )  # fmt: skip


def test_the_job_hands_each_learner_its_own_parameters() -> None:
    for learner in LEARNERS:
        params = RelabelParams.model_validate(
            {"learner": learner, "network": "resnet18_small", "epochs": 40, "width": 8}
        )
        own = parse("learner", learner, params.learner_params())
        assert (own.epochs, own.width) == (40, 8)
        assert own.network_params().get("width") is None
    # Epochs after a warm-up are the business of dividemix alone.
    assert RelabelParams(learner="ce", network="cnn_tiny", epochs=5).epochs == 5
    with pytest.raises(ValueError, match="leaves nothing after"):
        RelabelParams(learner="dividemix", network="cnn_tiny", epochs=5)


def test_the_learning_rate_falls_from_epoch_to_epoch() -> None:
    cosine = [decay(SopPlusParams(epochs=4))(step, 12) for step in range(12)]
    expected = [(1 + np.cos(np.pi * epoch / 4)) / 2 for epoch in range(4)]
    assert_allclose(cosine, np.repeat(expected, 3))
    step = [decay(SopPlusParams(epochs=4, schedule="step"))(step, 8) for step in range(8)]
    assert_allclose(step, [1] * 4 + [0.1] * 4)


def test_the_preactivation_network_adds_nothing_but_residuals() -> None:
    network = preact_resnet18(TrainingParams(), classes=3, image_size=16).eval()
    assert sum(value.numel() for value in network.parameters()) == 11_166_016 + 1024 + 512 * 3 + 3
    logits, embeddings = network(torch.rand(2, 3, 16, 16))
    assert (logits.shape, embeddings.shape) == ((2, 3), (2, 512))
    block = network.get_submodule("backbone.1")
    x = torch.randn(1, 64, 4, 4)
    torch.nn.init.zeros_(block.get_parameter("conv2.weight"))
    # With nothing learned the block passes on what it gets, negative values too.
    assert_allclose(block(x).detach(), x)
