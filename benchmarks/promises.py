"""Whether what is promised, and what random checks tell, is so on the product itself, on digits.

    python -m benchmarks.promises --projects 40

PostgreSQL, the API and the workers run as `karat up` runs them; people are made up, and go by HTTP
alone. Each project is a new pool of scikit-learn's digits, of which 0 to 3 are classes. Where
`benchmarks.guarantee` asks whether the formulas are right, this asks whether the product keeps to
them while people correct themselves, label by hand, import and hold out.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.certifying.live import LOOK, Live
from benchmarks.runs import Run, Runs, difference, spread
from karat.client.certificate_types import CertificateDetail
from karat.client.client import Client
from karat.client.pool_types import Example
from karat.demo.demo_pool import digits
from karat.local.stack import Stack

_TARGET: Final = 0.1
_CONFIDENCE: Final = 0.8
_ANSWERS: Final = 200
_FEW: Final = 20
"""Answers of a round where checks tell how right a model is: it has to be wrong at times."""
_DRAWS: Final = 100
_WRONG: Final = 1.06
"""Times the target is wrong of what is left, of whatever the model says: what passes is broken."""
_HURRIED: Final = 0.7
"""Of the model's mistakes that are looked at; people say the same at first."""
_SURE: Final = 0.3


def promised(live: Live, *, soon: bool = False, late: bool = False) -> Run:
    """Go through with a guarantee where a little too much is wrong of whatever the model says.

    Args:
        live: The project, finished.
        soon: People are in a hurry, and put it right before they are asked on.
        late: They put it right once everything is decided, before it is applied.
    """
    left = [one["name"] for one in live.unlabeled()]
    live.wrong = live.some(left, _WRONG * _TARGET)
    live.hurried = live.some(left, _HURRIED) if soon or late else set()
    found = certified(live, live.put_right if soon else int, live.put_right if late else int)
    labeled = live.by_models()
    ood = [one["name"] in live.wrong for one in labeled if one["state"] == "ood"]
    others = [one["name"] in live.wrong for one in labeled if one["state"] != "ood"]
    return {
        "state": found["state"],
        "pool": len(left),
        "checks": found["answered"],
        "labeled": len(labeled),
        "wrong": sum(ood) + sum(others),
        "broken": any(sum(part) > _TARGET * len(part) for part in (ood, others)),
    }


def certified(
    live: Live, on_answers: Callable[[], int] = int, on_ready: Callable[[], int] = int
) -> CertificateDetail:
    """Begin a guarantee, answer until it is decided, and let it label.

    Args:
        live: The project.
        on_answers: Done after each batch of answers.
        on_ready: Done whenever it is about to label.
    """
    certificates = live.project.certificates
    id_ = certificates.begin(target=_TARGET, confidence=_CONFIDENCE)["id"]

    def decided() -> CertificateDetail:
        while (found := certificates.get(id_))["state"] in ("scoring", "asking"):
            # Its own checks, and no more of the queue.
            said = live.answer(found["waiting"])
            on_answers()
            while said and certificates.get(id_)["answered"] < found["answered"] + said:
                sleep(LOOK)
            sleep(0 if said else LOOK)
        return found

    while (found := decided())["state"] == "ready":
        on_ready()
        # What was corrected may leave less of it, or too little: then it is asked on.
        certificates.apply(id_)
    return found


def checked(live: Live, first: Callable[[Live, list[Example], Path], object], work: Path) -> Run:
    """Draw at random, do something to what the model is surest of, draw again.

    Args:
        live: The project, which goes on.
        first: What is done, to a project and its surest images, between the draws.
        work: A folder of its own.
    """
    live.project.ask_audit(_DRAWS)
    live.close_round()
    surest = sorted(live.unlabeled(), key=live.surety, reverse=True)
    first(live, surest[: round(_SURE * len(surest))], work)
    live.project.ask_audit(_DRAWS)
    live.close_round()
    told, left = live.project.audit(), live.left()
    share = told["accuracy"]
    if share is None:
        return {"left": len(left), "past": told["past"], "told": None, "outside": False}
    # The draws that count are part of the whole that is spoken of. Those that nobody has answered
    # are not, but chance has chosen them: with them it is as right.
    right = share["share"] * share["n"] + sum(not live.is_wrong(one) for one in left)
    right /= share["n"] + len(left)
    return {
        "left": len(left),
        "right": right,
        "past": told["past"],
        "told": share["share"],
        "low": share["low"],
        "high": share["high"],
        "outside": not share["low"] <= right <= share["high"],
    }


