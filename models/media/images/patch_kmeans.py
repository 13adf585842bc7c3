"""Single-layer features learned on the pool itself, without download or GPU.

Source: A. Coates, A. Y. Ng, "The Importance of Encoding Versus Training with Sparse Coding and
Vector Quantization", ICML 2011; spherical k-means as in Coates & Ng, "Learning Feature
Representations with K-Means", 2012. Ours: each vector of the dictionary comes with its mirror
image, so that the responses of an image are those of its mirror image as well.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from models.catalog.params.networks import PatchKMeansParams
from models.device import best_device, cpu_has_bfloat16
from models.errors import ModelError
from models.files import tensorfile
from models.frame import without_bars
from models.media.images.store import PixelStore
from models.protocols import Float32Array, Progress

_WHITENING_EPSILON = 0.1
_CONTRAST_EPSILON = 10.0
_FIT_IMAGES = 10_000
_PATCHES = 100_000
# So many responses stay in the cache of a core.
_BLOCK = 1024
_LEAST_VARIANCE = 1e-12
# So many times fewer images than features are few: then to compare them takes less time.
_FEW = 3
_OTHER_SIDE = [1, 0, 3, 2]
"""The quarters of an image in its mirror image."""


class PatchKMeans:
    """A fitted dictionary of patches and the projection of its pooled responses."""

    def __init__(self, tensors: Mapping[str, Tensor], params: PatchKMeansParams) -> None:
        """Take fitted tensors.

        Args:
            tensors: `filters` (3pp, K), the channels of a patch first, with `flip` the second
                half the mirror images of the first; `offset` (K,); `mean` (F,) and `projection`
                (F, D) of F = 8K responses, with `flip` 4K.
            params: the parameters that the tensors were fitted with.
        """
        self.params = params
        self.device = best_device()
        self.tensors = {name: tensor.to(self.device) for name, tensor in tensors.items()}
        self.dimension = int(self.tensors["projection"].shape[1])

    @classmethod
    def fit(
        cls,
        store: PixelStore,
        params: PatchKMeansParams,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Self:
        """Learn the dictionary and the projection on a sample of the pool.

        Args:
            store: the pool; at least one image, all larger than a patch. The embedding of a
                single one is zero: there is nothing that it could differ from.
            params: see the schema.
            seed: decides the sample and the initial dictionary.
            progress: called after each iteration; may raise `Cancelled`.

        Raises:
            ModelError: the images are no larger than a patch, or there are none.
        """
        if len(store) == 0:
            raise ModelError("There is no image to learn features from; import some first.")
        if store.size <= params.patch_size:
            raise ModelError(
                f"The model sees images of {store.size} px, which are no larger than the patches "
                f"of {params.patch_size} px that it looks at; set patch_size to at most "
                f"{store.size - 1}."
            )
        generator = torch.Generator().manual_seed(seed)
        chosen = torch.randperm(len(store), generator=generator)[:_FIT_IMAGES]
        rows = np.sort(chosen.numpy())
        steps = params.iterations + 2

        def report(step: int) -> None:
            if progress is not None:
                progress(step, steps)

        report(0)
        patches = _sample_patches(store, rows, params, generator)
        center, whitening = _whitening(_completed(patches, params))
        dictionary = _spherical_kmeans(
            (patches - center) @ whitening, params, generator, lambda i: report(i + 1)
        )
        filters = whitening @ dictionary.T
        tensors = {"filters": filters, "offset": center @ filters}
        device = best_device()
        tensors = {name: tensor.to(device) for name, tensor in tensors.items()}
        pooled = torch.cat(
            [
                _pooled_responses(store[rows[start : start + 256]], tensors, params, device).cpu()
                for start in range(0, len(rows), 256)
            ]
        )
        report(steps - 1)
        tensors["mean"], tensors["projection"] = _principal_axes(
            pooled, params.dimension, generator
        )
        report(steps)
        return cls(tensors, params)

    @classmethod
    def load(cls, path: Path, params: PatchKMeansParams) -> Self:
        """Read what `save` wrote."""
        return cls(tensorfile.read(path)[0], params)

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write the fitted tensors to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)

    def extract(self, pixels: NDArray[np.uint8]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, D) float32 embeddings."""
        pooled = _pooled_responses(pixels, self.tensors, self.params, self.device)
        embeddings = (pooled - self.tensors["mean"]) @ self.tensors["projection"]
        result: Float32Array = embeddings.cpu().numpy()
        return result


