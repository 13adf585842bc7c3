"""Open-set active learning of boxes on composed scenes: mAP against seconds of annotators.

``python -m benchmarks.open_set_detection --objects tinyimagenet_train100.parquet --backgrounds \
dtd10.parquet --json runs.json``

`--objects` is a Parquet file with columns `image` (encoded), `label`, `xmin`, `ymin`, `xmax` and
`ymax` (pixels, inclusive). Each object is cut out at its box and put, at some size, on a background
of `--backgrounds` (a column `image`, or the largest whose name begins so). A scene holds things of
the wanted classes, with others beside them, or others alone: then it is called OOD. Objects
of the pool are never those of the evaluation scenes. An answer takes `--look` seconds, and `--box`
for each box.
"""

import argparse
import io
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.runs import Runs, spread
from models.catalog import validate
from models.features.embed import embed_pool
from models.media.images.store import PixelStore
from models.protocols import Indices, OpenSetLabels, Outputs, TargetModel
from models.ranking.candidates import NO_ANSWERS, LastAnswers, Prices
from models.ranking.mqnet import MQNet, Normalisation
from models.rounds.meta_training import meta_train
from models.rounds.query import QuerySettings, Scored, score_pool, select
from models.tasks.base import Training
from models.tasks.boxes.learner import LEARNER
from models.tasks.boxes.matching import hits
from models.tasks.boxes.targets import BoxTargets

STRATEGIES: Final = ("random", "oracle", "box_entropy", "pal", "mqnet", "expected_value")
"""`oracle` draws at random among those that hold something wanted: what purity could give."""
VARIANTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "oracle": ("random", {}),
    "pal_images": ("pal", {"mixture": 1.0, "variety": 1.0}),
}
"""What else can be compared: a strategy, and what differs from its defaults."""
SIDE: Final = 128
_EVALUATED_SHARE: Final = 0.3
_NOTHING: Final = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class _Object:
    """A thing in an encoded image, at (left, top, right, bottom)."""

    content: bytes
    place: tuple[int, int, int, int]

    def cut(self) -> Image.Image:
        return Image.open(io.BytesIO(self.content)).convert("RGB").crop(self.place)


Objects = dict[int, list[_Object]]


@dataclass(frozen=True)
class Pool:
    """Scenes and where their things are.

    Attributes:
        store: the scenes, those of the pool first.
        rows: their cached maps.
        targets: the boxes of the wanted classes; none of a scene that is OOD.
        count: how many are of the pool; the others are for evaluation.
    """

    store: PixelStore
    rows: Any
    targets: BoxTargets
    count: int


def main() -> None:
    """Run what is missing and show the means."""
    options = _options()
    console = Console()
    config = {
        name: value
        for name, value in vars(options).items()
        if name not in {"json", "strategies", "seeds", "shares", "objects", "backgrounds"}
    }
    runs = Runs(options.json, config, ("share", "strategy", "seed"))
    for seed in options.seeds:
        for share in options.shares:
            missing = [
                name
                for name in options.strategies
                if {"share": share, "strategy": name, "seed": seed} not in runs
            ]
            if not missing:
                continue
            with tempfile.TemporaryDirectory() as made:
                pool = composed(options, share, seed, Path(made))
                first = _trained(pool, options, _first_queue(pool, options, seed)[1], seed)
                for name in missing:
                    started = time.perf_counter()
                    curve = list(_curve(pool, name, options, seed, first))
                    runs.add({"share": share, "strategy": name, "seed": seed, "curve": curve})
                    took = time.perf_counter() - started
                    console.print(f"{share:.0%} {name} seed {seed}: {curve[-1]} in {took:.0f} s")
    _report(runs, console)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=Path, required=True)
    parser.add_argument("--backgrounds", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--wanted", type=_numbers, default=[0, 30, 60, 90, 120])
    parser.add_argument("--shares", type=_shares, default=[0.2, 0.6])
    parser.add_argument("--strategies", type=lambda text: text.split(","), default=STRATEGIES)
    parser.add_argument("--seeds", type=_numbers, default=[0])
    parser.add_argument("--pool", type=int, default=600)
    parser.add_argument("--evaluation", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=300.0, help="of a round")
    parser.add_argument("--look", type=float, default=3.0)
    parser.add_argument("--box", type=float, default=5.0)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--purity", default="objects")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def _shares(text: str) -> list[float]:
    return [float(one) for one in text.split(",")]


# Scenes


def composed(options: argparse.Namespace, share: float, seed: int, folder: Path) -> Pool:
    """Make the scenes of a seed, and their maps."""
    rng = np.random.default_rng(seed)
    backgrounds = _backgrounds(options.backgrounds)
    pool_objects, judged_objects = _objects(options.objects, rng)
    labels: list[dict[str, Any] | None] = []
    total = options.pool + options.evaluation
    path = folder / "pixels.u8"
    with PixelStore.writer(path, SIDE) as writer:
        for row in range(total):
            is_pool = row < options.pool
            objects = pool_objects if is_pool else judged_objects
            is_none = is_pool and rng.random() < share
            background = backgrounds[int(rng.integers(len(backgrounds)))]
            pixels, boxes = _scene(objects, background, options.wanted, rng, is_none=is_none)
            labels.append({"boxes": boxes} if boxes else None)
            writer.write(row, pixels[None])
    store = PixelStore.open(path, SIDE, total)
    rows = folder / "maps.npy"
    embed_pool(store, "fcos", {}, out=rows, seed=0)
    sizes = np.full((total, 2), SIDE, dtype=np.int64)
    targets = BoxTargets.of(labels, options.wanted, sizes)
    return Pool(store, np.load(rows, mmap_mode="r"), targets, options.pool)


def _objects(path: Path, rng: np.random.Generator) -> tuple[Objects, Objects]:
    """Cut-outs by label: for the pool, and for evaluation."""
    pool: Objects = {}
    judged: Objects = {}
    table = pq.read_table(path, columns=["image", "label", "xmin", "ymin", "xmax", "ymax"])
    for row in table.to_pylist():
        if row["xmax"] - row["xmin"] < 12 or row["ymax"] - row["ymin"] < 12:
            continue
        place = row["xmin"], row["ymin"], row["xmax"] + 1, row["ymax"] + 1
        held = judged if rng.random() < _EVALUATED_SHARE else pool
        held.setdefault(row["label"], []).append(_Object(_bytes(row["image"]), place))
    return pool, judged


def _backgrounds(path: Path) -> list[NDArray[np.uint8]]:
    found = []
    names = [name for name in pq.read_schema(path).names if name.startswith("image")]
    column = max(names, key=lambda name: int(name.removeprefix("image") or 10**6))
    for cell in pq.read_table(path, columns=[column])[column].to_pylist():
        image = Image.open(io.BytesIO(_bytes(cell))).convert("RGB")
        found.append(np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC)))
    return found


