"""Training one network in several processes of this machine, which meet by a file.

When one fails, all are ended. Arguments and results go through files of tensors and arrays: nothing
is pickled. Each process reads standard input, a pipe of the caller's, and ends with it, so that a
caller that is killed leaves no process.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from models.catalog import parse
from models.catalog.params.networks import TrainingParams
from models.device import best_device, place
from models.errors import ModelError
from models.files import tensorfile
from models.files.atomic import write_atomically
from models.media.images.networks.build import restore_network
from models.media.images.networks.nets import Network
from models.media.images.training.batches import Images
from models.media.images.training.replicas import Replica, joined
from models.media.images.training.train import train
from models.protocols import Indices, Progress

_LOOK_SECONDS: Final = 0.1
_END_SECONDS: Final = 20.0
_SHOWN_BYTES: Final = 8000
_KEPT_AT_ONCE: Final = 256


def train_together(
    network: Network,
    pixels: Images,
    labels: Indices,
    *,
    name: str,
    params: Mapping[str, Any],
    seed: int,
    processes: int,
    ood_pixels: Images | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Network:
    """Do what `models.media.images.training.train.train` does, in `processes` processes.

    Each has a GPU of its own, or they share the CPU. Weights differ from those of one process by
    rounding: sums are taken in another order.

    Args:
        network: as `name` builds it, with its pixel statistics set; gets the trained weights.
        pixels: n images of one size, n >= 1.
        labels: (n,) int64 in 0..C-1, and C for OOD when the network has an output for it.
        name: a model of the catalog.
        params: its parameters.
        seed: decides batches, augmentation and dropout.
        processes: at least 2.
        ood_pixels: m images of that size for TAUFE and OAT.
        checkpoint: as of `train`; what was cancelled goes on from its last one.
            What the processes read, pixels among it, lies beside it meanwhile, or else among the
            system's temporary files.
        progress: called every few steps; may raise `Cancelled`.

    Raises:
        ModelError: the loss is no longer finite, a batch cannot be shared evenly, or there are too
            few GPUs.
    """
    settings = parse("model", name, params)
    assert isinstance(settings, TrainingParams)
    # Pairs of a loss over pairs stay together.
    require_shares(settings.batch_size, processes, among=2)
    beside = None if checkpoint is None else checkpoint.parent
    with tempfile.TemporaryDirectory(prefix="karat-training-", dir=beside) as made:
        folder = Path(made)
        facts = {
            "classes": network.classes,
            "image_size": pixels[np.arange(0)].shape[1],
            "seed": seed,
        }
        where = {} if checkpoint is None else {"checkpoint": checkpoint.absolute()}
        described = tensorfile.describe(name, params, **facts, **where)
        tensorfile.write(folder / "start.safetensors", network.state_dict(), described)
        _keep(folder / "pixels.npy", pixels)
        np.save(folder / "labels.npy", labels)
        if ood_pixels is not None:
            _keep(folder / "ood_pixels.npy", ood_pixels)
        launch(__name__, folder, processes, progress)
        network.load_state_dict(tensorfile.read(folder / "trained.safetensors")[0])
    return place(network).eval()


def require_shares(batch_size: int, processes: int, *, among: int = 1) -> None:
    """Refuse batches that cannot be shared, and more processes than there are GPUs.

    Args:
        batch_size: of all processes together.
        processes: at least 2.
        among: how many examples have to stay together.

    Raises:
        ModelError: says what to change.
    """
    if batch_size % (among * processes):
        raise ModelError(
            f"A batch of {batch_size} cannot be shared by {processes} processes: make "
            f"batch_size a multiple of {among * processes}, or change KARAT_TRAINING_PROCESSES."
        )
    if best_device().type == "cuda" and torch.cuda.device_count() < processes:
        raise ModelError(
            f"{processes} processes are to train and this worker sees {torch.cuda.device_count()} "
            "GPU(s): give it more, or lower KARAT_TRAINING_PROCESSES."
        )


def launch(module: str, folder: Path, processes: int, progress: Progress | None) -> None:
    """Run a module, which ends in `be_one_of_them`, in several processes, and wait for them.

    Args:
        module: its full name.
        folder: with what the processes read and write.
        processes: how many.
        progress: called with what the first of them reports; may raise `Cancelled`.

    Raises:
        ModelError: what one of them raised.
    """
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(max(1, torch.get_num_threads() // processes)),
    }
    started: list[subprocess.Popen[bytes]] = []
    # They meet on a disk of this machine, since that takes locks.
    with (
        (folder / "log").open("wb") as log,
        tempfile.TemporaryDirectory(prefix="karat-meeting-") as meeting,
    ):
        try:
            for rank in range(processes):
                command = [
                    *(sys.executable, "-m", module),
                    *(str(folder), f"{meeting}/store", str(rank), str(processes)),
                ]
                started.append(
                    subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment
                    )
                )
            while None in (statuses := [one.poll() for one in started]) and not any(statuses):
                if progress is not None and (at := _read(folder / "progress.json")):
                    progress(*at)
                time.sleep(_LOOK_SECONDS)
        finally:
            _end(started)
    if failed := next(filter(None, statuses), None):
        if failure := _read(folder / "error.json"):
            raise ModelError(failure)
        said = (folder / "log").read_bytes()[-_SHOWN_BYTES:].decode(errors="replace")
        raise RuntimeError(f"A training process ended with {failed}: {said}")
    if progress is not None and (at := _read(folder / "progress.json")):
        progress(*at)


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End those that still run."""
    for one in processes:
        assert one.stdin is not None
        one.stdin.close()
        one.terminate()
    for one in processes:
        try:
            one.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            one.kill()
            one.wait()


