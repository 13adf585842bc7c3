"""Find what is similar in a large pool, and compare all of its images with each other.

    python -m benchmarks.similar_images --images 1000000
    python -m benchmarks.similar_images --images 100000 --compare

Features are made up: of 200 kinds of things, with a spectrum that falls as that of a network's
does. What is measured is what the API and the worker call, in seconds by the clock and of the
processor: the latter say what a machine takes that does nothing else.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, Final

import numpy as np
import psutil
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from core.artifacts.nearness import complete_screen, similarities, unit_mean
from models.features.duplicates import nearest_rows

_BLOCK: Final = 20_000
_TOP: Final = (10, 100, 1000)


def make(path: Path, images: int, width: int, seed: int) -> None:
    """Write features: non-negative, around the centres of kinds of things."""
    generator = np.random.default_rng(seed)
    # Directions of a network's features matter the less, the more of them there are.
    scales = (np.arange(width, dtype=np.float32) + 4) ** -0.6
    turn, _ = np.linalg.qr(generator.standard_normal((width, width)))
    turn = (scales[:, None] * turn).astype(np.float32)
    kind = generator.integers(200, size=_BLOCK)
    of = generator.standard_normal((200, width), dtype=np.float32)[kind]
    noise = generator.standard_normal((_BLOCK, width), dtype=np.float32)
    base = np.maximum(0.15 + (of + 0.8 * noise) @ turn, 0)
    base = base[np.argsort(kind)]
    rows = open_memmap(path, mode="w+", dtype=np.float32, shape=(images, width))
    for start in range(0, images, _BLOCK):
        # Between an image and another of its kind: as many as are wanted cost little.
        count = min(_BLOCK, images - start)
        share = generator.random((count, 1), dtype=np.float32)
        other = np.roll(base, int(generator.integers(1, 40)), axis=0)[:count]
        rows[start : start + count] = share * base[:count] + (1 - share) * other
    rows.flush()


def queries(path: Path, count: int, seed: int) -> list[NDArray[np.float32]]:
    """Some images as they are compared."""
    rows: Any = np.load(path, mmap_mode="r")
    drawn = np.random.default_rng(seed + 1).choice(len(rows), count, replace=False)
    return [unit_mean([np.array(rows[one])]) for one in drawn]


def timed(
    path: Path, wanted: list[NDArray[np.float32]]
) -> tuple[list[tuple[float, float]], list[Any]]:
    """Milliseconds of each search with its order, by clock and processor, and what is found."""
    spent, found = [], []
    for one in wanted:
        started, worked = time.perf_counter(), time.process_time()
        values = similarities(path, one)
        order = np.argsort(-values, kind="stable")
        spent.append((time.perf_counter() - started, time.process_time() - worked))
        found.append(order[: max(_TOP)])
    return spent, found


def said(spent: list[tuple[float, float]]) -> dict[str, float]:
    """Median of some times in ms."""
    clock, processor = 1000 * np.median(spent, axis=0)
    return {"clock_ms": round(float(clock), 1), "processor_ms": round(float(processor), 1)}


def main() -> None:
    """Measure, and print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action="store_true", help="Compare all images, too.")
    parser.add_argument("--folder", type=Path, help="Where the features go; a few gigabytes.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        path = Path(name) / "made_up-0.npy"
        make(path, options.images, options.width, options.seed)
        wanted = queries(path, options.queries, options.seed)
        result: dict[str, Any] = {"images": options.images, "width": options.width}
        timed(path, wanted[:1])
        in_full, exact = timed(path, wanted)
        result["in_full"] = said(in_full)
        worked = time.process_time()
        complete_screen(path, least=1)
        result["screen_processor_seconds"] = round(time.process_time() - worked, 1)
        timed(path, wanted[:1])
        screened, found = timed(path, wanted)
        result["screened"] = said(screened)
        result["found"] = {
            top: round(
                float(
                    np.mean(
                        [
                            len(np.intersect1d(one[:top], other[:top])) / top
                            for one, other in zip(exact, found, strict=True)
                        ]
                    )
                ),
                4,
            )
            for top in _TOP
        }
        if options.compare:
            rows: Any = np.load(path, mmap_mode="r")
            started, worked = time.perf_counter(), time.process_time()
            nearest_rows(rows, options.width, out=Path(name) / "nearest")
            result["compare_seconds"] = round(time.perf_counter() - started, 1)
            result["compare_processor_seconds"] = round(time.process_time() - worked, 1)
        # Pages of the mapped file are among these: they stay as long as there is room.
        result["resident_mb"] = round(psutil.Process().memory_info().rss / 1e6)
        result["peak_resident_mb"] = round(getrusage(RUSAGE_SELF).ru_maxrss / 1e3)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
