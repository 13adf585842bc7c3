"""Whether what a certificate promises is so, and what it costs people, on CIFAR-10.

    python -m benchmarks.guarantee --data DIR --projects 200
    python -m benchmarks.guarantee --data DIR --pool 60000

`DIR` holds `cifar10_train.parquet` and `cifar10_test.parquet` with columns `image` (encoded) and
`label` (0..9). Models learn from answers on the packaged features, as projects' models do; what
they say of the rest is kept in `--cache`, and every finished row in `--json`, so that a benchmark
that was stopped goes on.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.certifying.people import People
from benchmarks.certifying.projects import MODEL, Kind, Plan, Project, adversarial, make
from benchmarks.certifying.simulate import Outcome, certify, plain_threshold, uniform_audit
from benchmarks.open_set.protocol import Images
from models.guarantee.promise import Promise

SECONDS: Final = 2.0
"""Of a person for a verdict; the table's seconds are proportional to it."""
_TARGETS: Final = (0.01, 0.02, 0.05)


@dataclass(frozen=True)
class Row:
    """A way to finish pools, in some situation.

    Attributes:
        situation: what the projects are like.
        way: how their pools are finished.
        promise: what is promised.
        error: how often people err.
        run: (project, seed) to what came of it.
        kind: of project.
    """

    situation: str
    way: str
    promise: Promise
    error: float
    run: Callable[[Project, int], Outcome]
    kind: Kind = "usual"

    @property
    def name(self) -> str:
        """Return a name for the results."""
        apart = " OOD apart" if self.promise.is_ood_apart else ""
        each = " each" if self.promise.scope == "class" else ""
        return f"{self.situation}/{self.promise.target:g}{apart}{each}/{self.error:g}/{self.way}"


