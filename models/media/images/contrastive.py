"""The contrastive learner, from top to bottom: SimCLR with rotations as shifted instances.

Source: J. Tack et al., "CSI: Novelty Detection via Contrastive Learning on Distributionally Shifted
Instances", NeurIPS 2020, section 2; trained on the whole pool as in the thesis, section 4.4.
"""

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.contrastive import ContrastiveParams
from models.catalog.params.networks import BackboneParams, TinyParams, TrainingParams
from models.device import autocast, best_device, place
from models.errors import ModelError
from models.files import tensorfile
from models.frame import unpadded
from models.media.embedding_files import write_embeddings
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.build import build_network, restore_network
from models.media.images.networks.nets import Network
from models.media.images.store import Pixels, PixelStore
from models.media.images.training.batches import fetched
from models.media.images.training.resume import Batches, counted, restore, store
from models.media.images.views import ROTATIONS, shifted_views
from models.protocols import Float32Array, Indices, Progress

_FORMAT = "karat-contrastive"


class ContrastiveLearner(nn.Module):
    """An encoder whose head tells rotations apart, and the projection that the loss compares."""

    def __init__(self, network: Network, projection: int) -> None:
        """Put a projection of two layers beside the head of a network."""
        super().__init__()
        self.network = network
        self.projector = nn.Sequential(
            nn.Linear(network.dimension, network.dimension),
            nn.ReLU(inplace=True),
            nn.Linear(network.dimension, projection),
        )

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Map (B, 3, S, S) pixels in 0..1 to rotation logits (B, 4) and projections (B, P)."""
        rotation, embeddings = self.network(images)
        return rotation, self.projector(embeddings)


def learn_encoder(
    pixels: PixelStore,
    indices: Indices,
    params: ContrastiveParams,
    *,
    seed: int,
    out: Path,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> None:
    """Train the contrastive learner and save its encoder to one safetensors file.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted and resumed from its checkpoint.

    Args:
        pixels: the pool.
        indices: (n,) rows to learn from, n >= 2, labeled or not.
        params: see the schema.
        seed: decides initial weights, batches and views.
        out: where the encoder goes; appears whole, in the end.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called at every step; may raise `Cancelled`, and nothing is lost when it does.

    Raises:
        ModelError: fewer than two images, or the loss is no longer finite.
    """
    require_several(len(indices))
    device = best_device()
    learner = place(_build(pixels, params, seed)).train()
    optimizer = _lars(learner, params)
    batch_size = min(params.batch_size, len(indices))
    batches = Batches(len(indices), batch_size, seed)
    steps = max(1, round(params.epochs * len(indices) / batch_size))
    warmup = min(params.warmup_epochs / params.epochs, 0.1) * steps
    run = _fingerprint(pixels, indices, params, seed)

    def save(step: int) -> None:
        if checkpoint is not None:
            store(checkpoint, learner, optimizer, step, run)

    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        start = restore(checkpoint, learner, optimizer, run)
        for step in counted(start, steps, save=save, progress=progress, report_every=1):
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * _schedule(step, steps, warmup)

            rows = indices[batches.rows(step).numpy()]
            images = pixels[rows]
            shares = torch.from_numpy(_shares(images)).to(device)
            batch = fetched(images, np.arange(len(images)), device)
            loss = _loss(learner, batch, shares, params)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()

            # Reading the loss waits for the device, so do it only now and then.
            if step % 100 == 99 or step + 1 == steps:
                _require_finite(loss, step + 1, params)
    _save(learner.network, out, params, pixels.size)


def require_several(images: int) -> None:
    """Refuse a pool that nothing can be learned from, however long it is looked at.

    Raises:
        ModelError: fewer than two images.
    """
    if images < 2:
        raise ModelError(
            "Features are learned by comparing images with each other, and the pool has "
            f"{'only one' if images else 'none'}; import more of them."
        )


def embed_with_encoder(
    pixels: PixelStore, encoder: Path, *, out: Path, progress: Progress | None = None
) -> None:
    """Write the features of a pool to `out`, a float32 .npy file of shape (N, E).

    Rows that are in `out` already are kept: images that were imported since are added to it.
    `out` appears, or grows, in one rename; a killed call resumes where it stopped.

    Args:
        pixels: the pool, N images of the size that the encoder has learned from.
        encoder: what `learn_encoder` saved.
        out: where the features go.
        progress: counts images; may raise `Cancelled`.

    Raises:
        ModelError: not an encoder, or one for images of another size.
    """
    extractor = restore_encoder(encoder, pixels.size)
    write_embeddings(pixels, lambda: extractor, out=out, progress=progress)


def restore_encoder(encoder: Path, image_size: int) -> NetworkExtractor:
    """Load what `learn_encoder` saved, for images of so many pixels.

    Raises:
        ModelError: not an encoder, or one for images of another size.
    """
    tensors, metadata = tensorfile.read(encoder)
    if metadata.get("format") != _FORMAT:
        raise ModelError(f"{encoder} is no encoder of a contrastive learner.")
    if int(metadata["image_size"]) != image_size:
        raise ModelError(
            f"The encoder has learned from images of {metadata['image_size']} px and the pool has "
            f"{image_size} px; learn the features again."
        )
    params = ContrastiveParams.model_validate_json(metadata["params"])
    name, network_params = _network(params)
    network = restore_network(
        name, network_params, classes=ROTATIONS, image_size=image_size, state=tensors
    )
    return NetworkExtractor(network, params.precision)


def nt_xent(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    """Normalised, temperature-scaled cross-entropy over pairs of views (SimCLR, equation 1).

    Row i of `first` and row i of `second` belong together; all 2M - 2 other rows, among them the
    rotations of the same image, are negatives of both.

    Args:
        first: (M, P) float32.
        second: (M, P) float32.
        temperature: divides the cosine similarities, > 0.

    Returns:
        The mean over the 2M rows, a scalar, >= 0.
    """
    count = len(first)
    unit = functional.normalize(torch.cat([first, second]), dim=1)
    similarity = unit @ unit.T / temperature  # (2M, 2M)
    similarity = similarity.masked_fill(
        torch.eye(2 * count, dtype=torch.bool, device=unit.device), -math.inf
    )
    partner = torch.arange(2 * count, device=unit.device).roll(count)
    return functional.cross_entropy(similarity, partner)


def _network(params: ContrastiveParams) -> tuple[str, TrainingParams]:
    """Return the catalog's name of the network and its parameters."""
    if params.network == "cnn_tiny":
        return "cnn_tiny", TinyParams(width=params.width)
    if params.network == "resnet18":
        return "torchvision", BackboneParams(architecture="resnet18", mode="scratch")
    return params.network, TrainingParams()


