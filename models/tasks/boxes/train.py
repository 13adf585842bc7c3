"""The training loop of a detector, from top to bottom."""

import hashlib
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.catalog.params.detection import DetectorParams, ScratchParams
from models.device import best_device, computes_in_bfloat16
from models.frame import Frame
from models.media.images.training.replicas import ALONE, Replica
from models.media.images.training.resume import Batches, counted, restore, seeded, store
from models.media.images.training.train import require_finite
from models.protocols import Progress
from models.tasks.boxes.matching import visible
from models.tasks.boxes.network import Detector
from models.tasks.boxes.targets import BoxTargets

Examples = Callable[[NDArray[np.int64]], Tensor]
_WARM_SHARE = 0.1
_CLIPPED_AT = 5.0


def train(
    detector: Detector,
    examples: Examples,
    targets: BoxTargets,
    *,
    params: DetectorParams,
    frame: Frame,
    seed: int,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
    replica: Replica = ALONE,
) -> Detector:
    """Train for exactly `params.steps` iterations of AdamW; leaves the detector in evaluation mode.

    The same seed gives the same weights, on a CPU bit for bit, whether or not the run was
    interrupted and resumed from its checkpoint.

    Args:
        detector: on its device; trained in place.
        examples: from (b,) positions in 0..n-1 to what the detector takes, on the CPU.
        targets: n; those without boxes say that nothing is there.
        params: schedule and batches.
        frame: what the square that the detector sees shows of images.
        seed: decides batches and mirroring.
        checkpoint: where to keep resumable state; resumed from when it exists.
        progress: called every few steps; may raise `Cancelled`.
        replica: which of several processes this is; all are called with the same arguments, and
            only the first with `progress`.

    Raises:
        ModelError: the loss is no longer finite.
    """
    device = best_device()
    detector.to(device).train()
    optimizer = torch.optim.AdamW(
        detector.parameters(), lr=params.learning_rate, weight_decay=params.weight_decay
    )
    objective = replica.wrapped(_Objective(detector, replica))
    batches = Batches(len(targets), params.batch_size, seed)
    truths = [_truth(targets, row, frame, detector.maps.side) for row in range(len(targets))]
    run = _fingerprint(params, targets, seed)
    mirrors = isinstance(params, ScratchParams) and params.flip
    # No network is named: on CPUs *auto* trains in float32. Threads that share the gradient of a
    # convolution in bfloat16 spin while they wait: 4 s a step for 0.15 s on two busy cores.
    half = computes_in_bfloat16(params.precision, device)

    def save(step: int) -> None:
        if checkpoint is not None and replica.rank == 0:
            store(checkpoint, detector, optimizer, step, run)

    with seeded(seed, device):
        start = restore(checkpoint, detector, optimizer, run)
        for step in counted(start, params.steps, save=save, progress=progress):
            for group in optimizer.param_groups:
                group["lr"] = params.learning_rate * _rate(step, params.steps)
            rows = replica.share(batches.rows(step)).numpy()
            batch = examples(rows).to(device)
            wanted = [{name: one.to(device) for name, one in truths[row].items()} for row in rows]
            if mirrors and torch.rand(()) < 0.5:
                batch, wanted = _mirrored(batch, wanted, detector.maps.side)
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
                loss = objective(batch, wanted)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(detector.parameters(), _CLIPPED_AT)
            optimizer.step()
            require_finite(loss.detach(), step, params.steps, params.learning_rate)
    detector.eval()
    return detector


class _Objective(nn.Module):
    """What is minimised: the loss of a detector on one batch."""

    def __init__(self, detector: Detector, replica: Replica) -> None:
        super().__init__()
        self.detector, self.replica = detector, replica

    def forward(self, batch: Tensor, wanted: list[dict[str, Tensor]]) -> Tensor:
        """Map examples, of which this process has its share, to the loss."""
        loss = self.detector.loss(batch, wanted)
        # Divided by the places of boxes in the whole batch, not by those in the share.
        return loss * self.replica.weight(max(1, self.detector.places))


def _truth(targets: BoxTargets, row: int, frame: Frame, side: int) -> dict[str, Tensor]:
    """What is to be found in an example, in pixels of what the detector sees; crowds are not."""
    shares, classes, crowd = visible(targets, row, frame)
    corners = (shares * side).astype(np.float32)
    return {
        "boxes": torch.from_numpy(corners[~crowd]),
        "labels": torch.from_numpy(classes[~crowd]),
        "crowds": torch.from_numpy(corners[crowd]),
        "crowd_labels": torch.from_numpy(classes[crowd]),
    }


def _mirrored(
    batch: Tensor, wanted: list[dict[str, Tensor]], side: int
) -> tuple[Tensor, list[dict[str, Tensor]]]:
    def turned(corners: Tensor) -> Tensor:
        left, top, right, bottom = corners.unbind(1)
        return torch.stack([side - right, top, side - left, bottom], dim=1)

    mirrored = [
        {**one, "boxes": turned(one["boxes"]), "crowds": turned(one["crowds"])} for one in wanted
    ]
    return batch.flip(-1), mirrored


def _rate(step: int, steps: int) -> float:
    """Factor of the learning rate: up in a straight line, down along a cosine."""
    warm = max(1, round(_WARM_SHARE * steps))
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def _fingerprint(params: DetectorParams, targets: BoxTargets, seed: int) -> str:
    """Identify a run, so that a checkpoint of another one is not resumed by mistake."""
    facts = [params.model_dump_json().encode(), str(seed).encode()]
    facts += [array.tobytes() for array in targets.arrays().values()]
    return hashlib.sha256(b"".join(facts)).hexdigest()
