"""What the first verdicts teach when their images are drawn, typical, or mostly typical.

``python -m benchmarks.warm_start --photos FILE --textures FILE --json FILE``

Of each pool 60 % can be asked about; accuracy and the AUROC of purity are measured on the others.
The queue is that of a new project, of 150 images: all drawn at random, three of four typical as
``first_queue`` has it, or all typical. Model and purity are those of a new project, trained on the
first 40 and the first 80 verdicts. Digits: those of scikit-learn, 0 to 5, the others OOD.
Photographs: four groups of animals among 1,000. Textures: six of ten kinds.
"""

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.auto_features import AUTO, Pool, pools
from benchmarks.runs import Runs, spread
from models.catalog.params.networks import compared_width
from models.evaluation.ood_detection import ood_detection
from models.media.images.store import PixelStore
from models.protocols import OOD, Indices, OpenSetLabels
from models.rounds.query import QuerySettings, score_pool
from models.selection.warm_start import typical_first
from models.target.train import train_target

QUEUES: Final = ("random", "three of four typical", "all typical")
QUEUE: Final = 150
ANSWERS: Final = (40, 80)
_SHARE_ASKED: Final = 0.6
_ONE_STAYS_OF: Final = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--photos", type=Path, help="Parquet: image, group")
    parser.add_argument("--textures", type=Path, help="Parquet: image64, label")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/warm_start.json"))
    arguments = parser.parse_args()
    arguments.cifar = None
    runs = Runs(arguments.json, {"queue": QUEUE}, ("pool", "queue", "answers", "seed"))
    names = []
    for name, pool in pools(arguments):
        names.append(name)
        for seed in range(arguments.seeds):
            drawn = np.random.default_rng(seed).permutation(len(pool.labels))
            asked, tested = np.split(drawn, [round(_SHARE_ASKED * len(drawn))])
            for queue in QUEUES:
                run = {"pool": name, "queue": queue, "seed": seed}
                if all({**run, "answers": one} in runs for one in ANSWERS):
                    continue
                order = _queue(pool, asked, queue, seed)
                for answers in ANSWERS:
                    found = _taught(pool, order[:answers], np.sort(tested), seed)
                    runs.add({**run, "answers": answers, **found})
    console = Console(width=140)
    for name in names:
        console.print(_table(runs, name))


def _queue(pool: Pool, drawn: Indices, queue: str, seed: int) -> Indices:
    """The images of a queue in order; `drawn` are those to choose from, at random."""
    staying = {"random": drawn, "all typical": drawn[:0]}.get(queue, drawn[:QUEUE:_ONE_STAYS_OF])
    if queue == "random":
        return drawn[:QUEUE]
    rows = pool.embeddings[:, : compared_width(AUTO, pool.embeddings.shape[1])]
    chosen = iter(typical_first(rows, drawn, staying, QUEUE - len(staying), seed=seed).tolist())
    stays = np.arange(QUEUE) % _ONE_STAYS_OF == 0 if len(staying) else np.zeros(QUEUE, bool)
    first = iter(staying.tolist())
    return np.array([next(first if one else chosen) for one in stays], dtype=np.int64)


def _taught(pool: Pool, answered: Indices, tested: Indices, seed: int) -> dict[str, Any]:
    """Accuracy, and AUROC of purity, on images that nobody was asked about."""
    assert pool.pixels is not None
    known = np.sort(answered)
    labels = pool.labels[known]
    store = PixelStore.open(pool.pixels, pool.side, len(pool.labels))
    model = train_target(
        store,
        known[labels != OOD],
        labels[labels != OOD],
        classes=pool.classes,
        name=AUTO,
        params={},
        seed=seed,
        ood_indices=known[labels == OOD],
        embeddings=pool.embeddings,
    )
    said = OpenSetLabels.of(labels, labels == OOD)
    scores = score_pool(model, tested, known, said, QuerySettings(), seed=seed).scores
    truth = pool.labels[tested]
    inside = truth != OOD
    right = scores.logits.argmax(axis=1) == truth
    return {
        "accuracy": float(right[inside].mean()),
        "auroc": ood_detection(scores.purity[inside], scores.purity[~inside]).auroc,
        "in_share": float((labels != OOD).mean()),
    }


def _table(runs: Runs, name: str) -> Table:
    """Accuracy in %, and AUROC of purity, after so many verdicts."""
    shown = Table(title=name)
    shown.add_column("first queue")
    for answers in ANSWERS:
        for title in ("accuracy, %", "against random", "AUROC of purity"):
            shown.add_column(f"{title}, {answers}", justify="right")
    mine = [run for run in runs.all if run["pool"] == name]
    for queue in QUEUES:
        cells = []
        for answers in ANSWERS:
            of = {
                one: {
                    run["seed"]: run
                    for run in mine
                    if run["queue"] == one and run["answers"] == answers
                }
                for one in (queue, "random")
            }
            here, there = of[queue], of["random"]
            more = [100 * (here[seed]["accuracy"] - there[seed]["accuracy"]) for seed in here]
            cells += [
                spread([100 * run["accuracy"] for run in here.values()]),
                f"{np.mean(more):+.1f} ± {np.std(more) / len(more) ** 0.5:.1f}",
                spread([run["auroc"] for run in here.values()], digits=3),
            ]
        shown.add_row(queue, *cells)
    return shown


if __name__ == "__main__":
    main()
