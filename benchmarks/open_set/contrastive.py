"""Contrastive features of all images of CIFAR-10, for the purities `csi` and `csi_ood`.

``python -m benchmarks.open_set.contrastive --data DIR --params JSON --out features.npy``

The learner sees the training images of all ten classes once for all cases: the pools are drawn from
them, and a project's own learner sees its OOD images too. `benchmarks.open_set_al` reads the result
(`--contrastive`). A stopped call goes on.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from rich.progress import Progress as Bar

from benchmarks.open_set.protocol import EMBEDDING_SEED, Images
from models.catalog.params.contrastive import ContrastiveParams
from models.media.images.contrastive import embed_with_encoder, learn_encoder


def main() -> None:
    """Learn an encoder and write what it makes of every image."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument(
        "--params", type=json.loads, default={}, help="JSON object of the learner's"
    )
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results/contrastive.npy"))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    params = ContrastiveParams.model_validate(arguments.params)
    images = Images.prepare(arguments.data, arguments.cache)
    encoder = arguments.out.with_suffix(".encoder")
    encoder.parent.mkdir(parents=True, exist_ok=True)
    with Bar() as bar:
        task = bar.add_task("learn, then embed", total=None)

        def advance(step: int, steps: int) -> None:
            bar.update(task, completed=step, total=steps)

        if not encoder.exists():
            learn_encoder(
                images.store, np.arange(images.train), params, seed=EMBEDDING_SEED, out=encoder,
                checkpoint=encoder.with_suffix(".checkpoint"), progress=advance,
            )  # fmt: skip
        embed_with_encoder(images.store, encoder, out=arguments.out, progress=advance)


if __name__ == "__main__":
    main()
