"""Whoever learns from images reads them batch by batch, however many there are."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from models.catalog.params.localize import LocalizeParams
from models.catalog.params.networks import TinyParams
from models.catalog.params.regularize import MixMatchParams
from models.catalog.params.warm_up import WarmUpParams
from models.media.images.networks.nets import cnn_tiny
from models.media.images.store import Pixels, PixelStore
from models.media.images.training.batches import ImageBatches
from models.media.images.training.mixmatch import Unlabeled, train_mixmatch
from models.media.images.training.train import train
from models.protocols import Indices
from models.pruning.warm_up import WarmUp
from models.target import trained
from models.target.train import train_target
from models.tasks.localization.networks import build_localizer
from models.tasks.localization.train import Examples, train_localizer
from tests.models.relabeling_cases import LEARNERS, learned, noisy

BATCH = 32


class Watched(PixelStore):
    """A store that knows how many rows were asked for at once, but for those looked at in order."""

    most = 0

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> Pixels:
        if not isinstance(indices, slice):
            self.most = max(self.most, len(indices))
        return super().__getitem__(indices)


@pytest.fixture
def watched(digit_store: PixelStore) -> Watched:
    return Watched(digit_store.path, digit_store.size, len(digit_store))


@pytest.mark.parametrize("regularizer", [{}, {"taufe": 0.1}, {"oat": 1.0}, {"ood_class": True}])
def test_rounds_do(
    regularizer: dict[str, object], watched: Watched, digit_labels: NDArray[np.int64]
) -> None:
    inside, outside, auxiliary = np.arange(600), np.arange(600, 1000), np.arange(1000, 1700)
    train_target(
        watched, inside, digit_labels[inside], classes=10, name="cnn_tiny", seed=0,
        params={"steps": 3, "width": 4, "batch_size": BATCH, **regularizer},
        ood_indices=outside, auxiliary_indices=auxiliary,
    )  # fmt: skip
    assert watched.most == BATCH


def test_mixmatch_does(watched: Watched, digit_labels: NDArray[np.int64]) -> None:
    params = TinyParams(width=4, steps=3, batch_size=BATCH, taufe=0.1)
    known, unknown = np.arange(600), np.arange(600, 1200)
    train_mixmatch(
        cnn_tiny(params, classes=10, image_size=16), watched.take(known), digit_labels[known],
        params=params, seed=0, unlabeled=Unlabeled(watched, unknown), mixing=MixMatchParams(),
        ood_pixels=watched.take(np.arange(1200, 1797)),
    )  # fmt: skip
    assert watched.most == BATCH


@pytest.mark.parametrize("learner", LEARNERS)
def test_relabeling_does(
    learner: str,
    watched: Watched,
    digit_labels: NDArray[np.int64],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What has been learned then looks at all of them, in blocks of its own.
    monkeypatch.setattr(trained, "images_at_once", lambda *_: BATCH)
    learned(learner, watched, noisy(digit_labels, count=300), tmp_path, 2)
    assert watched.most == BATCH


def test_warming_up_does(watched: Watched, digit_labels: NDArray[np.int64], tmp_path: Path) -> None:
    params = WarmUpParams(network="cnn_tiny", width=4, batch_size=BATCH)
    task = WarmUp(
        watched, np.arange(1000), digit_labels[:1000], classes=10, params=params, seed=0,
        work=tmp_path,
    )  # fmt: skip
    task.train_steps(3)
    assert watched.most == BATCH


def test_localizing_does(watched: Watched, digit_labels: NDArray[np.int64]) -> None:
    params = LocalizeParams(network="cnn_tiny", width=4, steps=3, batch_size=BATCH)
    inside = np.arange(600)
    boxes = np.tile([0.2, 0.2, 0.8, 0.8], (600, 1))
    outside = watched.take(np.arange(600, 1600))
    examples = Examples(watched.take(inside), digit_labels[inside], boxes, outside)
    network = build_localizer(params, store=watched, classes=10, seed=0)
    train_localizer(network, examples, params, "taufe", seed=0)
    assert watched.most == BATCH


def test_a_store_teaches_what_the_same_images_in_memory_do(
    digit_store: PixelStore, digit_labels: NDArray[np.int64]
) -> None:
    params = TinyParams(width=4, steps=6, batch_size=BATCH, oat=0.5)
    inside, outside = np.arange(5, 200, 3), np.arange(900, 1000)
    found = []
    for images in (digit_store.take, partial(PixelStore.__getitem__, digit_store)):
        torch.manual_seed(1)
        network = cnn_tiny(params, classes=10, image_size=16)
        train(
            network, images(inside), digit_labels[inside], params=params, seed=2,
            ood_pixels=images(outside),
        )  # fmt: skip
        found.append(torch.cat([one.flatten() for one in network.state_dict().values()]))
    assert torch.equal(*found)


def test_batches_are_rows_in_their_order(digit_store: PixelStore) -> None:
    rows = torch.tensor([7, 3, 3, 0])
    batch = ImageBatches(digit_store.take(np.arange(100, 120)), torch.device("cpu"))[rows]
    assert batch.dtype == torch.uint8
    assert_array_equal(batch.permute(0, 2, 3, 1), digit_store[100 + rows.numpy()])
