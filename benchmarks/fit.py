"""What models should see of images that are not square: the middle, or all of it.

``python -m benchmarks.fit --data DIR --json FILE``

``DIR`` holds the folders ``photos``, ``tinyimagenet`` and ``ood_textures``, with Parquet files.

*photos*: accuracy of a head on frozen features of four groups of animals among 1,000 photographs,
with OOD answers, as in ``benchmarks.ood_answers``. *bars*: the same photographs, cut to squares and
half of them, drawn at random, then to 4:3 or 16:9; how well a head tells which from their features
(AUROC, 50 is not at all), and how well being far from labeled squares, the purity *knn*, does among
images of the classes. *scenes*: objects on wide backgrounds, whose boxes a detector learns and
finds (mAP, what is not seen counts as missed).
"""

import argparse
import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from benchmarks.ood_answers import Pool, measured
from benchmarks.photo_groups import GROUPS, among
from benchmarks.runs import Runs, difference, spread
from models.catalog import parse
from models.features.embed import embed_pool
from models.frame import Fit
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.build import build_network
from models.media.images.store import PixelStore, fit_image
from models.protocols import Float32Array, Indices
from models.tasks.base import Training
from models.tasks.boxes.learner import LEARNER
from models.tasks.boxes.targets import BoxTargets

PARTS: Final = ("photos", "bars", "scenes")
FILLS: Final = ("mean", "black", "edge", "mirror")
"""What bars are of where the network looks at them, too."""
_NETWORK: Final = "efficientnet_lite0"
_ANSWERS: Final = (70, 130)
_SHAPES: Final = ((4, 3), (16, 9), (3, 4), (9, 16))
_WANTED: Final = (0, 30, 60, 90, 120)
_SCENE_SIDE: Final = 256
_NOTHING: Final = np.empty(0, dtype=np.int64)


