"""Images on their way to the device, a batch at a time."""

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.media.images.store import ImageRows, PixelStore
from models.protocols import Indices

# Images to learn from: those of a store, or (n, S, S, 3) uint8 in memory.
Images = PixelStore | NDArray[np.uint8]

# Images that take more stay where they are: a GPU has other things to hold.
_KEPT_BYTES: Final = 2**31


class ImageBatches:
    """What is learned from, by row; however much it is, a batch of it takes memory.

    A GPU keeps few images for itself, so that it waits for none of them.
    """

    def __init__(self, images: Images, device: torch.device) -> None:
        """Take images of one size, and where their batches are needed."""
        self._images, self._device = images, device
        every = np.arange(len(images))
        kept = device.type == "cuda" and len(every) * images[every[:1]].nbytes <= _KEPT_BYTES
        self._kept = resident(images[every], device) if kept else None

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self._images)

    def __getitem__(self, rows: Tensor) -> Tensor:
        """Return the (B, 3, S, S) uint8 images of (B,) int64 rows, on the device."""
        if self._kept is not None:
            return self._kept[rows.to(self._device)]
        return fetched(self._images, rows.cpu().numpy(), self._device)


def resident(pixels: NDArray[np.uint8], device: torch.device) -> Tensor:
    """Put (n, S, S, 3) images on the device: (n, 3, S, S) uint8 in channels-last order."""
    return torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2)


def fetched(pixels: ImageRows | Images, rows: Indices, device: torch.device) -> Tensor:
    """Bring rows of the pool to the device: (B, 3, S, S) uint8.

    A batch is small beside what is computed from it, so the pool stays where it is, however large.
    """
    images = torch.from_numpy(pixels[rows])
    if device.type == "cuda":
        # From pinned memory the copy does not wait for the step before.
        images = images.pin_memory()
    return images.to(device, non_blocking=True).permute(0, 3, 1, 2)


def scaled(images: Tensor) -> Tensor:
    """Convert (B, 3, S, S) uint8 to float32 in 0..1, in channels-last order."""
    return images.float().div_(255).contiguous(memory_format=torch.channels_last)
