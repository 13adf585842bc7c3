"""TAUFE beside pre-training on all images and a linear probe on the labels (thesis, section 3.6).

``python -m benchmarks.simclr --data DIR --textures FILE --sizes 500,5000 --seeds 3``

SimCLR, which is the contrastive learner without its rotations, learns from the N labeled and the N
OOD images of `benchmarks.taufe` (`simclr`), or from all training images and all textures but those
that judge (`simclr_all`); the thesis does not say which its few-shot figures are of. A logistic
regression then learns from the N labels on what the encoder makes of them. `standard` and `taufe`
train the same network on the same labels. Every run is written to `--json` when it ends, and a
benchmark that was stopped goes on.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.open_set.protocol import Images
from benchmarks.runs import Runs, spread
from benchmarks.taufe import parts_of, with_outside
from models.catalog.params.contrastive import ContrastiveParams
from models.catalog.params.regularize import TaufeParams
from models.heads.head import Scaling, fit_head
from models.heads.penalty import choose_penalty
from models.media.images.contrastive import learn_encoder, restore_encoder
from models.media.images.store import PixelStore
from models.protocols import Indices
from models.regularization.judging import measure
from models.regularization.parts import Parts
from models.regularization.training import train_method

METHODS: Final = ("standard", "simclr", "simclr_all", "taufe")
SETUP: Final = "textures"
THESIS: Final = {
    "standard": {500: 38.58, 1000: 52.63, 2500: 72.94, 5000: 82.38},
    "simclr": {500: 30.45, 1000: 47.70, 2500: 71.66, 5000: 82.36},
    "taufe": {500: 41.58, 1000: 56.72, 2500: 73.61, 5000: 82.88},
}
"""Accuracy in %, ResNet-18, SVHN as OOD: thesis, section 3.6."""


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    images = Images.prepare(arguments.data, arguments.cache)
    store, places = with_outside(images, arguments)
    params = TaufeParams.model_validate(arguments.params)
    shared = {"network": params.network, "width": params.width, "rotations": False}
    learner = ContrastiveParams.model_validate(shared | arguments.simclr)
    config = {
        "params": params.model_dump(), "simclr": learner.model_dump(),
        "cpu_threads": arguments.threads,
    }  # fmt: skip
    runs = Runs(arguments.json, config, ("size", "seed", "method"))
    console = Console(width=120)
    sizes = [int(size) for size in arguments.sizes.split(",")]
    for seed in range(arguments.seeds):
        for size in sizes:
            parts = parts_of(SETUP, size, seed, images, places)
            for method in arguments.methods.split(","):
                case = {"size": size, "seed": seed, "method": method}
                if case in runs:
                    continue
                started = time.perf_counter()
                if method in ("standard", "taufe"):
                    model = train_method(method, store, parts, params, classes=10, seed=seed)
                    found = measure(model, parts, params, seed=seed)["accuracy"]
                else:
                    rows = _looked_at(method, parts, images, places[SETUP])
                    encoder = _encoder(store, rows, learner, seed, arguments.cache)
                    found = probe(store, encoder, parts, seed=seed)
                runs.add({**case, "accuracy": found, "seconds": time.perf_counter() - started})
                console.print(f"{size} {seed} {method}: {100 * found:.2f} %", highlight=False)
    console.print(table(runs.all))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--textures", type=Path, required=True, help="Parquet file of textures")
    parser.add_argument("--sizes", default="500,1000,2500,5000", help="labeled images")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument(
        "--params", type=json.loads, default={}, help="JSON object of the job taufe"
    )
    parser.add_argument(
        "--simclr", type=json.loads, default={}, help="JSON object of the contrastive learner"
    )
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=Path("results/simclr.json"))
    arguments = parser.parse_args()
    arguments.tinyimagenet = None
    return arguments


def _looked_at(method: str, parts: Parts, images: Images, outside: Indices) -> Indices:
    """Return the images that an encoder learns from."""
    if method == "simclr":
        return np.concatenate([parts.inside, parts.verdicts])
    return np.concatenate([np.arange(images.train), np.setdiff1d(outside, parts.test_ood)])


def _encoder(
    store: PixelStore, rows: Indices, params: ContrastiveParams, seed: int, cache: Path
) -> Path:
    """Learn an encoder from rows of a store; what was learned before is not learned again."""
    facts = json.dumps([params.model_dump(), seed], sort_keys=True).encode() + rows.tobytes()
    out = cache / f"simclr-{hashlib.sha256(facts).hexdigest()[:16]}.safetensors"
    if not out.exists():
        checkpoint = out.with_suffix(".checkpoint")
        learn_encoder(store, rows, params, seed=seed, out=out, checkpoint=checkpoint)
        checkpoint.unlink(missing_ok=True)
    return out


def probe(store: PixelStore, encoder: Path, parts: Parts, *, seed: int) -> float:
    """Fit a linear head on what an encoder makes of the labeled images; returns its accuracy."""
    extractor = restore_encoder(encoder, store.size)
    learned, test = (extractor.extract(store[rows]) for rows in (parts.inside, parts.test))
    scaling = Scaling.of_pool(learned)
    l2 = choose_penalty(learned, parts.labels, classes=10, scaling=scaling, seed=seed)
    head = fit_head(learned, parts.labels, classes=10, l2=l2, scaling=scaling)
    return float((head.logits(test).argmax(axis=1) == parts.test_labels).mean())


def table(runs: list[dict[str, Any]]) -> Table:
    """Build one line for each size and method."""
    result = Table(title="pre-training and a linear probe")
    for heading in ("labels", "method", "accuracy %", "thesis %", "s"):
        result.add_column(heading, justify="right")
    for size in sorted({run["size"] for run in runs}):
        for method in METHODS:
            chosen = [run for run in runs if (run["size"], run["method"]) == (size, method)]
            if not chosen:
                continue
            printed = THESIS.get(method, {}).get(size)
            result.add_row(
                str(size),
                method,
                spread([100 * run["accuracy"] for run in chosen]),
                "–" if printed is None else f"{printed:.1f}",
                f"{np.mean([run['seconds'] for run in chosen]):.0f}",
            )
    return result


if __name__ == "__main__":
    main()
