"""A short training on noisy labels, and what it shows."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from models.catalog import specs
from models.catalog.params.prune import PruneParams
from models.catalog.params.warm_up import WarmUpParams
from models.errors import Cancelled, NotReady
from models.media.images.store import PixelStore
from models.media.images.strong_view import StrongView
from models.media.images.training import resume
from models.numerics.probability import softmax
from models.protocols import Progress
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.run import prune
from models.pruning.view import PruningView
from models.pruning.warm_up import WarmUp

PARAMS = WarmUpParams(network="cnn_tiny", width=8, epochs=3, models=2, batch_size=32, flip=False)
INDICES = np.arange(5, 305)


@pytest.fixture(scope="module")
def noisy(digit_labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels of `INDICES`, every fifth one wrong."""
    labels = digit_labels[INDICES].copy()
    labels[::5] = (labels[::5] + 1) % 10
    return labels


@pytest.fixture(scope="module")
def view(
    digit_store: PixelStore, noisy: NDArray[np.int64], tmp_path_factory: pytest.TempPathFactory
) -> PruningView:
    work = tmp_path_factory.mktemp("warm-up")
    task = WarmUp(digit_store, INDICES, noisy, classes=10, params=PARAMS, seed=0, work=work)
    task.train()
    return task.look()


def test_a_strong_view_depends_on_seed_and_index_alone(digit_store: PixelStore) -> None:
    rows = np.array([3, 8, 4, 100])
    images = StrongView(digit_store, 7)[rows]
    assert images.dtype == np.uint8
    assert images.shape == (4, 16, 16, 3)
    assert_array_equal(StrongView(digit_store, 7)[rows[::-1]], images[::-1])
    assert_array_equal(StrongView(digit_store, 7)[rows[2:3]][0], images[2])
    many = np.arange(60)
    before = digit_store[many].copy()
    changed = (StrongView(digit_store, 7)[many] != before).any(axis=(1, 2, 3))
    assert changed.mean() > 0.8
    assert_array_equal(digit_store[many], before)
    other = StrongView(digit_store, 8)[many] != StrongView(digit_store, 7)[many]
    assert other.any(axis=(1, 2, 3)).mean() > 0.8


def test_everything_is_recorded(view: PruningView, noisy: NDArray[np.int64]) -> None:
    assert view.embeddings is not None
    assert view.logits is not None
    assert view.losses is not None
    assert view.correct is not None
    assert view.gradient_norms is not None
    assert view.embeddings.shape[0] == len(INDICES)
    assert view.logits.shape == (len(INDICES), 10)
    assert view.correct.shape == (3, len(INDICES))
    assert view.gradient_norms.shape == (2, len(INDICES))
    assert view.label_probabilities is not None
    assert view.margins is not None
    assert_array_equal(view.margins > 0, view.correct)
    assert_allclose(-np.log(view.label_probabilities[-1]), view.losses, rtol=1e-3)
    assert_array_equal(view.labels, noisy)
    # A loss below log 2 means that the label has more than half of the probability.
    sure = view.losses < np.log(2)
    assert view.correct[-1][sure].all()
    assert (view.gradient_norms[0] != view.gradient_norms[1]).any()
    # The strong view is another than that of the losses.
    own = softmax(view.logits)[np.arange(len(noisy)), noisy]
    assert np.abs(-np.log(own) - view.losses).max() > 0.1


def test_wrong_labels_have_large_losses(view: PruningView) -> None:
    assert view.losses is not None
    wrong = np.arange(len(INDICES)) % 5 == 0
    assert roc_auc_score(wrong, view.losses) > 0.75


@pytest.mark.parametrize(
    "name", [one.name for one in specs() if one.kind == "pruning" and one.name != "ssp"]
)
def test_every_method_works_on_it(view: PruningView, name: str) -> None:
    kept = prune(name, view, 60)
    assert len(set(kept.order.tolist())) == 60


