"""How fast models train, rounds of a frozen model go, and the pool's own features are learned.

``python -m benchmarks.engine --data DIR --json FILE``; ``--parts`` picks some of:

- training: images a second of ``models.media.images.training.train`` beside a bare PyTorch loop
  that does the same arithmetic, in turns, and beside one in float32;
- round: what happens between the last answer and the next batch with 50,000 cached embeddings,
  by the default strategy and by MQ-Net;
- features: ``patch_kmeans`` on the 60,000 images of CIFAR-10 in ``--data``, from pixels to
  embeddings, and the accuracy of a head on 5,000 labels.
"""

import argparse
import io
import json
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import torch
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from torch.nn import functional

from models.catalog.params.networks import TinyParams, TrainingParams
from models.device import autocast, best_device, computes_in_bfloat16, place
from models.evaluation.evaluate import accuracy
from models.features.embed import embed_pool
from models.media.images.networks.nets import Network, cnn_tiny, resnet18_small
from models.media.images.store import PixelStore
from models.media.images.training.train import train
from models.protocols import OpenSetLabels
from models.rounds.meta_training import meta_train
from models.rounds.query import QuerySettings, score_pool, select
from models.target.train import train_target

SIDE = 32
STRATEGIES = (QuerySettings().strategy, "mqnet")
CLASSES = 10
Pixels = NDArray[np.uint8]
Labels = NDArray[np.int64]


