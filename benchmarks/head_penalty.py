"""What choosing the L2 penalty of the logistic head is worth, and how long it takes.

``python -m benchmarks.head_penalty --data DIR --json FILE``

Accuracy on what is not labeled, with a few to many labels drawn at random, of heads with the same
penalty for everything and of the head whose penalty is chosen (`models.heads.penalty`); on the
training images of CIFAR-10 in ``--data`` and on the handwritten digits of scikit-learn, both as
``patch_kmeans`` describes them.
"""

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from benchmarks.open_set.protocol import EMBEDDING_SEED, Images
from benchmarks.runs import Runs, spread
from models.features.embed import embed_pool
from models.heads.head import Scaling, fit_head
from models.heads.penalty import USUAL_PENALTY, choose_penalty
from models.media.images.store import PixelStore, fit_image
from models.protocols import Float32Array, Indices

MODEL: Final = "patch_kmeans"
CLASSES: Final = 10
LABELS: Final = (20, 40, 100, 400, 1000, 4000)
PENALTIES: Final = (0.001, 0.01, USUAL_PENALTY, 0.3, 1.0)
CHOSEN: Final = "chosen"
_DIGIT_SIDE: Final = 16
_TESTED: Final = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of CIFAR-10 as Parquet")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/head_penalty.json"))
    arguments = parser.parse_args()
    runs = Runs(arguments.json, {"model": MODEL}, ("features", "labels", "seed", "penalty"))
    pools = {"digits": digits(arguments.cache), "cifar10": cifar(arguments.data, arguments.cache)}
    for name, (embeddings, truth) in pools.items():
        for labels in (count for count in LABELS if 2 * count < len(truth)):
            for seed in range(arguments.seeds):
                measure(runs, name, embeddings, truth, labels, seed)
    console = Console(width=140)
    for name in pools:
        console.print(table(runs, name))


def digits(cache: Path) -> tuple[Float32Array, Indices]:
    """Return the embeddings of 1,797 digits, which their mirror images are not, and classes."""
    images, truth = load_digits(return_X_y=True)
    path = cache / "digits.npy"
    if not path.exists():
        grey = np.round(images.reshape(-1, 8, 8) * 255 / 16).astype(np.uint8)
        pixels = np.stack([fit_image(Image.fromarray(one), _DIGIT_SIDE) for one in grey])
        cache.mkdir(parents=True, exist_ok=True)
        with PixelStore.writer(cache / "digits.bin", _DIGIT_SIDE) as writer:
            writer.write(0, pixels)
        store = PixelStore.open(cache / "digits.bin", _DIGIT_SIDE, len(pixels))
        embed_pool(store, MODEL, {"flip": False}, out=path, seed=EMBEDDING_SEED)
    return np.load(path), truth.astype(np.int64)


def cifar(data: Path, cache: Path) -> tuple[Float32Array, Indices]:
    """Return the embeddings of the training images of CIFAR-10, and their classes."""
    images = Images.prepare(data, cache)
    embeddings: Float32Array = np.load(images.embed(MODEL, {}))
    return embeddings[: images.train], images.targets[: images.train]


def measure(
    runs: Runs, name: str, embeddings: Float32Array, truth: Indices, labels: int, seed: int
) -> None:
    """Fit heads to the same labels, one a penalty, unless they are in `runs`."""
    drawn = np.random.default_rng([seed, labels]).permutation(len(truth))
    known, rest = drawn[:labels], drawn[labels:][:_TESTED]
    scaling = Scaling.of_pool(embeddings)
    for penalty in (*PENALTIES, CHOSEN):
        run = {"features": name, "labels": labels, "seed": seed, "penalty": penalty}
        if run in runs:
            continue
        started = time.perf_counter()
        l2 = (
            choose_penalty(
                embeddings[known], truth[known], classes=CLASSES, scaling=scaling, seed=seed
            )
            if isinstance(penalty, str)
            else penalty
        )
        seconds = time.perf_counter() - started
        head = fit_head(embeddings[known], truth[known], classes=CLASSES, l2=l2, scaling=scaling)
        right = head.logits(embeddings[rest]).argmax(axis=1) == truth[rest]
        runs.add({**run, "l2": l2, "accuracy": float(right.mean()), "seconds": seconds})


def table(runs: Runs, name: str) -> Table:
    """Accuracy in % by labels and penalty, what was chosen, and the seconds that took."""
    shown = Table(title=name)
    for title in ("labels", *map(str, PENALTIES), CHOSEN, "l2 chosen", "seconds"):
        shown.add_column(title, justify="right")
    mine = [run for run in runs.all if run["features"] == name]
    for labels in sorted({run["labels"] for run in mine}):
        of = {
            penalty: [run for run in mine if (run["labels"], run["penalty"]) == (labels, penalty)]
            for penalty in (*PENALTIES, CHOSEN)
        }
        shown.add_row(
            str(labels),
            *(spread([100 * run["accuracy"] for run in found]) for found in of.values()),
            ", ".join(f"{value:.2g}" for value in sorted({run["l2"] for run in of[CHOSEN]})),
            spread([run["seconds"] for run in of[CHOSEN]], 2),
        )
    return shown


if __name__ == "__main__":
    main()
