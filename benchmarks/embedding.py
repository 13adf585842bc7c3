"""How fast a pool is embedded by a packaged network, beside plain loops around the same network.

``python -m benchmarks.embedding --sides 128,160,224 --images 512 --threads 2``

Images a second of ``embed_pool``, decoded pixels on disk to embeddings on disk, and of loops that
hold a batch in memory and do nothing but call timm's model under ``torch.inference_mode``: in
float32 and bfloat16, in both orders of memory, compiled, and by ONNX Runtime or OpenVINO where
they are installed. All take turns, and each figure is the median of its turns. Peak memory is that
of a process of its own.
"""

import argparse
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from models.features.embed import embed_pool
from models.media.images.store import PixelStore

NETWORK: Final = "efficientnet_lite0"
PRODUCT: Final = "karat"
BARE: Final = (
    "float32",
    "bfloat16",
    "float32 nchw",
    "compiled bfloat16",
    "onnxruntime",
    "openvino",
)
_BATCH: Final = 32

Loop = Callable[[NDArray[np.uint8]], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--sides", default="128,160,224", help="pixels of a side")
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--loops", default=",".join(BARE[:3]), help="among " + ", ".join(BARE))
    arguments = parser.parse_args()
    loops = arguments.loops.split(",")
    console = Console(width=140)
    table = Table(title=f"{NETWORK}, {arguments.threads} threads: images/s, and of the best loop")
    for title in ("side", PRODUCT, *loops, "karat / best", "peak MiB"):
        table.add_column(title, justify="right")
    for side in map(int, arguments.sides.split(",")):
        with _process() as process:
            speeds = process.submit(
                _speeds, side, arguments.images, arguments.turns, arguments.threads, loops
            ).result()
        with _process() as process:
            peak = process.submit(_peak, side, arguments.images, arguments.threads).result()
        table.add_row(
            str(side),
            *(f"{speeds[name]:.0f}" for name in (PRODUCT, *loops)),
            f"{speeds[PRODUCT] / max(speeds[name] for name in loops):.2f}",
            f"{peak:.0f}",
        )
    console.print(table)


def _process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def _speeds(side: int, images: int, turns: int, threads: int, loops: list[str]) -> dict[str, float]:
    """Images a second of the product and of each loop, which take turns."""
    torch.set_num_threads(threads)
    pixels = _pixels(side, images)
    made = dict(_loops(loops, side))
    for loop in made.values():
        _run(loop, pixels[: 2 * _BATCH])
    _product(pixels[: 2 * _BATCH])
    seconds: dict[str, list[float]] = {name: [] for name in (PRODUCT, *made)}
    for _ in range(turns):
        seconds[PRODUCT].append(_product(pixels))
        for name, loop in made.items():
            started = time.perf_counter()
            _run(loop, pixels)
            seconds[name].append(time.perf_counter() - started)
    return {name: images / statistics.median(found) for name, found in seconds.items()}


def _pixels(side: int, images: int) -> NDArray[np.uint8]:
    random = np.random.default_rng(0)
    return random.integers(0, 256, (images, side, side, 3), dtype=np.uint8)


def _product(pixels: NDArray[np.uint8]) -> float:
    """Embed a pool from disk to disk; return the seconds, without those of loading the weights."""
    with tempfile.TemporaryDirectory() as folder:
        path, side = Path(folder, "pixels.u8"), pixels.shape[1]
        with PixelStore.writer(path, side) as writer:
            writer.write(0, pixels)
        out = Path(folder, "rows.npy")
        # The first image brings the weights.
        store = PixelStore.open(path, side, len(pixels))
        embed_pool(store, NETWORK, {}, out=out, seed=0, rows=(0, 1))
        started = time.perf_counter()
        embed_pool(store, NETWORK, {}, out=out, seed=0)
        return time.perf_counter() - started


def _run(loop: Loop, pixels: NDArray[np.uint8]) -> None:
    for start in range(0, len(pixels), _BATCH):
        loop(pixels[start : start + _BATCH])


def _loops(names: list[str], side: int) -> Iterator[tuple[str, Loop]]:
    for name in names:
        if name in ("onnxruntime", "openvino"):
            yield name, _engine(name, side)
        else:
            yield name, _plain(name)


def _network() -> torch.nn.Module:
    import timm

    model: torch.nn.Module = timm.create_model("tf_efficientnet_lite0", num_classes=0)
    return model.eval()


def _tensor(pixels: NDArray[np.uint8]) -> torch.Tensor:
    return torch.from_numpy(pixels).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


def _plain(name: str) -> Loop:
    model: Any = _network()
    order = torch.contiguous_format if "nchw" in name else torch.channels_last
    model = model.to(memory_format=order)
    if "compiled" in name:
        model = torch.compile(model)

    def call(pixels: NDArray[np.uint8]) -> object:
        with (
            torch.inference_mode(),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled="bfloat16" in name),
        ):
            return model(_tensor(pixels).contiguous(memory_format=order)).float().numpy()

    return call


def _engine(name: str, side: int) -> Loop:
    """The network in another engine, by way of ONNX."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "network.onnx")
        torch.onnx.export(
            _network(), (torch.zeros(_BATCH, 3, side, side),), str(path), dynamo=False
        )
        if name == "onnxruntime":
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = torch.get_num_threads()
            session = onnxruntime.InferenceSession(str(path), options)
            (given,) = session.get_inputs()
            return lambda pixels: session.run(None, {given.name: _tensor(pixels).numpy()})
        import openvino

        threads = {"INFERENCE_NUM_THREADS": torch.get_num_threads()}
        compiled = openvino.Core().compile_model(str(path), "CPU", threads)
        return lambda pixels: compiled(_tensor(pixels).numpy())


def _peak(side: int, images: int, threads: int) -> float:
    """MiB that a process takes at most which does nothing but embed."""
    torch.set_num_threads(threads)
    _product(_pixels(side, images))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
