from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from models.heads.head import LogisticHead, Scaling
from models.media.images.store import PixelStore, fit_image
from models.protocols import PoolView
from models.target.trained import HeadModel
from tests.models.open_set import said
from tests.shapes import detections_of

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def digit_labels() -> NDArray[np.int64]:
    labels: NDArray[np.int64] = load_digits().target.astype(np.int64)
    return labels


@pytest.fixture(scope="session")
def digit_store(tmp_path_factory: pytest.TempPathFactory) -> PixelStore:
    """scikit-learn's handwritten digits, enlarged from 8 to 16 pixels."""
    grey = (load_digits().images * 15.9).astype(np.uint8)
    images = np.stack([fit_image(Image.fromarray(image), 16) for image in grey])
    path: Path = tmp_path_factory.mktemp("digits") / "pixels.bin"
    with PixelStore.writer(path, 16) as writer:
        writer.write(0, images)
    return PixelStore.open(path, 16, len(images))


@pytest.fixture(scope="session")
def noise_store(tmp_path_factory: pytest.TempPathFactory) -> PixelStore:
    """260 images of 8 pixels that show nothing."""
    images = np.random.default_rng(7).integers(0, 256, (260, 8, 8, 3), dtype=np.uint8)
    path: Path = tmp_path_factory.mktemp("noise") / "pixels.bin"
    with PixelStore.writer(path, 8) as writer:
        writer.write(0, images)
    return PixelStore.open(path, 8, len(images))


@pytest.fixture
def view(noise_store: PixelStore) -> PoolView:
    """A small pool of three classes and OOD, whose features tell them apart somewhat.

    It holds everything that a score may ask for.
    """
    rng = np.random.default_rng(3)
    centers = 3 * rng.standard_normal((4, 12))
    kind = rng.integers(-1, 3, size=260)
    embeddings = (centers[kind] + rng.standard_normal((260, 12))).astype(np.float32)
    weight = rng.standard_normal((12, 3)).astype(np.float32)
    head = LogisticHead(
        Scaling(np.zeros(12, dtype=np.float32), 0.5), 2 * weight, np.zeros(3, dtype=np.float32),
        np.ones(3, dtype=np.int64),
    )  # fmt: skip
    model = HeadModel(head, embeddings, noise_store, "patch_kmeans", {})
    outputs = model.infer(np.arange(260))
    contrastive = (centers[kind, :5] + rng.standard_normal((260, 5))).astype(np.float32)
    pool, labeled = slice(0, 200), slice(200, 260)
    return PoolView(
        logits=outputs.logits[pool],
        embeddings=embeddings[pool],
        labeled_logits=outputs.logits[labeled],
        labeled_embeddings=embeddings[labeled],
        labels=said(kind[labeled]),
        classes=3,
        seed=0,
        head=model.linear_head(),
        ood_logits=rng.standard_normal(200).astype(np.float32),
        detections=detections_of(outputs.logits[pool]),
        predicted_losses=rng.standard_normal(200).astype(np.float32),
        contrastive=contrastive[pool],
        labeled_contrastive=contrastive[labeled],
        model=model,
        indices=np.arange(200),
    )