def main() -> None:
    """Run what is missing and show the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("results/fit"))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--side", type=int, default=224, help="of photographs, in pixels")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--scenes", type=int, default=240)
    parser.add_argument("--scene-seeds", type=int, default=3)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    config = {name: getattr(options, name) for name in ("side", "scenes")}
    runs = Runs(options.json, config, ("part", "seen", "seed"))
    console = Console(width=120)
    for part in options.parts.split(","):
        {"photos": photos, "bars": bars, "scenes": scenes}[part](options, runs)
        console.print(table(part, runs))


# Photographs


def photos(options: argparse.Namespace, runs: Runs) -> None:
    """Accuracy, by what is seen of photographs as they are."""
    images, labels = _photographs(options.data)
    is_wide = np.array([max(one.size) > 1.05 * min(one.size) for one in images])
    for name, seen in _ways().items():
        rows = _rows(options, f"photos-{name}", images, seen)
        for seed in range(options.seeds):
            run = {"part": "photos", "seen": name, "seed": seed, "wide": float(is_wide.mean())}
            if run not in runs:
                runs.add(run | measured(Pool(rows, labels), *_ANSWERS, seed))


def bars(options: argparse.Namespace, runs: Runs) -> None:
    """How well bars are told from none, and how strange they seem, where nothing else differs."""
    images, labels = _photographs(options.data)
    for seed in range(min(3, options.seeds)):
        rng = np.random.default_rng(seed)
        has_bars = rng.random(len(images)) < 0.5
        shapes = [_SHAPES[int(one)] for one in rng.integers(len(_SHAPES), size=len(images))]
        cut = [
            _cut(_cut(image, (1, 1)), shape if barred else (1, 1))
            for image, shape, barred in zip(images, shapes, has_bars.tolist(), strict=True)
        ]
        for name, seen in _ways().items():
            run = {"part": "bars", "seen": name, "seed": seed}
            if run in runs:
                continue
            rows = _rows(options, f"bars-{name}-{seed}", cut, seen)
            runs.add(run | _told(rows, labels, has_bars, rng.permutation(len(images))))


def _told(
    rows: Float32Array, labels: Indices, has_bars: NDArray[np.bool_], order: Indices
) -> dict[str, float]:
    head = LogisticRegression(C=0.1, max_iter=500)
    scaled = rows / np.sqrt((rows**2).sum(axis=1).mean() / rows.shape[1])
    said = cross_val_predict(head, scaled, has_bars, cv=5, method="predict_proba")[:, 1]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    known = order[(labels[order] >= 0) & ~has_bars[order]][: _ANSWERS[0]]
    judged = np.setdiff1d(np.flatnonzero(labels >= 0), known)
    nearest = (unit[judged] @ unit[known].T).max(axis=1)
    return {
        "told": 100 * float(roc_auc_score(has_bars, said)),
        "stranger": 100 * float(roc_auc_score(has_bars[judged], -nearest)),
    }


def _cut(image: Image.Image, shape: tuple[int, int]) -> Image.Image:
    """The largest middle of an image that has a shape."""
    scale = min(image.width / shape[0], image.height / shape[1])
    width, height = (max(1, round(side * scale)) for side in shape)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    return image.crop((left, top, left + width, top + height))


def _photographs(data: Path) -> tuple[list[Image.Image], Indices]:
    file = pq.read_table(data / "photos" / "photos1000.parquet").to_pydict()
    images = [Image.open(io.BytesIO(one)).convert("RGB") for one in file["image"]]
    return images, among(GROUPS, file["group"])


Seen = tuple[Callable[[Image.Image, int], NDArray[np.uint8]], bool]
"""How an image becomes a square, and whether the network looks at all of that."""


def _ways() -> dict[str, Seen]:
    found: dict[str, Seen] = {fit: (_fitted(fit), False) for fit in ("crop", "pad")}
    return found | {f"pad, {fill}": (_filled(fill), True) for fill in FILLS}


def _fitted(fit: Fit) -> Callable[[Image.Image, int], NDArray[np.uint8]]:
    return lambda image, side: fit_image(image, side, fit)


def _filled(fill: str) -> Callable[[Image.Image, int], NDArray[np.uint8]]:
    """Bars of some kind around what `pad` shows."""

    def make(image: Image.Image, side: int) -> NDArray[np.uint8]:
        scale = side / max(image.size)
        width, height = (max(1, round(one * scale)) for one in image.size)
        inner = np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))
        left, top = (side - width) // 2, (side - height) // 2
        around = ((top, side - height - top), (left, side - width - left), (0, 0))
        if fill in ("edge", "mirror"):
            return np.pad(inner, around, mode="edge" if fill == "edge" else "symmetric")
        pixels = fit_image(image, side, "pad").copy()
        if fill == "black":
            pixels[:] = 0
            pixels[top : top + height, left : left + width] = inner
        return pixels

    return make


def _rows(
    options: argparse.Namespace, name: str, images: Sequence[Image.Image], seen: Seen
) -> Float32Array:
    """(N, D) features, computed once."""
    out = options.cache / f"{name}-{options.side}.npy"
    if not out.exists():
        make, whole = seen
        params = parse("model", _NETWORK, {})
        empty = PixelStore(out.with_suffix(".u8"), options.side, 0)
        network = build_network(_NETWORK, params, classes=1, store=empty, seed=0)
        extractor = NetworkExtractor(network, "auto", rooted=True, whole=whole)
        blocks = []
        for start in range(0, len(images), 250):
            block = [make(one, options.side) for one in images[start : start + 250]]
            blocks.append(extractor.extract(np.stack(block)))
        np.save(out, np.concatenate(blocks))
    rows: Float32Array = np.load(out)
    return rows


# Scenes


def scenes(options: argparse.Namespace, runs: Runs) -> None:
    """What a detector finds of wide scenes, by what it sees of them."""
    for seed in range(options.scene_seeds):
        drawn: list[tuple[Image.Image, dict[str, Any]]] = []
        fits: tuple[Fit, ...] = ("crop", "pad")
        for fit in fits:
            run = {"part": "scenes", "seen": fit, "seed": seed}
            if run in runs:
                continue
            drawn = drawn or list(_scenes(options, seed))
            with tempfile.TemporaryDirectory() as made:
                runs.add(run | _found(drawn, fit, Path(made), seed))


def _found(
    drawn: list[tuple[Image.Image, dict[str, Any]]], fit: Fit, folder: Path, seed: int
) -> dict[str, Any]:
    images = [image for image, _ in drawn]
    sizes = np.array([image.size for image in images], dtype=np.int64)
    with PixelStore.writer(folder / "pixels.u8", _SCENE_SIDE) as writer:
        writer.write(0, (fit_image(image, _SCENE_SIDE, fit) for image in images))
    store = PixelStore.open(folder / "pixels.u8", _SCENE_SIDE, len(images), fit=fit)
    embed_pool(store, "fcos", {}, out=folder / "maps.npy", seed=0)
    targets = BoxTargets.of([label for _, label in drawn], list(_WANTED), sizes)
    learned = np.arange(len(images) // 2)
    model = LEARNER.train(
        Training(
            store, learned, targets.take(learned), classes=len(_WANTED),
            name="fcos", params={"steps": 150}, seed=seed, ood_indices=_NOTHING,
            auxiliary_indices=_NOTHING, embeddings=np.load(folder / "maps.npy", mmap_mode="r"),
        )
    )  # fmt: skip
    judged = np.arange(len(learned), len(images))
    metrics = LEARNER.metrics(model.infer(judged), targets.take(judged), list(_WANTED))
    assert metrics.value is not None
    return {"map": 100 * metrics.value, "map50": 100 * metrics.more["map50"]}


def _scenes(options: argparse.Namespace, seed: int) -> Iterator[tuple[Image.Image, dict[str, Any]]]:
    """Wide and tall scenes with one to three things anywhere; the first half of cut-outs apart."""
    rng = np.random.default_rng(seed)
    file = pq.read_table(options.data / "tinyimagenet" / "tinyimagenet_train100.parquet")
    rows = [one for one in file.to_pylist() if one["label"] in _WANTED]
    rows = [one for one in rows if min(one["xmax"] - one["xmin"], one["ymax"] - one["ymin"]) > 12]
    order = rng.permutation(len(rows))
    textures = pq.read_table(options.data / "ood_textures" / "dtd10.parquet")["image64"].to_pylist()
    half = options.scenes // 2
    for number in range(2 * half):
        apart = order[::2] if number < half else order[1::2]
        shape = _SHAPES[int(rng.integers(len(_SHAPES)))]
        width, height = (round(side * 384 / max(shape)) for side in shape)
        texture = Image.open(io.BytesIO(textures[int(rng.integers(len(textures)))]))
        scene = texture.convert("RGB").resize((width, height), Image.Resampling.BICUBIC)
        boxes: list[dict[str, Any]] = []
        for _ in range(int(rng.integers(1, 4))):
            row = rows[int(apart[int(rng.integers(len(apart)))])]
            place = row["xmin"], row["ymin"], row["xmax"] + 1, row["ymax"] + 1
            thing = Image.open(io.BytesIO(row["image"])).convert("RGB").crop(place)
            scale = rng.uniform(60, 150) / max(thing.size)
            w, h = (max(8, round(side * scale)) for side in thing.size)
            x, y = int(rng.integers(0, width - w + 1)), int(rng.integers(0, height - h + 1))
            if any(_meet((x, y, w, h), one) for one in boxes):
                continue
            scene.paste(thing.resize((w, h), Image.Resampling.BICUBIC), (x, y))
            boxes.append({"class_id": row["label"], "x": x, "y": y, "w": w, "h": h})
        yield scene, {"boxes": boxes}


def _meet(place: tuple[int, int, int, int], other: dict[str, Any]) -> bool:
    x, y, w, h = place
    beside = x >= other["x"] + other["w"] or other["x"] >= x + w
    return not (beside or y >= other["y"] + other["h"] or other["y"] >= y + h)


# What came of it

_SHOWN: Final = {
    "photos": ("accuracy, %", "taught"),
    "bars": ("bars are told, AUROC", "told"),
    "scenes": ("mAP", "map"),
}
_SECOND: Final = {"bars": ("seem stranger, AUROC", "stranger"), "scenes": ("mAP50", "map50")}


def table(part: str, runs: Runs) -> Table:
    """Means and deviations, and differences from `crop` with their standard errors."""
    shown = Table(title=part)
    columns = [_SHOWN[part], *([_SECOND[part]] if part in _SECOND else [])]
    shown.add_column("seen")
    for heading, _ in columns:
        shown.add_column(heading, justify="right")
    shown.add_column("against crop", justify="right")
    mine = [run for run in runs.all if run["part"] == part]
    scale = 100 if part == "photos" else 1
    name = columns[0][1]
    first = {run["seed"]: scale * run[name] for run in mine if run["seen"] == "crop"}
    for seen in dict.fromkeys(run["seen"] for run in mine):
        rows = [run for run in mine if run["seen"] == seen]
        cells = [spread([scale * run[one] for run in rows]) for _, one in columns]
        against = [scale * run[name] - first[run["seed"]] for run in rows if run["seed"] in first]
        shown.add_row(seen, *cells, "" if seen == "crop" else difference(against))
    return shown


if __name__ == "__main__":
    main()