def _build(pixels: PixelStore, params: ContrastiveParams, seed: int) -> ContrastiveLearner:
    name, network_params = _network(params)
    network = build_network(name, network_params, classes=ROTATIONS, store=pixels, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ContrastiveLearner(network, params.projection)


def _shares(pixels: Pixels) -> Float32Array:
    """(B, 2) of width and height that images take up, of (B, S, S, 3) with bars around them.

    Of bars that differ by a pixel the wider one counts: views are to show nothing of them.
    """
    inner, side = unpadded(pixels), pixels.shape[1]
    bars = np.maximum(inner[:, :2], side - inner[:, 2:])
    shares: Float32Array = (np.maximum(side - 2 * bars, 1) / side).astype(np.float32)
    return shares


def _loss(
    learner: ContrastiveLearner, images: Tensor, shares: Tensor, params: ContrastiveParams
) -> Tensor:
    """Compare two views of each rotation of (B, 3, S, S) uint8 images, and name the rotations."""
    x = torch.cat([shifted_views(images, params, shares) for _ in range(2)])
    with autocast(params.precision, images.device, learner):
        rotation, projections = learner(x.contiguous(memory_format=torch.channels_last))
    first, second = projections.float().chunk(2)  # (K * B, P) each
    loss = nt_xent(first, second, params.temperature)
    if params.rotations:
        turns = torch.arange(ROTATIONS, device=images.device).repeat_interleave(len(images))
        loss = loss + functional.cross_entropy(rotation.float(), turns.repeat(2))
    return loss


def _require_finite(loss: Tensor, steps: int, params: ContrastiveParams) -> None:
    if not torch.isfinite(loss):
        raise ModelError(
            f"Learning diverged by step {steps}; lower learning_rate (now "
            f"{params.learning_rate:g}) or raise temperature (now {params.temperature:g})."
        )


def _lars(learner: nn.Module, params: ContrastiveParams) -> torch.optim.Optimizer:
    """LARS on weight matrices and kernels; biases and norms get plain SGD, as in SimCLR."""
    # Imported here because timm takes seconds, and a round that only embeds needs none of it.
    from timm.optim.lars import Lars

    kernels = [parameter for parameter in learner.parameters() if parameter.ndim > 1]
    vectors = [parameter for parameter in learner.parameters() if parameter.ndim <= 1]
    groups = [
        {"params": kernels, "weight_decay": params.weight_decay, "always_adapt": True},
        {"params": vectors, "weight_decay": 0.0},
    ]
    optimizer: torch.optim.Optimizer = Lars(
        groups, lr=params.learning_rate, momentum=params.momentum
    )
    return optimizer


def _schedule(step: int, steps: int, warmup: float) -> float:
    """Learning-rate factor: rises from a tenth in a line, then falls to zero as a cosine."""
    if step < warmup:
        return 0.1 + 0.9 * step / warmup
    return (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2


def _fingerprint(pixels: PixelStore, indices: Indices, params: ContrastiveParams, seed: int) -> str:
    """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
    facts = json.dumps([params.model_dump(), seed, pixels.size], sort_keys=True)
    return hashlib.sha256(facts.encode() + indices.tobytes()).hexdigest()


def _save(network: Network, path: Path, params: ContrastiveParams, image_size: int) -> None:
    metadata = tensorfile.describe(
        params.network, params.model_dump(), format=_FORMAT, image_size=image_size
    )
    tensorfile.write(path, network.state_dict(), metadata)