PROMISES: Final[dict[str, dict[str, bool]]] = {
    "nobody errs": {},
    "slips that are put right at once": {"soon": True},
    "slips that are put right when it is ready": {"late": True},
}
CHECKS: Final[dict[str, Callable[[Live, list[Example], Path], object]]] = {
    "nothing between": lambda *_: None,
    "a guarantee has labeled": lambda live, *_: certified(live),
    "the surest labeled by hand": lambda live, surest, _: live.judge(surest),
    "labels of the surest imported": lambda live, surest, work: live.import_labels(surest, work),
    "the surest held out": lambda live, surest, _: live.project.pool.hold_out(
        [one["id"] for one in surest]
    ),
}


def measure(stack: Stack, runs: Runs, projects: int, console: Console) -> None:
    """Run what has not been run yet."""
    with Client(stack.url) as client, tempfile.TemporaryDirectory() as folder:
        assert stack.admin_email is not None
        assert stack.admin_password is not None
        client.login(stack.admin_email, stack.admin_password)
        for seed in range(projects):
            pool = digits(seed)
            images, _ = pool.write(Path(folder))
            for name in (*PROMISES, *CHECKS):
                case: Run = {"situation": name, "seed": seed}
                if case in runs:
                    continue
                title = f"{name}, {seed}"
                if name in PROMISES:
                    live = Live(client, pool, title, seed, budget=_ANSWERS, rounds=1)
                else:
                    live = Live(client, pool, title, seed, budget=_FEW, rounds=100)
                live.begin(images, _DRAWS + _FEW)
                if name in PROMISES:
                    found = promised(live, **PROMISES[name])
                else:
                    found = checked(live, CHECKS[name], Path(folder))
                runs.add(case | found)
                console.print(case | found)


def show(runs: list[Run], console: Console) -> None:
    """Print a table of promises, and one of checks."""
    promises = Table("guarantee", "projects", "label any", "broken", "labeled", "wrong", "checks")
    for name in PROMISES:
        if found := [run for run in runs if run["situation"] == name]:
            some = [run for run in found if run["labeled"]]
            promises.add_row(
                name,
                str(len(found)),
                str(len(some)),
                str(sum(run["broken"] for run in found)),
                f"{np.mean([run['labeled'] / run['pool'] for run in found]):.1%}",
                f"{np.mean([run['wrong'] / run['labeled'] for run in some]):.1%}" if some else "-",
                spread([run["checks"] for run in found], 0),
            )
    checks = Table("random checks", "projects", "tell", "outside", "told", "true", "told − true")
    for name in CHECKS:
        if found := [run for run in runs if run["situation"] == name]:
            some = [run for run in found if run["told"] is not None]
            checks.add_row(
                name,
                str(len(found)),
                str(len(some)),
                str(sum(run["outside"] for run in found)),
                spread([100 * run["told"] for run in some]),
                spread([100 * run["right"] for run in some]),
                difference([100 * (run["told"] - run["right"]) for run in some]),
            )
    console.print(promises, checks)


def main() -> None:
    """Measure what is not measured yet, and print everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--projects", type=int, default=40, help="of each situation")
    parser.add_argument("--json", type=Path, default=Path("results/promises.json"))
    arguments = parser.parse_args()
    console = Console(width=120)
    config = {
        "target": _TARGET,
        "confidence": _CONFIDENCE,
        "answers": [_ANSWERS, _FEW],
        "draws": _DRAWS,
    }
    runs = Runs(arguments.json, config, ("situation", "seed"))
    with (
        tempfile.TemporaryDirectory(prefix="karat-promises-") as folder,
        Stack(Path(folder) / "data", port=0) as stack,
    ):
        measure(stack, runs, arguments.projects, console)
    show(runs.all, console)


if __name__ == "__main__":
    main()