def bare_loop(network: Network, pixels: Pixels, labels: Labels, params: TrainingParams) -> None:
    """The loop that one writes for a single experiment."""
    device = best_device()
    place(network).train()
    images = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2)
    target = torch.from_numpy(labels).to(device)
    optimizer = torch.optim.SGD(
        network.parameters(),
        lr=params.learning_rate,
        momentum=params.momentum,
        weight_decay=params.weight_decay,
        fused=True,
    )
    order = torch.randperm(len(target), device=device).repeat(
        params.steps * params.batch_size // len(target) + 1
    )
    pad = SIDE // 8
    which = torch.arange(params.batch_size, device=device)[:, None, None]
    span = torch.arange(SIDE, device=device)
    for step in range(params.steps):
        rows = order[step * params.batch_size : (step + 1) * params.batch_size]
        x = functional.pad(images[rows].float() / 255, (pad, pad, pad, pad))
        down, right = torch.randint(0, 2 * pad + 1, (2, params.batch_size, 1), device=device) + span
        x = x[which, :, down[:, :, None], right[:, None, :]].permute(0, 3, 1, 2)
        mirrored = torch.rand(params.batch_size, 1, 1, 1, device=device) < 0.5
        x = torch.where(mirrored, x.flip(3), x).contiguous(memory_format=torch.channels_last)
        with autocast(params.precision, device, network):
            logits, _ = network(x)
        loss = functional.cross_entropy(logits, target[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    loss.item()


def training(name: str, steps: int, repeats: int) -> dict[str, Any]:
    """Images a second of the engine, of the bare loop, and of the bare loop in float32."""
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, (2000, SIDE, SIDE, 3), dtype=np.uint8)
    labels = random.integers(0, CLASSES, 2000)
    params: TrainingParams = TinyParams(steps=steps)
    if name == "resnet18_small":
        params = TrainingParams(steps=steps)

    def network() -> Network:
        torch.manual_seed(0)
        if isinstance(params, TinyParams):
            return cnn_tiny(params, classes=CLASSES, image_size=SIDE)
        return resnet18_small(params, classes=CLASSES, image_size=SIDE)

    single = params.model_copy(update={"precision": "float32"})
    loops: dict[str, Callable[[], object]] = {
        "engine": lambda: train(network(), pixels, labels, params=params, seed=0),
        "bare": lambda: bare_loop(network(), pixels, labels, params),
        "float32": lambda: bare_loop(network(), pixels, labels, single),
    }
    # The libraries choose and build their kernels when they first see a shape.
    short = params.model_copy(update={"steps": 3})
    train(network(), pixels, labels, params=short, seed=0)
    bare_loop(network(), pixels, labels, short.model_copy(update={"precision": "float32"}))
    speeds: dict[str, list[float]] = {loop: [] for loop in loops}
    for _ in range(repeats):
        for loop, run in loops.items():
            start = time.perf_counter()
            run()
            speeds[loop].append(steps * params.batch_size / (time.perf_counter() - start))
    ratios = np.array(speeds["engine"]) / np.array(speeds["bare"])
    half = computes_in_bfloat16("auto", best_device(), network())
    return {
        "network": name,
        "steps": steps,
        "precision": "bfloat16" if half else "float32",
        "images_per_s": speeds,
        "ratio": {"mean": float(ratios.mean()), "std": deviation(ratios)},
    }


def deviation(values: ArrayLike) -> float:
    """Standard deviation of a sample; 0 of one value."""
    array = np.asarray(values)
    return float(array.std(ddof=1)) if len(array) > 1 else 0.0


def frozen_round(strategy: str, rows: int, answers: int) -> dict[str, float]:
    """Seconds of each part of a round on clusters of 512 features, six in ten examples OOD."""
    random = np.random.default_rng(0)
    kind = random.integers(0, 25, rows)
    centers = random.standard_normal((25, 512)).astype(np.float32)
    embeddings = centers[kind] + 3 * random.standard_normal((rows, 512), dtype=np.float32)
    truth = OpenSetLabels.of(kind, kind >= CLASSES)
    order = random.permutation(rows)
    labeled, query = np.sort(order[:answers]), np.sort(order[answers : answers + 500])
    unlabeled = np.setdiff1d(np.arange(rows), labeled)
    settings, seconds = QuerySettings(strategy), {}

    @contextmanager
    def timed(part: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        seconds[part] = time.perf_counter() - start

    with tempfile.TemporaryDirectory() as folder:
        store = PixelStore.open(Path(folder) / "none", SIDE, 0)
        with timed("train"):
            inside = labeled[truth.inside[labeled]]
            model = train_target(
                store, inside, truth.classes[inside], classes=CLASSES, name="patch_kmeans",
                params={}, seed=0, embeddings=embeddings, ood_indices=np.setdiff1d(labeled, inside),
            )  # fmt: skip
        with timed("score"):
            scored = score_pool(model, unlabeled, labeled, truth[labeled], settings, seed=0)
        with timed("meta_train"):
            mqnet, had_ood, _ = meta_train(scored.scores, query, truth[query], settings, seed=0)
        with timed("select"):
            select(scored, unlabeled, 750, settings, mqnet=mqnet, had_ood=had_ood)
    return seconds | {"all": sum(seconds.values())}


def features(data: Path) -> list[dict[str, float]]:
    """Seconds from pixels to embeddings, and what a head makes of them, with `flip` and without."""
    tables = [
        pq.read_table(data / f"cifar10_{split}.parquet", columns=["image", "label"])
        for split in ("train", "test")
    ]
    labels = np.concatenate([table["label"].to_numpy() for table in tables]).astype(np.int64)
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "pixels", Path(folder) / "embeddings.npy"
        with PixelStore.writer(path, SIDE) as writer:
            start = 0
            for table in tables:
                images = [decoded(cell.as_py()) for cell in table["image"]]
                writer.write(start, np.stack(images))
                start += len(images)
        store = PixelStore.open(path, SIDE, len(labels))
        return [
            features_with(flip, store, labels, tables[0].num_rows, out) for flip in (True, False)
        ]


def features_with(
    flip: bool, store: PixelStore, labels: Labels, train_rows: int, out: Path
) -> dict[str, float]:
    """The same with and without taking mirror images for the same."""
    out = out.with_stem(f"{out.stem}-{flip}")
    begun = time.perf_counter()
    embed_pool(store, "patch_kmeans", {"flip": flip}, out=out, seed=0)
    seconds = time.perf_counter() - begun
    chosen = np.random.default_rng(0).permutation(train_rows)[:5000]
    model = train_target(
        store, chosen, labels[chosen], classes=CLASSES, name="patch_kmeans",
        params={"flip": flip}, seed=0, embeddings=np.load(out),
    )  # fmt: skip
    test = np.arange(train_rows, len(labels))
    right = accuracy(model.infer(test), labels[test])
    return {"flip": flip, "seconds": seconds, "accuracy": right}


def decoded(image: bytes) -> Pixels:
    """(32, 32, 3) uint8 of a JPEG."""
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB"))


def show(results: dict[str, Any]) -> None:
    """Print what was measured as Markdown tables."""
    if "training" in results:
        print("| network | precision | images/s | bare loop | ratio | bare loop, float32 |")
        print("|---|---|---|---|---|---|")
        for row in results["training"]:
            speed = {loop: np.mean(values) for loop, values in row["images_per_s"].items()}
            ratio = f"{row['ratio']['mean']:.3f} ± {row['ratio']['std']:.3f}"
            print(
                f"| `{row['network']}` | {row['precision']} | {speed['engine']:,.0f} | "
                f"{speed['bare']:,.0f} | {ratio} | {speed['float32']:,.0f} |"
            )
    if "round" in results:
        print("\n| strategy | part of the round | seconds |\n|---|---|---|")
        for strategy, runs in results["round"].items():
            for part in runs[0]:
                values = [run[part] for run in runs]
                spread = f"{np.mean(values):.2f} ± {deviation(values):.2f}"
                print(f"| `{strategy}` | {part} | {spread} |")
    if "features" in results:
        print("\n| `flip` | seconds, 60,000 images | accuracy with 5,000 labels % |\n|---|---|---|")
        for row in results["features"]:
            print(f"| {row['flip']} | {row['seconds']:.1f} | {100 * row['accuracy']:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="training,round,features")
    parser.add_argument("--data", type=Path, help="folder with cifar10_train.parquet and _test")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=150, help="of cnn_tiny; of ResNet-18 a tenth")
    parser.add_argument("--rows", type=int, default=50_000, help="embeddings of the round")
    parser.add_argument("--answers", type=int, default=2_000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    results: dict[str, Any] = {}
    if "training" in parts:
        sizes = {"cnn_tiny": arguments.steps, "resnet18_small": max(3, arguments.steps // 10)}
        results["training"] = [
            training(name, steps, arguments.repeats) for name, steps in sizes.items()
        ]
    if "round" in parts:
        results["round"] = {
            strategy: [
                frozen_round(strategy, arguments.rows, arguments.answers)
                for _ in range(arguments.repeats)
            ]
            for strategy in STRATEGIES
        }
    if "features" in parts and arguments.data is not None:
        results["features"] = features(arguments.data)
    show(results)
    if arguments.json:
        results["config"] = {
            "arguments": {key: str(value) for key, value in vars(arguments).items()},
            "torch": torch.__version__,
            "device": str(best_device()),
            "threads": torch.get_num_threads(),
            "processor": platform.processor() or platform.machine(),
        }
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
