"""What is claimed of a GPU, each figure by one command, in pieces that a lent card allows.

``python -m benchmarks.gpu --data DIR --out results/gpu --seconds 540``

`DIR` holds the folders `cifar10`, `ood_textures` and `tinyimagenet`. The parts, or those of
`--parts`, run one after the other, and what they measured lies in `--out` as JSON. After
`--seconds` the part at work is stopped. The same command goes on: parts that have ended are left
out, and one that was stopped does only the runs that it has not kept. It ends with 75 while
something is left, so that

``until python -m benchmarks.gpu …; do sleep 1; done``

does all of it in pieces.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from models.device import best_device

_LEFT: Final = 75
"""EX_TEMPFAIL of sysexits.h: try again."""


@dataclass(frozen=True)
class Part:
    """One claim.

    Attributes:
        claim: what its figures say.
        command: module and arguments; `{data}`, `{out}` are folders, `{json}` is where the figures
            go.
    """

    claim: str
    command: str


PARTS: Final = {
    "round": Part(
        "a round of 20,000 training steps, beside a loop that one would write",
        "benchmarks.engine --parts training --steps 20000 --repeats 3 --json {json}",
    ),
    "ten_rounds": Part(
        "ten rounds of the thesis, a ResNet-18 learned from scratch in each",
        "benchmarks.open_set_al --data {data}/cifar10 --scale full --features network --jobs 1"
        " --noise 0.2,0.6 --trials 0 --seeds 1"
        " --strategies random,conf,coreset,badge,ccal,similar,expected_value,mqnet,oracle"
        " --cache {out}/cache --json {json}",
    ),
    "csi_features": Part(
        "features of CSI as the thesis learns them",
        "benchmarks.open_set.contrastive --data {data}/cifar10 --cache {out}/cache"
        " --out {out}/csi.npy",
    ),
    "csi": Part(
        "MQ-Net and CCAL on them",
        "benchmarks.open_set_al --data {data}/cifar10 --features frozen --jobs 1"
        " --noise 0.2,0.6 --trials 0-4 --seeds 1 --strategies random,ccal,mqnet,oracle"
        " --contrastive {out}/csi.npy --cache {out}/cache --json {json}",
    ),
    "pruning": Part(
        "accuracy after pruning, PreAct ResNet-18 and 50,000 images",
        "benchmarks.pruning_accuracy --data {data}/cifar10 --scale full --learners sop_plus"
        " --ratios 0.2,0.4,0.6,0.8 --seeds 1 --cache {out}/cache --json {json}",
    ),
    "taufe": Part(
        "TAUFE on a ResNet-18 learned from scratch",
        "benchmarks.taufe --data {data}/cifar10 --textures {data}/ood_textures/dtd10.parquet"
        ' --setups textures --seeds 3 --params {{"network":"resnet18_small"}}'
        " --cache {out}/cache --json {json}",
    ),
    "taufe_mixmatch": Part(
        "TAUFE with MixMatch, 250 labels",
        "benchmarks.taufe --data {data}/cifar10 --textures {data}/ood_textures/dtd10.parquet"
        " --setups textures --sizes 250 --seeds 3 --methods supervised,standard,taufe"
        ' --params {{"network":"resnet18_small","training":"mixmatch","learning_rate":0.03}}'
        " --cache {out}/cache --json {json}",
    ),
    "taufe_adversarial": Part(
        "TAUFE under adversarial training, all labels",
        "benchmarks.taufe --data {data}/cifar10 --textures {data}/ood_textures/dtd10.parquet"
        " --setups textures --sizes 50000 --seeds 3 --methods supervised,standard,taufe"
        ' --params {{"network":"resnet18_small","training":"adversarial","steps":5000}}'
        " --cache {out}/cache --json {json}",
    ),
    "taufe_unseen": Part(
        "TAUFE judged by OOD of a data set that it has not seen",
        "benchmarks.taufe --data {data}/cifar10 --textures {data}/ood_textures/dtd10.parquet"
        " --tinyimagenet {data}/tinyimagenet --setups textures_unseen,tinyimagenet_unseen"
        ' --sizes 1000,5000 --seeds 3 --params {{"network":"resnet18_small"}}'
        " --cache {out}/cache --json {json}",
    ),
    "simclr": Part(
        "TAUFE beside SimCLR and a linear probe",
        "benchmarks.simclr --data {data}/cifar10 --textures {data}/ood_textures/dtd10.parquet"
        ' --sizes 500,5000 --seeds 3 --params {{"network":"resnet18_small"}}'
        ' --simclr {{"epochs":100,"batch_size":128}} --cache {out}/cache --json {json}',
    ),
    "learners": Part(
        "what a ResNet-18 learns from OOD answers, round by round",
        "benchmarks.open_set_al --data {data}/cifar10 --scale full --features network --jobs 1"
        " --noise 0.6 --trials 0-2 --seeds 1 --ablation learners --cache {out}/cache --json {json}",
    ),
    "cross": Part(
        "ten rounds with OOD of other data sets",
        "benchmarks.open_set_al --data {data}/cifar10 --scale full --features network --jobs 1"
        " --textures {data}/ood_textures/dtd10.parquet --tinyimagenet {data}/tinyimagenet"
        " --noise 0.2,0.6 --trials 0 --seeds 1 --budget 1000"
        " --strategies random,conf,coreset,badge,similar,expected_value,mqnet,oracle"
        " --cache {out}/cache --json {json}",
    ),
    "localization_64": Part(
        "what TAUFE does to localisation at 64 px",
        "benchmarks.localization --data {data}/tinyimagenet --side 64 --cache {out}/cache"
        " --json {json}",
    ),
    "localization_224": Part(
        "the same at 224 px",
        "benchmarks.localization --data {data}/tinyimagenet --side 224 --cache {out}/cache"
        " --json {json}",
    ),
}


def main() -> int:
    """Run what is left of the parts; returns 0 when nothing is, and 75 while something is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=Path("results/gpu"))
    parser.add_argument("--seconds", type=float, default=540.0, help="that may be used now")
    parser.add_argument("--parts", default=",".join(PARTS), help=", ".join(PARTS))
    options = parser.parse_args()
    names = options.parts.split(",")
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"on {best_device()}", flush=True)
    until = time.monotonic() + options.seconds
    for name in names:
        done = options.out / f"{name}.done"
        if done.exists():
            continue
        print(f"{name}: {PARTS[name].claim}", flush=True)
        if not _ends_in_time(PARTS[name], name, options, until - time.monotonic()):
            left = [one for one in names if not (options.out / f"{one}.done").exists()]
            print(f"the time is used up; left: {', '.join(left)}", flush=True)
            return _LEFT
        done.touch()
    print("all done")
    return 0


def _ends_in_time(part: Part, name: str, options: argparse.Namespace, seconds: float) -> bool:
    """Run a part; says whether it came to its end.

    Raises:
        SystemExit: it failed by itself.
    """
    words = [
        word.format(data=options.data, out=options.out, json=options.out / f"{name}.json")
        for word in part.command.split()
    ]
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"}) as process:
        try:
            code = process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            process.terminate()
            return False
    if code:
        raise SystemExit(f"{name} failed with {code}: {' '.join(command)}")
    return True


if __name__ == "__main__":
    sys.exit(main())
