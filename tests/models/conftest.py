from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from models.data import PixelStore, fit_image
from models.protocols import PoolView

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


@pytest.fixture
def view() -> PoolView:
    """A small pool of three classes and OOD, whose embeddings tell them apart somewhat."""
    rng = np.random.default_rng(3)
    centers = 3 * rng.standard_normal((4, 12))

    def draw(count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        kind = rng.integers(-1, 3, size=count)
        return kind, (centers[kind] + rng.standard_normal((count, 12))).astype(np.float32)

    _, embeddings = draw(200)
    labels, labeled = draw(60)
    head = rng.standard_normal((12, 3)).astype(np.float32)
    return PoolView(embeddings @ head, embeddings, labeled @ head, labeled, labels, 3, seed=0)
