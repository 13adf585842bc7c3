"""Embeddings of images by a network."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.device import place
from models.files import tensorfile
from models.frame import without_bars
from models.media.images.networks.nets import Network
from models.media.images.training.train import images_at_once, predict
from models.protocols import Float32Array


class NetworkExtractor:
    """A network whose penultimate layer is the embedding."""

    def __init__(
        self, network: Network, precision: str, *, rooted: bool = False, whole: bool = False
    ) -> None:
        """Take a network with its pixel statistics set.

        Args:
            network: what embeds.
            precision: as in `computes_in_bfloat16`.
            rooted: take square roots of features that are averages of activations and never
                negative, so that a few strong ones do not outweigh the others (F. Perronnin et
                al., Improving the Fisher Kernel for Large-Scale Image Classification, ECCV 2010,
                section 3.1).
            whole: look at bars beside images, too; those of a network that takes squares alone, or
                has learned with bars.
        """
        self.network = place(network).eval()
        self.precision, self.rooted, self.whole = precision, rooted, whole
        self.dimension = network.dimension

    def extract(self, pixels: NDArray[np.uint8]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, D) float32 embeddings."""
        rows = images_at_once(self.network, pixels.shape[1])
        result: Float32Array = np.empty((len(pixels), self.dimension), dtype=np.float32)
        parts = [(np.arange(len(pixels)), pixels)] if self.whole else without_bars(pixels)
        for positions, images in parts:
            for start in range(0, len(images), rows):
                block = slice(start, start + rows)
                found = predict(self.network, images[block], self.precision)
                result[positions[block]] = found.embeddings.numpy()
        return np.sqrt(result) if self.rooted else result

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write the weights to one safetensors file, atomically."""
        tensorfile.write(path, self.network.state_dict(), metadata)