def _keep(path: Path, images: Images) -> None:
    kept = np.lib.format.open_memmap(
        path, "w+", np.uint8, (len(images), *images[np.arange(0)].shape[1:])
    )
    for start in range(0, len(images), _KEPT_AT_ONCE):
        stop = min(start + _KEPT_AT_ONCE, len(images))
        kept[start:stop] = images[np.arange(start, stop)]
    kept.flush()


def _read(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else None


def _write(path: Path, value: Any) -> None:
    text = json.dumps(value)
    write_atomically(path, lambda partial: partial.write_text(text))


def be_one_of_them(work: Callable[[Path, Replica, Progress | None], None]) -> None:
    """Be the one of the processes that the command line names: do the work in its folder, and end.

    Args:
        work: gets the folder, which process it is, and of the first of them where to report.
    """
    folder, meeting, rank, count = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
    threading.Thread(target=_end_with_caller, daemon=True).start()
    with joined(meeting, rank, count) as replica:
        report = (lambda *at: _write(folder / "progress.json", at)) if rank == 0 else None
        try:
            work(folder, replica, report)
        except ModelError as error:
            # All raise the same, and the first that ends is the end of the others.
            _write(folder / "error.json", str(error))
            raise
    # Everything that anybody reads is written. Threads of PyTorch may still end, and abort the
    # process now and then where Python takes itself apart beneath them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _work(folder: Path, replica: Replica, progress: Progress | None) -> None:
    state, facts = tensorfile.read(folder / "start.safetensors")
    settings = parse("model", facts["name"], json.loads(facts["params"]))
    assert isinstance(settings, TrainingParams)
    network = restore_network(
        facts["name"],
        settings,
        classes=int(facts["classes"]),
        image_size=int(facts["image_size"]),
        state=state,
    )
    outside = folder / "ood_pixels.npy"
    train(
        network,
        np.load(folder / "pixels.npy", mmap_mode="r"),
        np.load(folder / "labels.npy"),
        params=settings,
        seed=int(facts["seed"]),
        ood_pixels=np.load(outside, mmap_mode="r") if outside.exists() else None,
        checkpoint=Path(facts["checkpoint"]) if "checkpoint" in facts else None,
        progress=progress,
        replica=replica,
    )
    if replica.rank == 0:
        tensorfile.write(folder / "trained.safetensors", network.state_dict(), {})


def _end_with_caller() -> None:
    # Not by way of `sys.stdin`, which Python wants to close while this waits.
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    be_one_of_them(_work)