def _stride(size: int, params: PatchKMeansParams) -> int:
    return params.stride or max(1, size // 32)


def _patches(
    pixels: NDArray[np.uint8], params: PatchKMeansParams, stride: int, device: torch.device
) -> Tensor:
    """Cut (B, H, W, 3) images into (B, h, w, p, 3p) float32 patches of mean 0 and equal contrast.

    A row of a patch is contiguous in memory, and all is done while copying it. What the stride
    leaves over lies on both sides, so that a mirror image has the same patches, mirrored, or the
    next ones where an odd number of pixels is left over.
    """
    size = params.patch_size
    height, width = (side - (side - size) % stride for side in pixels.shape[1:3])
    top, left = (pixels.shape[1] - height) // 2, (pixels.shape[2] - width) // 2
    inner = torch.from_numpy(pixels)[:, top : top + height, left : left + width]
    images = inner.to(device).contiguous().float().sub_(128)
    count = len(images)
    windows = images.view(count, height, 3 * width)
    windows = windows.unfold(1, size, stride).unfold(2, 3 * size, 3 * stride)  # (B, h, w, p, 3p)
    mean = functional.avg_pool2d(images.mean(dim=3), size, stride)  # (B, h, w)
    square = functional.avg_pool2d(images.square().mean(dim=3), size, stride)
    scale = ((square - mean.square()).clamp_(min=0) + _CONTRAST_EPSILON).rsqrt_()
    shift = -mean * scale
    patches = torch.empty(windows.shape, device=device)
    return torch.addcmul(shift[..., None, None], windows, scale[..., None, None], out=patches)


def _sample_patches(
    store: PixelStore,
    rows: NDArray[np.int64],
    params: PatchKMeansParams,
    generator: torch.Generator,
) -> Tensor:
    """Draw about 100,000 patches, the same number from each image: (n, 3pp), channels first."""
    per_image = -(-_PATCHES // len(rows))
    drawn = []
    stride = _stride(store.size, params)
    for start in range(0, len(rows), 64):
        for _, images in without_bars(store[rows[start : start + 64]], params.patch_size + 1):
            patches = _patches(images, params, stride, torch.device("cpu"))
            patches = patches.flatten(3).flatten(1, 2)  # (B, hw, 3pp)
            places = torch.rand(patches.shape[:2], generator=generator).argsort(dim=1)
            places = places[:, :per_image]
            drawn.append(patches[torch.arange(len(patches))[:, None], places].flatten(0, 1))
    side = params.patch_size
    return torch.cat(drawn).view(-1, side, side, 3).permute(0, 3, 1, 2).flatten(1)


def _whitening(patches: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean (3pp,) and the ZCA matrix (3pp, 3pp)."""
    center = patches.mean(dim=0)
    centered = (patches - center).double()
    values, vectors = torch.linalg.eigh(centered.T @ centered / len(patches))
    scale = (values.clamp(min=0) + _WHITENING_EPSILON).rsqrt()
    return center, ((vectors * scale) @ vectors.T).float()


def _spherical_kmeans(
    patches: Tensor,
    params: PatchKMeansParams,
    generator: torch.Generator,
    report: Callable[[int], None],
) -> Tensor:
    """Learn K unit vectors (K, 3pp): each patch adds its projection to its nearest one.

    With `flip` K / 2 are learned, and their mirror images follow: a patch that is nearest to one of
    these adds its mirror image to what that is the mirror image of.
    """
    count = params.features // 2 if params.flip else params.features
    start = torch.randn(count, patches.shape[1], generator=generator)
    learned = functional.normalize(start, dim=1)
    for iteration in range(params.iterations):
        total = torch.zeros_like(learned)
        dictionary = _completed(learned, params)
        for block in torch.split(patches, _BLOCK):
            response = block @ dictionary.T  # (B, K)
            nearest = response.abs().argmax(dim=1)
            weight = response.gather(1, nearest[:, None])  # (B, 1)
            if params.flip:
                block = torch.where((nearest >= count)[:, None], _mirrored(block), block)
            total.index_add_(0, nearest % count, weight * block)
        # The old vector is added so that one that no patch chose keeps its place.
        learned = functional.normalize(learned + total, dim=1)
        report(iteration + 1)
    return _completed(learned, params)


def _completed(patches: Tensor, params: PatchKMeansParams) -> Tensor:
    """With `flip` (n, 3pp) patches, and after them their mirror images; else themselves."""
    return torch.cat([patches, _mirrored(patches)]) if params.flip else patches


def _mirrored(patches: Tensor) -> Tensor:
    """Exchange left and right of (n, 3pp) patches, channels first."""
    side = math.isqrt(patches.shape[1] // 3)
    return patches.view(-1, 3, side, side).flip(3).flatten(1)


def _pooled_responses(
    pixels: NDArray[np.uint8],
    tensors: Mapping[str, Tensor],
    params: PatchKMeansParams,
    device: torch.device,
) -> Tensor:
    """Respond to what is on (B, S, S, 3) images, and not to bars beside it: (B, 8K) or (B, 4K)."""
    stride, found = _stride(pixels.shape[1], params), list[Tensor]()
    order = []
    for positions, images in without_bars(pixels, params.patch_size + 1):
        found.append(_responses(images, tensors, params, stride, device))
        order.append(positions)
    back = torch.from_numpy(np.concatenate(order).argsort()).to(device)
    return torch.cat(found)[back] if len(found) > 1 else found[0]


def _responses(
    pixels: NDArray[np.uint8],
    tensors: Mapping[str, Tensor],
    params: PatchKMeansParams,
    stride: int,
    device: torch.device,
) -> Tensor:
    """Two-sided soft threshold of every patch, averaged over image quarters: (B, 8K).

    With `flip` (B, 4K): averaged over the image and its mirror image, in which a vector responds as
    its mirror image does on the other side of the image.
    """
    # On a CPU a block of responses has to stay in the cache; on a GPU it has to fill the device.
    block, precision = 256, torch.float32
    if device.type == "cpu":
        # Averages over a hundred patches and more do not notice the rounding.
        precision = torch.bfloat16 if cpu_has_bfloat16() else torch.float32
        block = 8 if precision == torch.bfloat16 else 2
    side = params.patch_size
    filters = tensors["filters"].view(3, side, side, -1).permute(1, 2, 0, 3).flatten(0, 2)
    filters, offset = filters.to(precision), tensors["offset"].to(precision)
    pooled = []
    for start in range(0, len(pixels), block):
        patches = _patches(pixels[start : start + block], params, stride, device)
        images, height, width = patches.shape[:3]
        rows = patches.view(images * height * width, -1).to(precision)  # (Bhw, 3pp)
        response = torch.addmm(-offset, rows, filters)
        # s = sign(z) max(0, |z| - a): the two sides are (|s| + s) / 2 and (|s| - s) / 2.
        torch.ops.aten.softshrink.out(response, params.threshold, out=response)
        response = response.view(images, height * width, -1)  # (B, hw, K)
        members = _quarters(height, width).to(device)  # (4, hw)
        counts, members = members.sum(dim=1, keepdim=True), members.to(precision)
        signed = (members @ response).float() / counts  # (B, 4, K)
        size = (members @ response.abs_()).float() / counts
        both = torch.stack([size + signed, size - signed], dim=2) / 2  # (B, 4, 2, K)
        if params.flip:
            own, mirrored = both.chunk(2, dim=3)
            both = (own + mirrored[:, _OTHER_SIDE]) / 2
        pooled.append(both.flatten(1))
    return torch.cat(pooled)


def _quarters(height: int, width: int) -> Tensor:
    """Which patches are in each of the four quarters of a grid: (4, hw) float32, 0 or 1.

    The middle of an odd number of rows or columns is in both halves.
    """
    rows, columns = _halves(height), _halves(width)
    return (rows[:, None, :, None] * columns[None, :, None, :]).reshape(4, -1)


def _halves(count: int) -> Tensor:
    places, middle = torch.arange(count), (count - 1) / 2
    return torch.stack([places <= middle, places >= middle]).float()


def _principal_axes(
    features: Tensor, dimension: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Fit PCA after scaling each feature to unit variance, and whiten it halfway.

    Halfway means an axis of standard deviation s keeps sqrt(s): unwhitened, the few leading axes
    drown the rest; fully whitened, the noise of the last axes counts as much as the first.
    Only the leading axes are wanted, and a full eigendecomposition of the covariance, F x F, would
    take longer than everything else. Of few images the axes follow from what these have in common,
    n x n; of many they are found by subspace iteration on the covariance.

    Returns:
        Mean (F,) and projection (F, D), which includes the scaling and the whitening.
    """
    count, width = features.shape
    # A single image, which is its own mean, gets one axis, on which it lies at zero.
    dimension = min(dimension, width, max(1, count - 1))
    mean = features.mean(dim=0)
    scale = 1 / features.std(dim=0, correction=min(1, count - 1)).clamp(min=1e-4)
    scaled = (features - mean) * scale
    if count <= width // _FEW:
        variance, axes = _axes_of_few(scaled, dimension)
    else:
        variance, axes = _axes_of_many(scaled, dimension, generator)
    # The sign of an axis is arbitrary: fix it so that the result does not hang on the library.
    largest = axes.gather(0, axes.abs().argmax(dim=0, keepdim=True))
    # Of images that are all alike nothing varies, and their embeddings are zeros.
    halfway = variance.clamp(min=max(_LEAST_VARIANCE, 1e-6 * float(variance[0]))).pow(-0.25)
    return mean, scale[:, None] * axes * (largest.sign() * halfway)


def _axes_of_few(scaled: Tensor, dimension: int) -> tuple[Tensor, Tensor]:
    """Return (D,) variances, the largest first, and their axes (F, D) of (n, F) rows of mean 0."""
    exact = scaled.double()
    variance, shares = torch.linalg.eigh(exact @ exact.T / len(exact))
    along = exact.T @ shares.flip(1)[:, :dimension]
    # Where nothing varies there is no axis, only what rounding leaves.
    least = 1e-6 * float(along[:, 0].norm())
    axes = functional.normalize(along, dim=0, eps=max(least, _LEAST_VARIANCE))
    return variance.flip(0)[:dimension].float(), axes.float()


def _axes_of_many(
    scaled: Tensor, dimension: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return what `_axes_of_few` does, but for the last axes nearly."""
    width = scaled.shape[1]
    covariance = scaled.T @ scaled / len(scaled)
    basis = torch.randn(width, min(width, dimension + 32), generator=generator)
    for _ in range(6):
        basis = torch.linalg.qr(covariance @ basis).Q
    variance, rotation = torch.linalg.eigh(basis.T @ (covariance @ basis))
    return variance.flip(0)[:dimension], (basis @ rotation).flip(1)[:, :dimension]
