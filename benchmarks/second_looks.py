"""How many of the answers that a round asks for once more are wrong.

``python -m benchmarks.second_looks --data DIR --json FILE``

``DIR`` holds the folders ``cifar10`` and ``ood_textures`` as for ``benchmarks.wrong_labels``. Of so
many answers, of which a share is wrong, the most doubtful twentieth is asked for once more, as a
round with its usual settings does; beside it as many drawn at random.
"""

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.noisy_labels import SETS, Case
from benchmarks.runs import Runs, spread
from models.relabeling.second_looks import doubtful

_SHARE: Final = 0.05
_ANSWERS: Final = (100, 200, 400, 800)
_SETS: Final = ("textures", "random1", "worst")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sets", default=",".join(_SETS))
    parser.add_argument("--cache", type=Path, default=Path("results/wrong_labels"))
    parser.add_argument("--json", type=Path, default=Path("results/second_looks.json"))
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    runs = Runs(arguments.json, {"share": _SHARE}, ("set", "answers", "seed"))
    for name in arguments.sets.split(","):
        case = SETS[name](arguments.data, arguments.cache, 0)
        for answers in _ANSWERS:
            for seed in range(arguments.seeds):
                run = {"set": name, "answers": answers, "seed": seed}
                if run not in runs:
                    runs.add(run | measured(case, answers, seed))
    Console().print(table(runs))


def measured(case: Case, answers: int, seed: int) -> dict[str, Any]:
    """Ask once more for a twentieth of so many answers."""
    rows = np.random.default_rng(seed).permutation(len(case.labels))[:answers]
    wrong = case.labels[rows] != case.truth[rows]
    found = doubtful(
        case.embeddings[rows],
        case.labels[rows],
        classes=case.classes,
        most=int(_SHARE * answers),
        seed=seed,
    )
    return {
        "asked": len(found),
        "wrong": float(wrong[found].mean()) if len(found) else None,
        "base": float(wrong.mean()),
    }


def table(runs: Runs) -> Table:
    """One line for each data set and number of answers."""
    shown = Table("set", "answers", "asked again", "wrong among them, %", "wrong of all, %")
    lines: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for run in runs.all:
        lines.setdefault((run["set"], run["answers"]), []).append(run)
    for (name, answers), of_line in lines.items():
        shares = [100 * run["wrong"] for run in of_line if run["wrong"] is not None]
        shown.add_row(
            name,
            str(answers),
            spread([run["asked"] for run in of_line]),
            spread(shares),
            spread([100 * run["base"] for run in of_line]),
        )
    return shown


if __name__ == "__main__":
    main()