def test_looking_at_all_images_can_be_stopped(
    digit_store: PixelStore, noisy: NDArray[np.int64], tmp_path: Path
) -> None:
    def stopping(last: int, total: int, times: int = 1) -> Progress:
        """Stop when a step was reported so many times."""
        seen: list[int] = []

        def stop(step: int, steps: int) -> None:
            assert step <= steps == total
            assert seen == sorted(seen)
            seen.append(step)
            if seen.count(last) == times:
                raise Cancelled

        return stop

    params = PARAMS.model_copy(update={"epochs": 1, "models": 1})
    task = WarmUp(digit_store, INDICES, noisy, classes=10, params=params, seed=0, work=tmp_path)
    # While all are looked at after the last step, training says that it is where it was.
    for times in (1, 2):
        with pytest.raises(Cancelled):
            task.train(stopping(10, 10, times))
    task.train()
    # Through the strong view, and then the images as they are.
    count = len(INDICES)
    for last in (0, count, 2 * count):
        with pytest.raises(Cancelled):
            task.look(stopping(last, 2 * count))


def test_it_goes_on_where_it_was(
    digit_store: PixelStore,
    noisy: NDArray[np.int64],
    view: PruningView,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resume, "_CHECKPOINT_SECONDS", 0.0)
    seen: list[int] = []

    def die(step: int, steps: int) -> None:
        seen.append(step)
        assert steps == 60
        # Once in each of the two trainings.
        if step in {20, 50} and seen.count(step) == 1:
            raise Cancelled

    task = WarmUp(digit_store, INDICES, noisy, classes=10, params=PARAMS, seed=0, work=tmp_path)
    for _ in range(2):
        with pytest.raises(Cancelled):
            task.train(die)
    task.train(die)
    seen.clear()
    # What is trained stays trained.
    task.train(lambda step, _: seen.append(step))
    assert seen == [30, 60]
    resumed = task.look()
    for name in ("embeddings", "logits", "losses", "correct", "gradient_norms"):
        assert_allclose(getattr(resumed, name), getattr(view, name), err_msg=name)
    # An earlier version kept only whether the model was right: other methods go on with that.
    next(tmp_path.glob("0/*margin*")).unlink()
    begun = task.look()
    assert_array_equal(begun.given("correct"), view.given("correct"))
    assert len(prune("forgetting", begun, 20).order) == 20
    with pytest.raises(NotReady, match="margin of each label"):
        prune("ccs", begun, 20)


def heads(store: PixelStore, labels: NDArray[np.int64], work: Path) -> FrozenWarmUp:
    params = PruneParams(network="patch_kmeans", flip=False, epochs=3, models=2, batch_size=32)
    store = PixelStore.open(store.path, store.size, int(INDICES[-1]) + 1)
    return FrozenWarmUp(store, INDICES, labels, classes=10, params=params, seed=0, work=work)


def test_heads_are_warmed_up_on_images_as_they_are_and_look_at_a_strong_view(
    digit_store: PixelStore, digit_labels: NDArray[np.int64], noisy: NDArray[np.int64],
    tmp_path: Path,
) -> None:  # fmt: skip
    count, truth = len(INDICES), digit_labels[INDICES]
    task = heads(digit_store, noisy, tmp_path / "one")
    task.train()
    view = task.look()
    assert view.given("correct").shape == (3, count)
    assert view.given("gradient_norms").shape == (2, count)
    # Nothing is learned from the strong view, in which fewer are known.
    plain, strong = (view.given(name).argmax(axis=1) for name in ("plain_logits", "logits"))
    assert (plain == truth).mean() > (strong == truth).mean() > 0.3
    assert roc_auc_score(noisy != truth, view.given("losses")) > 0.9
    assert (view.given("embeddings") != view.given("plain_embeddings")).any(axis=1).mean() > 0.9
    assert_array_equal(view.given("self_supervised"), view.given("plain_embeddings"))
    for spec in specs():
        if spec.kind == "pruning":
            assert len(set(prune(spec.name, view, 60).order.tolist())) == 60

    def stop(step: int, steps: int) -> None:
        # Beyond the half are the strong views.
        if 2 * step > steps == 2 * count:
            raise Cancelled

    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "strong.npy").unlink()
    killed = heads(digit_store, noisy, tmp_path / "two")
    with pytest.raises(Cancelled):
        killed.train(stop)
    killed.train()
    for name in ("embeddings", "logits", "losses"):
        assert_array_equal(killed.look().given(name), view.given(name), err_msg=name)
