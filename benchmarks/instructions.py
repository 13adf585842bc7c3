"""Choosing instructions: clusters, what embeddings show, covers, and judges that err and are biased.

``python -m benchmarks.instructions --data FOLDER --part clusters,twins,orderings,judged``
``python -m benchmarks.instructions --part million``

``FOLDER`` holds Alpaca and HaluEval as ``benchmarks.instruction_rows`` says, which embeds them first
where that was not done. What was measured is kept in ``--json`` and not measured again.

``clusters``: clusters of at most ten rows beside k-means without a limit (Lloyd, ten rounds from
rows that are drawn) and beside the same sizes by chance. ``twins``: how many rows of Alpaca are
nearer to a row than its twin with an answer that people called hallucinated. ``orderings``: how far
rows are from the nearest one kept. ``million``: rows that are made up. ``judged``: pairs of a row
and its twin, and all clusters with a twin in them, ranked by a stand-in judge that errs and is
biased, through the requests, prompts and answers of the product.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks import instruction_judging
from benchmarks.instruction_rows import CACHE, Rows, embedded, read
from benchmarks.memory import PeakMemory
from benchmarks.runs import Run, Runs
from models.instructions import methods
from models.instructions.clusters import constrained_clusters, inertia
from models.protocols import Float32Array, Indices

FEATURES: Final = ("minilm", "hashed_ngrams")
LARGEST: Final = 10
KEPT: Final = 9_000
_LLOYD: Final = 10
_BLOCK: Final = 2_048
_GIB: Final = 1024


@dataclass(frozen=True)
class Pool:
    """Rows with the embeddings of one model: (N, D), and those of twins, (T, D)."""

    rows: Rows
    embeddings: Float32Array
    twins: Float32Array

    @property
    def clean(self) -> Indices:
        """(T,) places of the rows that have a twin."""
        return np.array([twin.clean for twin in self.rows.twins])


def clusters(pools: Callable[[str], Pool]) -> Iterator[Run]:
    """Clusters of a size beside clusters without, and by chance."""
    for features in FEATURES:
        rows = pools(features).embeddings
        for wanted in (None, 10_000):
            began = time.perf_counter()
            labels = constrained_clusters(rows, largest=LARGEST, seed=0, clusters=wanted)
            seconds = time.perf_counter() - began
            count = int(labels.max()) + 1
            by_chance = np.random.default_rng(0).permutation(labels)
            began = time.perf_counter()
            free = KMeans(count, init="random", n_init=1, max_iter=_LLOYD, random_state=0).fit(rows)
            yield {
                "case": f"{features}, {'k open' if wanted is None else f'k = {wanted:,}'}",
                "clusters": count,
                "largest": int(np.bincount(labels).max()),
                "alone": int((np.bincount(labels) == 1).sum()),
                "s": seconds,
                "inertia": inertia(rows, labels) / len(rows),
                "without limit": float(inertia(rows, free.labels_)) / len(rows),
                "its largest": int(np.bincount(free.labels_).max()),
                "its s": time.perf_counter() - began,
                "by chance": inertia(rows, by_chance) / len(rows),
            }


def twins(pools: Callable[[str], Pool]) -> Iterator[Run]:
    """The rank of the twin among all rows, by distance to the clean one."""
    for features in FEATURES:
        pool = pools(features)
        own = np.vecdot(pool.embeddings[pool.clean], pool.twins)
        ranks = np.empty(len(own))
        for start in range(0, len(own), _BLOCK):
            here = slice(start, start + _BLOCK)
            clean = pool.clean[here]
            near = pool.embeddings[clean] @ pool.embeddings.T
            near[np.arange(len(clean)), clean] = -np.inf
            ranks[here] = 1 + (near > own[here, None]).sum(axis=1)
        yield {
            "case": features,
            "twins": len(ranks),
            "median": float(np.median(ranks)),
            "mean": float(ranks.mean()),
            "rank 1, %": 100 * float((ranks == 1).mean()),
            "within 10, %": 100 * float((ranks <= LARGEST).mean()),
        }


def orderings(pools: Callable[[str], Pool]) -> Iterator[Run]:
    """How far rows are from the nearest that is kept, in the mean."""
    for features in FEATURES:
        rows = pools(features).embeddings
        ways: dict[str, Callable[[int], Indices]] = {
            "MaxCover": lambda seed: methods.max_cover(rows, KEPT, seed),
            "a random row of each cluster": lambda seed: methods.k_means_random(
                constrained_clusters(rows, largest=LARGEST, seed=seed, clusters=KEPT), seed
            ),
            "Random": lambda seed: methods.random(len(rows), KEPT, seed),
            "MinCover": lambda seed: methods.min_cover(rows, KEPT, seed),
        }
        for name, way in ways.items():
            found = []
            began = time.perf_counter()
            for seed in range(3):
                found.append(to_nearest(rows, way(seed)))
            yield {
                "case": f"{features}, {name}",
                "kept": KEPT,
                "mean distance": float(np.mean([far.mean() for far in found])),
                "±": float(np.std([far.mean() for far in found], ddof=1)),
                "largest": float(np.mean([far.max() for far in found])),
                "s": (time.perf_counter() - began) / len(found),
            }


def to_nearest(rows: Float32Array, kept: Indices) -> NDArray[np.float32]:
    """(N,) distances of unit rows to the nearest one kept."""
    chosen = rows[kept].T
    near = np.concatenate(
        [
            (rows[start : start + _BLOCK] @ chosen).max(axis=1)
            for start in range(0, len(rows), _BLOCK)
        ]
    )
    far: NDArray[np.float32] = np.sqrt(np.maximum(2 - 2 * near, 0))
    return far


def million(n: int, pid: int) -> Iterator[Run]:
    """Clusters of a million rows of 384 numbers, in topics of twenty."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(n // 20, 384)).astype(np.float32)
    rows = np.empty((n, 384), dtype=np.float32)
    for start in range(0, n, 100_000):
        part = rows[start : start + 100_000]
        part[:] = centers[rng.integers(len(centers), size=len(part))]
        part += 0.7 * rng.normal(size=part.shape).astype(np.float32)
        part /= np.sqrt(np.vecdot(part, part))[:, None]
    del centers
    with PeakMemory({"clustering": pid}) as memory:
        began = time.perf_counter()
        labels = constrained_clusters(rows, largest=LARGEST, seed=0)
        seconds = time.perf_counter() - began
    yield {
        "case": f"{n:,} rows",
        "clusters": int(labels.max()) + 1,
        "largest": int(np.bincount(labels).max()),
        "s": seconds,
        "GiB": memory.anonymous / _GIB,
        "of them rows": rows.nbytes / 2**30,
        "inertia": inertia(rows, labels) / n,
        "by chance": inertia(rows, rng.permutation(labels)) / n,
    }