def main() -> None:
    """Measure what is not measured yet, and print everything."""
    arguments = _arguments()
    images = Images.prepare(arguments.data, arguments.cache)
    images.embed(MODEL, {})
    made = arguments.cache / "projects"
    results: dict[str, Any] = {}
    if arguments.json.exists():
        results = json.loads(arguments.json.read_text())
    if arguments.pool:
        plans: dict[Kind, list[Plan]] = {"usual": [Plan(0, arguments.pool, 6, arguments.answers)]}
        rows = list(_pool_rows())
    else:
        kinds: dict[Kind, int] = {"usual": arguments.models, "drifted": arguments.models // 4}
        plans = {
            kind: [Plan(seed, 20_000, None, 1_500, kind) for seed in range(models)]
            for kind, models in kinds.items()
        }
        rows = list(_coverage_rows())
    projects = {kind: [make(plan, images, made) for plan in of] for kind, of in plans.items()}
    for row in rows:
        key = f"{arguments.pool or 20_000}/{row.name}"
        if key not in results:
            of = projects[row.kind]
            found = [row.run(of[at % len(of)], at) for at in range(arguments.projects)]
            results[key] = _summary(found)
            arguments.json.parent.mkdir(parents=True, exist_ok=True)
            arguments.json.write_text(json.dumps(results, indent=1))
    Console(width=160).print(_table(results))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--cache", type=Path, default=Path("results/guarantee"))
    parser.add_argument("--projects", type=int, default=200, help="simulated, of each row")
    parser.add_argument("--models", type=int, default=72, help="that the projects share in turn")
    parser.add_argument("--pool", type=int, help="one pool of so many, with six classes, instead")
    parser.add_argument("--answers", type=int, default=3_000, help="learned from in that pool")
    parser.add_argument("--json", type=Path, default=Path("results/guarantee.json"))
    return parser.parse_args()


def _certified(
    promise: Promise, error: float, *, follow: float = 0.0, batch: int = 100, stop: bool = False
) -> Callable[[Project, int], Outcome]:
    def run(project: Project, seed: int) -> Outcome:
        people = People(project, error, seed, follow=follow)
        return certify(project, promise, people, seed=seed, batch=batch, stop=stop)

    return run


def _audited(promise: Promise, error: float, draws: int) -> Callable[[Project, int], Outcome]:
    def run(project: Project, seed: int) -> Outcome:
        people = People(project, error, seed)
        return uniform_audit(project, promise, people, seed=seed, draws=draws)

    return run


def _coverage_rows() -> Iterator[Row]:
    """What is to hold first, what is compared with it last."""
    together = {one: Promise(target=one, is_ood_apart=False) for one in _TARGETS}
    half = together[0.05]
    for error in (0.0, 0.03):
        for promise in together.values():
            yield Row("usual", "certified", promise, error, _certified(promise, error))
    for promise in together.values():
        yield Row("adversarial", "certified", promise, 0.0, _against(promise))
        yield Row("usual", "threshold", promise, 0.0, _plain(promise))
    follow = _certified(half, 0.03, follow=0.3)
    yield Row("people follow the model in 3 of 10 mistakes", "certified", half, 0.03, follow)
    for promise in (together[0.02], half):
        yield Row("drifted", "certified", promise, 0.0, _certified(promise, 0.0), "drifted")
        yield Row("drifted", "threshold", promise, 0.0, _plain(promise), "drifted")
        apart = replace(promise, is_ood_apart=True)
        yield Row("usual", "certified", apart, 0.0, _certified(apart, 0.0))
        yield Row("usual", "uniform audit 1000", promise, 0.0, _audited(promise, 0.0, 1_000))
    stop = _certified(half, 0.0, batch=10, stop=True)
    yield Row("stopped as soon as anything passes", "certified", half, 0.0, stop)
    each = Promise(target=0.05, scope="class")
    yield Row("usual", "certified", each, 0.0, _certified(each, 0.0))


def _against(promise: Promise) -> Callable[[Project, int], Outcome]:
    certified = _certified(promise, 0.0)

    def run(project: Project, seed: int) -> Outcome:
        return certified(adversarial(project, promise.target, seed), seed)

    return run


def _pool_rows() -> Iterator[Row]:
    for target in (0.02, 0.05, 0.01):
        promise = Promise(target=target, is_ood_apart=False)
        for is_apart in (False, True):
            one = replace(promise, is_ood_apart=is_apart)
            yield Row("pool", "certified", one, 0.0, _certified(one, 0.0))
        yield Row("pool", "certified", promise, 0.03, _certified(promise, 0.03))
        for draws in (1_000, 2_000):
            way = f"uniform audit {draws}"
            yield Row("pool", way, promise, 0.0, _audited(promise, 0.0, draws))
        yield Row("pool", "threshold", promise, 0.0, _plain(promise))


def _plain(promise: Promise) -> Callable[[Project, int], Outcome]:
    def run(project: Project, _seed: int) -> Outcome:
        return plain_threshold(project, promise)

    return run


def _summary(found: list[Outcome]) -> dict[str, Any]:
    """Means over projects, and the spread of what is labeled."""
    auto = np.array([one.auto / one.pool for one in found])
    some = [one for one in found if one.auto]
    return {
        "projects": len(found),
        "kept": sum(one.kept for one in found),
        "some": len(some),
        "kept_of_some": sum(one.kept for one in some),
        "auto": float(auto.mean()),
        "auto_std": float(auto.std()),
        "wrong": float(np.mean([one.wrong / one.auto for one in some])) if some else None,
        "draws": float(np.mean([one.draws for one in found])),
        "answers": float(np.mean([one.answers for one in found])),
        "pool": float(np.mean([one.pool for one in found])),
        "first": asdict(found[0]),
    }


def _table(results: dict[str, Any]) -> Table:
    table = Table(
        "", "kept", "of those that label any", "labeled", "wrong", "draws", "answers", "h saved"
    )
    for name, row in results.items():
        wrong = "-" if row["wrong"] is None else f"{100 * row['wrong']:.2f} %"
        table.add_row(
            name,
            f"{row['kept']} of {row['projects']}",
            f"{row['kept_of_some']} of {row['some']}",
            f"{100 * row['auto']:.1f} ± {100 * row['auto_std']:.1f} %",
            wrong,
            f"{row['draws']:,.0f}",
            f"{row['answers']:,.0f} of {row['pool']:,.0f}",
            f"{(row['pool'] - row['answers']) * SECONDS / 3600:.1f} h",
        )
    return table


if __name__ == "__main__":
    main()