def _bytes(cell: Any) -> bytes:
    content: bytes = cell["bytes"] if isinstance(cell, dict) else cell
    return content


def _scene(
    objects: Objects,
    background: NDArray[np.uint8],
    wanted: list[int],
    rng: np.random.Generator,
    *,
    is_none: bool,
) -> tuple[NDArray[np.uint8], list[dict[str, Any]]]:
    """Put things on a background: one to three wanted ones, unless there are none, and others."""
    others = [label for label in objects if label not in wanted]
    kinds = [] if is_none else rng.choice(wanted, int(rng.integers(1, 4))).tolist()
    kinds += rng.choice(others, int(rng.integers(1 if is_none else 0, 4))).tolist()
    pixels, boxes = background.copy(), []
    taken: list[tuple[int, int, int, int]] = []
    for kind in kinds:
        things = objects[kind]
        thing = things[int(rng.integers(len(things)))].cut()
        scale = rng.uniform(24, 60) / max(thing.size)
        width, height = (max(8, round(side * scale)) for side in thing.size)
        for _ in range(20):
            x, y = (int(rng.integers(0, SIDE - side + 1)) for side in (width, height))
            if all(x >= c or y >= d or x + width <= a or y + height <= b for a, b, c, d in taken):
                break
        else:
            continue
        taken.append((x, y, x + width, y + height))
        pixels[y : y + height, x : x + width] = np.asarray(thing.resize((width, height)))
        if kind in wanted:
            boxes.append({"class_id": kind, "x": x, "y": y, "w": width, "h": height})
    return pixels, boxes


# Rounds


def _curve(
    pool: Pool, name: str, options: argparse.Namespace, seed: int, first: TargetModel
) -> Iterator[dict[str, float]]:
    """Label a pool round by round; what the model finds after so many seconds."""
    strategy, params = VARIANTS.get(name, (name, {}))
    settings = QuerySettings(
        strategy=strategy, strategy_params=validate("strategy", strategy, params),
        purity=options.purity, informativeness="box_entropy",
    )  # fmt: skip
    is_none = pool.targets.counts == 0
    cost = options.look + options.box * pool.targets.counts
    order, _ = _first_queue(pool, options, seed)
    labeled, spent = _NOTHING, 0.0
    mqnet: MQNet | None = None
    last, had_ood = NO_ANSWERS, True
    scored: Scored | None = None
    judged = np.arange(pool.count, len(pool.targets))
    for number in range(options.rounds):
        asked = order[: _paid(pool, options, order)]
        spent += float(cost[asked].sum())
        labeled = np.sort(np.concatenate([labeled, asked]))
        said = pool.targets.outputs()
        labels = OpenSetLabels.of(said.classes, is_none | said.is_ood)[np.arange(pool.count)]
        if scored is not None:
            mqnet, had_ood, last = _learned(
                pool, scored, asked, labels, settings, mqnet, seed, _prices(options, cost, labeled)
            )
        # The first queue is the same whatever is asked next.
        model = first if number == 0 else _trained(pool, options, labeled, seed + number)
        found = LEARNER.metrics(model.infer(judged), pool.targets.take(judged), options.wanted)
        yield {
            "seconds": round(spent, 1),
            "images": len(labeled),
            "none": int(is_none[labeled].sum()),
            "boxes": int(pool.targets.counts[labeled].sum()),
            "map": round(found.value or 0.0, 4),
            "map50": round(found.more["map50"] or 0.0, 4),
        }
        unlabeled = np.setdiff1d(np.arange(pool.count), labeled)
        scored = score_pool(
            model, unlabeled, labeled, labels[labeled], settings, seed=seed + number
        )
        scored = replace(scored, view=replace(scored.view, maps=pool.rows))
        ranking = select(
            scored, unlabeled, len(unlabeled), settings, mqnet=mqnet, had_ood=had_ood,
            prices=_prices(options, cost, labeled), last=last,
        )  # fmt: skip
        order = ranking.order
        if name == "oracle":
            order = order[np.argsort(is_none[order], kind="stable")]


