"""Strongly augmented images, by which a warm-up model says how sure it is.

Source: thesis, section 5.2 (neighbourhood confidence) and its training configurations; E. Cubuk et
al., "RandAugment: Practical automated data augmentation with a reduced search space", NeurIPS 2020.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torchvision.transforms import v2

from models.frame import unpadded
from models.media.images.store import ImageRows, PixelStore
from models.protocols import Indices


class StrongView:
    """Another store over the same images, each changed by two random operations.

    How an image is changed follows from the seed and its index alone. Bars beside it stay as they
    are: by their colour and place readers tell them from the image.
    """

    def __init__(self, store: ImageRows, seed: int) -> None:
        """Take a store of (S, S, 3) uint8 images."""
        self.size, self.fit, self._store, self._seed = store.size, store.fit, store, seed
        self._augment = v2.RandAugment(num_ops=2, magnitude=9)

    def __getitem__(self, indices: Indices) -> NDArray[np.uint8]:
        """Return (n, S, S, 3) uint8 augmented images of (n,) rows."""
        images = np.ascontiguousarray(self._store[indices])
        # Operations are drawn for each image on its own, so there is no batch to make of them.
        with torch.random.fork_rng([]):
            places = zip(images, indices.tolist(), unpadded(images).tolist(), strict=True)
            for whole, index, (left, top, right, bottom) in places:
                mixed = np.random.SeedSequence([self._seed, index]).generate_state(1)[0]
                torch.manual_seed(int(mixed))
                within = whole[top:bottom, left:right]
                image = torch.from_numpy(within).permute(2, 0, 1)
                within[:] = self._augment(image).permute(1, 2, 0).numpy()
        return images


class StrongRows(PixelStore):
    """Rows of a store in their strongly augmented view, as a store of their own."""

    def __init__(self, store: PixelStore, rows: Indices, seed: int) -> None:
        """Take (n,) rows of a store; an image is changed as in `StrongView` of that store."""
        self.path, self.size, self.count, self.fit = store.path, store.size, len(rows), store.fit
        self._view, self._places = StrongView(store, seed), np.asarray(rows, dtype=np.int64)

    def __getitem__(self, indices: Indices | slice | Sequence[int]) -> NDArray[np.uint8]:
        """Return (n, S, S, 3) uint8 augmented images."""
        places = indices if isinstance(indices, slice) else np.asarray(indices, dtype=np.int64)
        return self._view[self._places[places]]