def judged(pools: Callable[[str], Pool]) -> Iterator[Run]:
    """Pairs and clusters that a stand-in judge ranks."""
    pool = pools("minilm")
    yield from instruction_judging.pairs(pool.rows)
    yield from instruction_judging.in_clusters(
        pool.rows, np.concatenate([pool.embeddings, pool.twins])
    )


PARTS: Final[dict[str, Callable[[Callable[[str], Pool]], Iterator[Run]]]] = {
    "clusters": clusters,
    "twins": twins,
    "orderings": orderings,
    "judged": judged,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with Alpaca and HaluEval")
    parser.add_argument("--part", default="clusters,twins,orderings,judged,million")
    parser.add_argument("--cache", type=Path, default=CACHE, help="embeddings that are kept")
    parser.add_argument("--json", type=Path, default=CACHE / "runs.json")
    parser.add_argument("--n", type=int, default=1_000_000, help="rows of the part million")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    runs = Runs(arguments.json, {}, ("part",))

    def pools(features: str) -> Pool:
        if arguments.data is None:
            raise SystemExit("Say where the data are: --data FOLDER.")
        rows = read(arguments.data)
        kept = arguments.cache / features
        texts = [twin.text for twin in rows.twins]
        # One model for both: features that are learned are those of the pool.
        pool = embedded(features, rows.texts, kept / "alpaca")
        return Pool(rows, pool, embedded(features, texts, kept / "twins", rows.texts))

    with threadpool_limits(arguments.threads):
        for part in arguments.part.split(","):
            if {"part": part} not in runs:
                if part == "million":
                    found = list(million(arguments.n, _pid()))
                else:
                    found = list(PARTS[part](pools))
                runs.add({"part": part, "found": found})
            _print(part, next(run for run in runs.all if run["part"] == part)["found"])


def _pid() -> int:
    import os

    return os.getpid()


def _print(part: str, found: list[dict[str, Any]]) -> None:
    table = Table(title=part)
    for name in found[0]:
        table.add_column(name, justify="left" if name == "case" else "right")
    for run in found:
        table.add_row(*(_shown(value) for value in run.values()))
    Console(width=160).print(table)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
