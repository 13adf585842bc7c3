"""Training one detector in several processes (`models.media.images.training.parallel`)."""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.catalog import parse
from models.catalog.params.detection import DetectorParams
from models.device import place
from models.files import tensorfile
from models.frame import Frame
from models.media.images.training.parallel import be_one_of_them, launch, require_shares
from models.media.images.training.replicas import Replica
from models.protocols import Progress
from models.tasks.boxes.model import blank
from models.tasks.boxes.network import Detector
from models.tasks.boxes.targets import BoxTargets
from models.tasks.boxes.train import train

_BLOCK: Final = 256


def train_together(
    detector: Detector,
    examples: Callable[[NDArray[np.int64]], Tensor],
    targets: BoxTargets,
    *,
    name: str,
    params: Mapping[str, Any],
    frame: Frame,
    seed: int,
    processes: int,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Detector:
    """Do what `models.tasks.boxes.train.train` does, in `processes` processes.

    Each has a GPU of its own, or they share the CPU. Weights differ from those of one process by
    rounding: sums are taken in another order.

    Args:
        detector: as `name` builds it; gets the trained weights.
        examples: as of `train`. What it gives for all n lies beside the checkpoint meanwhile, or
            else among the system's temporary files.
        targets: n.
        name: a detector of the catalog.
        params: its parameters.
        frame: what the squares of the pool's images show of them.
        seed: decides batches and mirroring.
        processes: at least 2.
        checkpoint: as of `train`; what was cancelled goes on from its last one.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: the loss is no longer finite, a batch cannot be shared evenly, or there are too
            few GPUs.
    """
    require_shares(_settings(name, params).batch_size, processes)
    beside = None if checkpoint is None else checkpoint.parent
    with tempfile.TemporaryDirectory(prefix="karat-training-", dir=beside) as made:
        folder = Path(made)
        facts = {"classes": detector.classes, "seed": seed, **asdict(frame)}
        where = {} if checkpoint is None else {"checkpoint": checkpoint.absolute()}
        described = tensorfile.describe(name, params, **facts, **where)
        tensorfile.write(folder / "start.safetensors", detector.state_dict(), described)
        _keep(folder / "examples.npy", examples, len(targets))
        tensorfile.write(folder / "targets.safetensors", _tensors(targets), {})
        launch(__name__, folder, processes, progress)
        detector.load_state_dict(tensorfile.read(folder / "trained.safetensors")[0])
    trained: Detector = place(detector).eval()
    return trained


def _tensors(targets: BoxTargets) -> dict[str, Tensor]:
    return {name: torch.from_numpy(array) for name, array in targets.arrays().items()}


def _settings(name: str, params: Mapping[str, Any]) -> DetectorParams:
    settings = parse("model", name, params)
    assert isinstance(settings, DetectorParams)
    return settings


def _keep(path: Path, examples: Callable[[NDArray[np.int64]], Tensor], count: int) -> None:
    """Write what a detector takes of all examples; there may be more of it than memory."""
    like = examples(np.arange(1)).numpy()
    out = np.lib.format.open_memmap(
        path, mode="w+", dtype=like.dtype, shape=(count, *like.shape[1:])
    )
    for start in range(0, count, _BLOCK):
        rows = np.arange(start, min(count, start + _BLOCK))
        out[rows] = examples(rows).numpy()
    out.flush()


def _work(folder: Path, replica: Replica, progress: Progress | None) -> None:
    state, facts = tensorfile.read(folder / "start.safetensors")
    name = facts["name"]
    settings = _settings(name, json.loads(facts["params"]))
    frame = Frame(int(facts["side"]), "pad" if facts["fit"] == "pad" else "crop")
    detector = blank(
        name,
        settings,
        classes=int(facts["classes"]),
        image_size=frame.side,
        seed=0,
    )
    detector.load_state_dict(state)
    kept = np.load(folder / "examples.npy", mmap_mode="r")
    arrays, _ = tensorfile.read(folder / "targets.safetensors")
    targets = BoxTargets(**{name: one.numpy() for name, one in arrays.items()})
    train(
        detector,
        lambda rows: torch.from_numpy(kept[rows]),
        targets,
        params=settings,
        frame=frame,
        seed=int(facts["seed"]),
        checkpoint=Path(facts["checkpoint"]) if "checkpoint" in facts else None,
        progress=progress,
        replica=replica,
    )
    if replica.rank == 0:
        tensorfile.write(folder / "trained.safetensors", detector.state_dict(), {})


if __name__ == "__main__":
    be_one_of_them(_work)
