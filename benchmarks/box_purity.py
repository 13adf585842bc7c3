"""Which purity tells photographs that hold a wanted thing: by detections, or by the whole image.

``python -m benchmarks.box_purity --data tinyimagenet_train100.parquet --json runs.json``

``--data`` is a Parquet file with columns `image` (encoded), `label`, `xmin`, `ymin`, `xmax` and
`ymax` (pixels, inclusive): photographs with one box each. Those of the wanted labels hold
something, the others are OOD. So many are drawn at random and answered, with their boxes; a
detector learns from them, and both purities are judged on what nobody was asked about: AUROC, and
how pure the hundred are that they put first.
"""

import argparse
import io
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from PIL import Image
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

from benchmarks.open_set_detection import SIDE, Pool
from benchmarks.runs import Runs, spread
from models.errors import NotReady
from models.features.embed import embed_pool
from models.media.images.store import PixelStore
from models.protocols import Indices, OpenSetLabels, TargetModel
from models.rounds.query import QuerySettings, score_pool
from models.tasks.base import Training
from models.tasks.boxes.learner import LEARNER
from models.tasks.boxes.targets import BoxTargets

PURITIES: Final = ("objects", "probe")
WANTED: Final[dict[str, tuple[int, ...]]] = {
    "five kinds": (0, 30, 60, 90, 120),
    "ten kinds": (0, 10, 20, 30, 40, 50, 60, 90, 120, 150),
}
"""Labels that are wanted."""
_FIRST: Final = 100
_NOTHING: Final = np.empty(0, dtype=np.int64)


def main() -> None:
    """Run what is missing and show the means."""
    options = _options()
    config = {name: getattr(options, name) for name in ("size", "share", "steps")}
    runs = Runs(options.json, config, ("wanted", "seed", "answers", "purity"))
    console = Console()
    for seed in range(options.seeds):
        for wanted in options.wanted:
            cases = [(answers, purity) for answers in options.answers for purity in PURITIES]
            if all(_case(wanted, seed, *one) in runs for one in cases):
                continue
            with tempfile.TemporaryDirectory() as made:
                pool = photographs(options, WANTED[wanted], seed, Path(made))
                order = np.random.default_rng(seed).permutation(pool.count)
                for answers in options.answers:
                    started = time.perf_counter()
                    labeled = np.sort(order[:answers])
                    model = trained(pool, labeled, len(WANTED[wanted]), options.steps, seed)
                    for purity in PURITIES:
                        case = _case(wanted, seed, answers, purity)
                        if case not in runs:
                            runs.add(case | judged(pool, model, labeled, purity, seed))
                            console.print(runs.all[-1])
                    console.print(f"{time.perf_counter() - started:.0f} s")
    console.print(_table(runs.all))


def _case(wanted: str, seed: int, answers: int, purity: str) -> dict[str, Any]:
    return {"wanted": wanted, "seed": seed, "answers": answers, "purity": purity}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--size", type=int, default=800, help="photographs in the pool")
    parser.add_argument("--share", type=float, default=0.6, help="of them without a wanted thing")
    parser.add_argument("--answers", type=_numbers, default=[60, 120, 240])
    parser.add_argument("--wanted", choices=WANTED, nargs="+", default=list(WANTED))
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", type=int, default=3)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def photographs(
    options: argparse.Namespace, wanted: Sequence[int], seed: int, folder: Path
) -> Pool:
    """Draw a pool of photographs, and make their maps."""
    rng = np.random.default_rng(seed)
    rows = pq.read_table(options.data).to_pylist()
    whole = [one for one in rows if one["xmax"] > one["xmin"] and one["ymax"] > one["ymin"]]
    inside = [one for one in whole if one["label"] in wanted]
    others = [one for one in whole if one["label"] not in wanted]
    ood = round(options.share * options.size)
    drawn = [inside[at] for at in rng.permutation(len(inside))[: options.size - ood]]
    drawn += [others[at] for at in rng.permutation(len(others))[: options.size - len(drawn)]]
    labels: list[dict[str, Any] | None] = []
    path = folder / "pixels.u8"
    with PixelStore.writer(path, SIDE) as writer:
        for row, one in enumerate(drawn):
            image = Image.open(io.BytesIO(_bytes(one["image"]))).convert("RGB")
            across, down = SIDE / image.width, SIDE / image.height
            box = {
                "class_id": one["label"],
                "x": one["xmin"] * across,
                "y": one["ymin"] * down,
                "w": (one["xmax"] + 1 - one["xmin"]) * across,
                "h": (one["ymax"] + 1 - one["ymin"]) * down,
            }
            labels.append({"boxes": [box]} if one["label"] in wanted else None)
            pixels = image.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
            writer.write(row, np.asarray(pixels)[None])
    store = PixelStore.open(path, SIDE, len(drawn))
    maps = folder / "maps.npy"
    embed_pool(store, "fcos", {}, out=maps, seed=0)
    sizes = np.full((len(drawn), 2), SIDE, dtype=np.int64)
    targets = BoxTargets.of(labels, list(wanted), sizes)
    return Pool(store, np.load(maps, mmap_mode="r"), targets, len(drawn))


def _bytes(cell: Any) -> bytes:
    content: bytes = cell["bytes"] if isinstance(cell, dict) else cell
    return content


def trained(pool: Pool, labeled: Indices, classes: int, steps: int, seed: int) -> TargetModel:
    """Train a detector on what was answered."""
    is_none = pool.targets.counts[labeled] == 0
    inside = labeled[~is_none]
    return LEARNER.train(
        Training(
            pool.store, inside, pool.targets.take(inside), classes=classes,
            name="fcos", params={"steps": steps}, seed=seed,
            ood_indices=labeled[is_none], auxiliary_indices=_NOTHING, embeddings=pool.rows,
        )
    )  # fmt: skip


def judged(
    pool: Pool, model: TargetModel, labeled: Indices, purity: str, seed: int
) -> dict[str, Any]:
    """How well a purity tells what nobody was asked about."""
    holds = pool.targets.counts > 0
    unlabeled = np.setdiff1d(np.arange(pool.count), labeled)
    labels = OpenSetLabels.of(pool.targets.outputs().classes, ~holds)[labeled]
    settings = QuerySettings(strategy="random", purity=purity, informativeness="box_entropy")
    try:
        scored = score_pool(model, unlabeled, labeled, labels, settings, seed=seed)
    except NotReady as error:
        return {"auroc": None, "first": None, "why": str(error)}
    score = scored.scores.purity
    first = np.argsort(-score, kind="stable")[:_FIRST]
    return {
        "auroc": round(float(roc_auc_score(holds[unlabeled], score)), 4),
        "first": round(float(holds[unlabeled][first].mean()), 4),
    }


def _table(runs: list[dict[str, Any]]) -> Table:
    table = Table(title=f"AUROC in %, and how many of the first {_FIRST} hold something")
    for heading in ("wanted", "answers", *PURITIES, *(f"first, {one}" for one in PURITIES)):
        table.add_column(heading, justify="right")
    for wanted, answers in dict.fromkeys((one["wanted"], one["answers"]) for one in runs):
        cells = []
        for name in ("auroc", "first"):
            for purity in PURITIES:
                found = [
                    100 * one[name]
                    for one in runs
                    if (one["wanted"], one["answers"], one["purity"]) == (wanted, answers, purity)
                    and one[name] is not None
                ]
                cells.append(spread(found))
        table.add_row(wanted, str(answers), *cells)
    return table


if __name__ == "__main__":
    main()
