"""Whether a guarantee takes and brings what was said before anybody had answered, on digits.

    python -m benchmarks.guarantee_outlook --seeds 20

Of scikit-learn's 1,797 digits 0 to 5 are classes, the others OOD. A head with an output for OOD
learns from a quarter, drawn at random, as a project's model does, and says what the rest is. Then
the guarantee is gone through as in a project, with the truth for answers, and held against what was
foreseen, and against what it takes where people are asked for all checks at once that may do.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from benchmarks.certifying.people import People
from benchmarks.certifying.projects import Project, learned
from benchmarks.certifying.simulate import certify, lots_of
from models.guarantee.certification import AT_FIRST, Certification
from models.guarantee.outlook import outlook
from models.guarantee.promise import Promise
from models.heads.head import Scaling
from models.protocols import OOD

_CLASSES: Final = 6
_AT_ONCE: Final = 500
_PLAYS: Final = 20


@dataclass(frozen=True)
class Row:
    """What was said of one pool, and what came.

    Attributes:
        size: examples in the pool, those that were learned from among them.
        target: share of wrong labels that was promised.
        seed: of the pool, the answers and the draws.
        said, low, high: checks that were foreseen, on average and at the ends.
        taken: checks that it took.
        at_once: checks that it would have taken, had people been asked for all that may be needed.
        labeled_at_once: labels that would have been given then.
        foreseen: labels that were foreseen.
        labeled: labels that were given.
        in_vain: foreseen chance that none would be.
    """

    size: int
    target: float
    seed: int
    said: int
    low: int
    high: int
    taken: int
    at_once: int
    labeled_at_once: int
    foreseen: int
    labeled: int
    in_vain: float


def certified(size: int, target: float, seed: int) -> Row:
    """Look ahead in one pool, then go through with it."""
    project = _project(size, seed)
    promise = Promise(target, is_ood_apart=False)
    state = Certification(lots_of(project), promise, seed=seed)
    found = outlook(state, at_once=_AT_ONCE, plays=_PLAYS, seed=seed)
    came, bold = (
        certify(
            project,
            promise,
            People(project, 0.0, seed),
            seed=seed,
            batch=_AT_ONCE,
            at_first=at_first,
        )
        for at_first in (AT_FIRST, _AT_ONCE)
    )
    return Row(
        size,
        target,
        seed,
        said=found.answers,
        low=found.low,
        high=found.high,
        taken=came.draws,
        at_once=bold.draws,
        labeled_at_once=bold.auto,
        foreseen=found.labeled,
        labeled=came.auto,
        in_vain=found.in_vain,
    )


def _project(size: int, seed: int) -> Project:
    """A quarter is answered, by chance; what a project's model says of the others."""
    rng = np.random.default_rng(seed)
    digits = load_digits()
    chosen = rng.permutation(len(digits.target))[:size]
    rows = (digits.data[chosen] / 16).astype(np.float32)
    truth = np.where(digits.target[chosen] < _CLASSES, digits.target[chosen], OOD).astype(np.int64)
    asked, left = np.split(np.arange(size), [size // 4])
    return learned(rows, asked, left, truth, _CLASSES, Scaling.of_pool(rows), seed)


def _rows(seeds: int) -> Iterator[Row]:
    for size in (600, 1_200, 1_797):
        for target in (0.02, 0.05, 0.1):
            for seed in range(seeds):
                yield certified(size, target, seed)


def main() -> None:
    """Measure, and print means and deviations over seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", type=Path, default=Path("results/guarantee_outlook.json"))
    arguments = parser.parse_args()
    rows = list(_rows(arguments.seeds))
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    table = Table(
        "pool",
        "promise",
        "said",
        "taken",
        "within",
        "all at once",
        "foreseen",
        "labeled",
        "in vain",
    )
    for size, target in sorted({(row.size, row.target) for row in rows}):
        some = [row for row in rows if (row.size, row.target) == (size, target)]
        within = sum(row.low <= row.taken <= row.high for row in some)
        said_in_vain = np.mean([row.in_vain for row in some])
        was_in_vain = np.mean([row.labeled == 0 for row in some])
        table.add_row(
            f"{size:,}",
            f"{target:.0%}",
            _spread([row.said for row in some]),
            _spread([row.taken for row in some]),
            f"{within} of {len(some)}",
            _spread([row.at_once for row in some]),
            _spread([row.foreseen for row in some]),
            _spread([row.labeled for row in some]),
            f"{said_in_vain:.0%}, was {was_in_vain:.0%}",
        )
    Console().print(table)
    in_vain = [row for row in rows if row.labeled == 0]
    alike = sum(row.labeled == row.labeled_at_once for row in rows)
    Console().print(
        f"{len(in_vain)} of {len(rows)} came to none, after "
        f"{np.mean([row.taken for row in in_vain]):.0f} checks, all at once "
        f"{np.mean([row.at_once for row in in_vain]):.0f}; {alike} label as many either way."
    )


def _spread(values: list[int]) -> str:
    return f"{np.mean(values):,.0f} ± {np.std(values):,.0f}"


if __name__ == "__main__":
    main()
