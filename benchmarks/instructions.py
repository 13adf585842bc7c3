"""Choosing instructions: clusters, what embeddings show, covers, and judges that err.

``python -m benchmarks.instructions --data FOLDER --part clusters,twins,orderings,judged``
``python -m benchmarks.instructions --part million``

``FOLDER`` holds Alpaca and HaluEval as ``benchmarks.instruction_rows`` says; what is not embedded
yet is embedded first. What was measured is kept in ``--json`` and not measured again. Seconds are
those that one thread computes.

``clusters``: clusters of at most ten rows beside k-means without a limit (Lloyd, five rounds from
rows that are drawn) and beside the same sizes by chance. ``twins``: how many rows of Alpaca are
nearer to a row than its twin with an answer that people called hallucinated. ``orderings``: how far
rows are from the nearest one kept. ``million``: rows that are made up. ``judged``: pairs of a row
and its twin, clean rows among the twins of others, and all clusters with a twin in them, ranked by
a stand-in judge that errs and is biased, through the requests, prompts and answers of the product.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
from models.protocols import Float32Array, Indices
from models.tasks.instructions import methods
from models.tasks.instructions.clusters import constrained_clusters, inertia

LARGEST: Final = 10
KEPT: Final = 9_000
_LLOYD: Final = 5
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


def clusters(features: str, pool: Pool) -> Iterator[Run]:
    """Clusters of a size beside clusters without, and by chance."""
    rows = pool.embeddings
    for wanted in (None, 10_000):
        began = time.process_time()
        labels = constrained_clusters(rows, largest=LARGEST, seed=0, clusters=wanted)
        seconds = time.process_time() - began
        count = int(labels.max()) + 1
        sizes = np.bincount(labels)
        by_chance = np.random.default_rng(0).permutation(labels)
        began = time.process_time()
        free = KMeans(count, init="random", n_init=1, max_iter=_LLOYD, random_state=0).fit(rows)
        yield {
            "case": f"{features}, {'k open' if wanted is None else f'k = {wanted:,}'}",
            "clusters": count,
            "largest": int(sizes.max()),
            "alone": int((sizes == 1).sum()),
            "s": seconds,
            "inertia": inertia(rows, labels) / len(rows),
            "without limit": inertia(rows, free.labels_) / len(rows),
            "its largest": int(np.bincount(free.labels_).max()),
            "its s": time.process_time() - began,
            "by chance": inertia(rows, by_chance) / len(rows),
        }


def twins(features: str, pool: Pool) -> Iterator[Run]:
    """The rank of the twin among all rows, by distance to the clean one."""
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
        "mean of the nearest 99 %": float(np.sort(ranks)[: -(len(ranks) // 100)].mean()),
        "rank 1, %": 100 * float((ranks == 1).mean()),
        "within 10, %": 100 * float((ranks <= LARGEST).mean()),
    }


WAYS: Final[dict[str, Callable[[Float32Array, int], Indices]]] = {
    "MaxCover": lambda rows, seed: methods.max_cover(rows, KEPT, seed),
    "a random row of each cluster": lambda rows, seed: methods.k_means_random(
        constrained_clusters(rows, largest=LARGEST, seed=seed, clusters=KEPT), seed
    ),
    "Random": lambda rows, seed: methods.random(len(rows), KEPT, seed),
    "MinCover": lambda rows, seed: methods.min_cover(rows, KEPT, seed),
}


def orderings(features: str, pool: Pool) -> Iterator[Run]:
    """How far rows are from the nearest that is kept, in the mean."""
    rows = pool.embeddings
    for name, way in WAYS.items():
        began = time.process_time()
        kept = [way(rows, seed) for seed in range(3)]
        seconds = (time.process_time() - began) / len(kept)
        far = [to_nearest(rows, one) for one in kept]
        yield {
            "case": f"{features}, {name}",
            "kept": KEPT,
            "mean distance": float(np.mean([one.mean() for one in far])),
            "±": float(np.std([one.mean() for one in far], ddof=1)),
            "largest": float(np.mean([one.max() for one in far])),
            "s": seconds,
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


def million(n: int) -> Iterator[Run]:
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
    with PeakMemory({"clustering": os.getpid()}) as memory:
        began = time.thread_time()
        labels = constrained_clusters(rows, largest=LARGEST, seed=0)
        seconds = time.thread_time() - began
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


def judged(features: str, pool: Pool) -> Iterator[Run]:
    """Pairs and clusters that a stand-in judge ranks."""
    del features
    yield from instruction_judging.pairs(pool.rows)
    yield from instruction_judging.fives(pool.rows)
    yield from instruction_judging.in_clusters(
        pool.rows, np.concatenate([pool.embeddings, pool.twins])
    )


PARTS: Final[dict[str, Callable[[str, Pool], Iterator[Run]]]] = {
    "clusters": clusters,
    "twins": twins,
    "orderings": orderings,
    "judged": judged,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with Alpaca and HaluEval")
    parser.add_argument("--part", default="clusters,twins,orderings,judged,million")
    parser.add_argument("--features", default="minilm,hashed_ngrams")
    parser.add_argument("--cache", type=Path, default=CACHE, help="embeddings that are kept")
    parser.add_argument("--json", type=Path, default=CACHE / "runs.json")
    parser.add_argument("--n", type=int, default=1_000_000, help="rows of the part million")
    arguments = parser.parse_args()
    runs = Runs(arguments.json, {}, ("part", "features"))
    # Judges do not look at features, and clusters are those of the default.
    once = {"judged": ["minilm"], "million": [f"{arguments.n:,}"]}
    with threadpool_limits(1):
        for part in arguments.part.split(","):
            shown: list[Run] = []
            for features in once.get(part, arguments.features.split(",")):
                case = {"part": part, "features": features}
                if case not in runs:
                    if part == "million":
                        found = list(million(arguments.n))
                    else:
                        pool = _pool(arguments.data, arguments.cache, features)
                        found = list(PARTS[part](features, pool))
                    runs.add({**case, "found": found})
                shown += next(one["found"] for one in runs.all if one.items() >= case.items())
            _print(part, shown)


def _pool(data: Path | None, cache: Path, features: str) -> Pool:
    if data is None:
        raise SystemExit("Say where the data are: --data FOLDER.")
    rows = read(data)
    kept = cache / features
    texts = [twin.text for twin in rows.twins]
    embeddings = embedded(features, rows.texts, kept / "alpaca")
    return Pool(rows, embeddings, embedded(features, texts, kept / "twins", rows.texts))


def _print(part: str, found: list[Run]) -> None:
    table = Table(title=part)
    columns = list(dict.fromkeys(name for run in found for name in run))
    for name in columns:
        table.add_column(name, justify="left" if name == "case" else "right")
    for run in found:
        table.add_row(*(_shown(run.get(name, "")) for name in columns))
    Console(width=160).print(table)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