def _first_queue(pool: Pool, options: argparse.Namespace, seed: int) -> tuple[Indices, Indices]:
    """Return the pool in random order, and as much of it as a round pays for, ascending."""
    order = np.random.default_rng(seed).permutation(pool.count).astype(np.int64)
    return order, np.sort(order[: _paid(pool, options, order)])


def _paid(pool: Pool, options: argparse.Namespace, order: Indices) -> int:
    cost = options.look + options.box * pool.targets.counts[order]
    return max(1, int((np.cumsum(cost) <= options.seconds).sum()))


def _trained(pool: Pool, options: argparse.Namespace, labeled: Indices, seed: int) -> TargetModel:
    is_none = pool.targets.counts[labeled] == 0
    inside = labeled[~is_none]
    return LEARNER.train(
        Training(
            pool.store, inside, pool.targets.take(inside), classes=len(options.wanted),
            name="fcos", params={"steps": options.steps}, seed=seed,
            ood_indices=labeled[is_none], auxiliary_indices=_NOTHING, embeddings=pool.rows,
        )
    )  # fmt: skip


def _learned(
    pool: Pool,
    scored: Scored,
    asked: Indices,
    labels: OpenSetLabels,
    settings: QuerySettings,
    mqnet: MQNet | None,
    seed: int,
    prices: Prices,
) -> tuple[MQNet | None, bool, LastAnswers]:
    """What the answers to a queue teach, by the scores that it was chosen by."""
    asked = np.sort(asked)
    then = scored.scores.take(np.searchsorted(scored.scores.indices, asked).astype(np.int64))
    assert then.detections is not None
    targets = pool.targets.take(asked)
    nothing = np.empty((len(asked), 0), np.float32)
    outputs = Outputs(then.logits, nothing, detections=then.detections, frame=then.frame)
    is_ood = labels.is_ood[asked]
    losses = np.where(is_ood, 0.0, LEARNER.losses(outputs, targets))
    mqnet, had_ood, _ = meta_train(
        scored.scores, asked, labels[asked], settings, seed=seed, previous=mqnet, losses=losses,
        prices=prices,
    )  # fmt: skip
    purity = Normalisation.fit(scored.scores.purity)
    right = hits(then.detections, targets, then.frame)
    return mqnet, had_ood, LastAnswers(is_ood, then, purity, right)


def _prices(options: argparse.Namespace, cost: NDArray[np.float64], labeled: Indices) -> Prices:
    """What an answer takes, in seconds."""
    return Prices(float(cost[labeled].mean()), options.look, options.box)


def _report(runs: Runs, console: Console) -> None:
    """Means over seeds: mAP in percent at the end, and on average over all seconds."""
    for share in sorted({run["share"] for run in runs.all}):
        table = Table(title=f"{share:.0%} of the pictures without any wanted thing")
        for column in ("strategy", "mAP", "mAP50", "mean of the curve", "boxes", "OOD", "images"):
            table.add_column(column, justify="left" if column == "strategy" else "right")
        for name in dict.fromkeys(run["strategy"] for run in runs.all if run["share"] == share):
            curves = [
                run["curve"]
                for run in runs.all
                if run["share"] == share and run["strategy"] == name
            ]
            ends = [curve[-1] for curve in curves]
            counted = [[float(end[key]) for end in ends] for key in ("boxes", "none", "images")]
            table.add_row(
                name,
                spread([100 * end["map"] for end in ends]),
                spread([100 * end["map50"] for end in ends]),
                spread([100 * float(np.mean([one["map"] for one in curve])) for curve in curves]),
                *(spread(values, 0) for values in counted),
            )
        console.print(table)


if __name__ == "__main__":
    main()
