"""How well wrong labels are found, beside a peer with the same features and the same folds.

``python -m benchmarks.wrong_labels --data DIR --json FILE``

``DIR`` holds the folders ``cifar10``, ``tinyimagenet``, ``ood_textures`` and ``photos`` with their
Parquet files. The peer is scikit-learn's logistic regression out of fold, ordered by cleanlab's
label quality (self confidence and normalised margin), and `find_label_issues`. What ended is kept;
a stopped run goes on.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from benchmarks.noisy_labels import MODEL, SETS, Case
from benchmarks.runs import Runs
from models.heads.head import Scaling
from models.protocols import Indices
from models.relabeling import FIX_GAIN
from models.relabeling.frozen import Judgement, judge_labels
from models.relabeling.opinions import folds_of
from models.relabeling.recalibration import recalibrate

DEPTHS: Final = (100, 300, 600, 1_200)
DECISIONS: Final = (500, 1_000)
_REVIEWER_ERRS: Final = 0.03
_BATCH: Final = 20
_BINS: Final = 15


@dataclass(frozen=True)
class Order:
    """What somebody makes of the labels.

    Attributes:
        score: (N,) higher = reviewed sooner.
        fix: (N,) int64, the class proposed.
        wrong: (N,) in 0..1, said probability that the label is wrong; None if none is said.
        flagged: how many are said to be wrong.
    """

    score: NDArray[np.floating]
    fix: Indices
    wrong: NDArray[np.floating] | None
    flagged: NDArray[np.bool_] | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", default="worst,random1,tiny-symmetric,tiny-confusable,textures")
    parser.add_argument("--learners", default="sop_plus,ce,dividemix")
    parser.add_argument("--cache", type=Path, default=Path("results/wrong_labels"))
    parser.add_argument("--json", type=Path, default=Path("results/wrong_labels.json"))
    parser.add_argument("--reviewers", action="store_true", help="only reviews that teach")
    parser.add_argument(
        "--redrawn", type=int, default=0, help="only differences to the peer, over so many draws"
    )
    arguments = parser.parse_args()
    runs = Runs(arguments.json, {"model": MODEL}, ("case", "seed", "method"))
    learners = arguments.learners.split(",")
    if arguments.reviewers:
        reviewers(arguments, runs)
        return
    if arguments.redrawn:
        redrawn(arguments, runs)
        return
    for name in arguments.sets.split(","):
        for seed in range(arguments.seeds):
            methods = ["self_confidence", "normalized_margin", *learners]
            missing = [
                one for one in methods if {"case": name, "seed": seed, "method": one} not in runs
            ]
            if missing:
                case = SETS[name](arguments.data, arguments.cache, seed)
                for method, order, seconds in orders(case, missing, seed):
                    runs.add(
                        {"case": name, "seed": seed, "method": method, "seconds": seconds}
                        | measured(case, order, seed)
                    )
    console = Console(width=180)
    for name in dict.fromkeys(run["case"] for run in runs.all):
        console.print(table(runs, name))


def reviewers(arguments: argparse.Namespace, runs: Runs) -> None:
    """Have the labels reviewed in each order by the same reviewer."""
    console = Console(width=180)
    for name in arguments.sets.split(","):
        for seed in range(arguments.seeds):
            key = {"case": name, "seed": seed}
            if {**key, "method": "taught again"} in runs:
                continue
            case = SETS[name](arguments.data, arguments.cache, seed)
            shared = {"count": len(case.labels), "noise": float((case.labels != case.truth).mean())}
            own = ["self_confidence", "normalized_margin"]
            for method, order, _ in orders(case, own, seed):
                ranked = np.argsort(-order.score, kind="stable")
                found = {
                    f"right_after_{one}": reviewed(case, ranked[:one], seed) for one in DECISIONS
                }
                runs.add({**key, "method": method, **shared, **found})
            judged = judge_labels(case.embeddings, case.labels, classes=case.classes, seed=seed)
            ranked = np.argsort(-judged.worth, kind="stable")
            found = {f"right_after_{one}": reviewed(case, ranked[:one], seed) for one in DECISIONS}
            runs.add({**key, "method": "as judged", **shared, **found})
            for method, again in (("taught", None), ("taught again", DECISIONS[0])):
                runs.add(
                    {**key, "method": method, **shared, **taught(case, judged, seed, again=again)}
                )
        console.print(table(runs, name))


def redrawn(arguments: argparse.Namespace, runs: Runs) -> None:
    """Say how far differences to the peer hang on which images there are, by the bootstrap.

    Of a set that is taken whole, seeds change nothing but folds.
    """
    console, peers = Console(width=180), ("self_confidence", "normalized_margin")
    names = [f"{what}_{depth}" for depth in DEPTHS for what in ("wrong", "fixed")]
    for name in arguments.sets.split(","):
        for learner in arguments.learners.split(","):
            key = {"case": name, "seed": 0, "method": learner}
            if key not in runs:
                case = SETS[name](arguments.data, arguments.cache, 0)
                found = {one: order for one, order, _ in orders(case, [*peers, learner], 0)}
                draws = {one: _redrawn(case, found[one], arguments.redrawn) for one in found}
                for peer in peers:
                    apart = draws[learner] - draws[peer]
                    spread = zip(names, apart.mean(axis=0), apart.std(axis=0, ddof=1), strict=True)
                    key |= {f"{peer}_{one}": [float(mean), float(sd)] for one, mean, sd in spread}
                runs.add(key)
    result = Table("", *(f"{run['case']}, {run['method']}" for run in runs.all))
    for peer in peers:
        for one in names:
            cells = (run[f"{peer}_{one}"] for run in runs.all)
            result.add_row(f"{one}, less {peer}", *(f"{m:+.2%} ± {sd:.2%}" for m, sd in cells))
    console.print(result)


def _redrawn(case: Case, order: Order, draws: int) -> NDArray[np.float64]:
    """(draws, depths x 2) shares of wrong labels and right fixes, of images drawn anew."""
    random, count = np.random.default_rng(0), len(case.labels)
    ranked = np.argsort(-order.score, kind="stable")
    right = np.stack([case.labels != case.truth, order.fix == case.truth])[:, ranked]
    result = np.empty((draws, 2 * len(DEPTHS)))
    for number in range(draws):
        times = np.bincount(random.integers(0, count, count), minlength=count)[ranked]
        before = np.cumsum(times) - times
        shares = [right @ np.clip(depth - before, 0, times) / depth for depth in DEPTHS]
        result[number] = np.concatenate(shares)
    return result


def orders(case: Case, methods: list[str], seed: int) -> Iterator[tuple[str, Order, float]]:
    """Yield each method with its order and the seconds it took."""
    peers = [one for one in methods if one in ("self_confidence", "normalized_margin")]
    if peers:
        started = time.perf_counter()
        probabilities = peer(case, seed)
        seconds = time.perf_counter() - started
        rest = probabilities.copy()
        rest[np.arange(len(rest)), case.labels] = -1
        own = probabilities[np.arange(len(rest)), case.labels]
        flagged = find_label_issues(case.labels, probabilities, n_jobs=1)
        for one in peers:
            quality = get_label_quality_scores(case.labels, probabilities, method=one)
            yield one, Order(-quality, rest.argmax(axis=1), 1 - own, flagged), seconds
    for one in methods:
        if one not in peers:
            started = time.perf_counter()
            found = judge_labels(
                case.embeddings, case.labels, classes=case.classes, seed=seed, learner=one
            )
            seconds = time.perf_counter() - started
            yield one, Order(found.worth, found.other, found.wrong, found.wrong >= 0.5), seconds


def peer(case: Case, seed: int) -> NDArray[np.float64]:
    """Return (N, C) probabilities out of fold, by the folds that ours has."""
    scaled = Scaling.fit(case.embeddings).apply(case.embeddings)
    fold = folds_of(case.labels, seed)
    result = np.zeros((len(scaled), case.classes))
    for number in np.unique(fold):
        inside = fold == number
        head = LogisticRegression(max_iter=1000).fit(scaled[~inside], case.labels[~inside])
        result[np.ix_(inside, head.classes_)] = head.predict_proba(scaled[inside])
    return result


def measured(case: Case, order: Order, seed: int) -> dict[str, Any]:
    """Compare an order with the truth."""
    wrong = case.labels != case.truth
    ranked = np.argsort(-order.score, kind="stable")
    found: dict[str, Any] = {"count": len(wrong), "noise": float(wrong.mean())}
    for depth in (one for one in DEPTHS if one < len(wrong)):
        first = ranked[:depth]
        found[f"wrong_{depth}"] = float(wrong[first].mean())
        found[f"fixed_{depth}"] = float((order.fix[first] == case.truth[first]).mean())
    if wrong.any():
        found["average_precision"] = float(average_precision_score(wrong, order.score))
    if order.wrong is not None:
        found["calibration_error"] = calibration_error(order.wrong, wrong)
        found["said_noise"] = float(order.wrong.mean())
        if order.flagged is not None and order.flagged.any():
            found["flagged_said"] = float(order.wrong[order.flagged].mean())
    if order.flagged is not None:
        found["flagged"] = int(order.flagged.sum())
        found["flagged_wrong"] = float(wrong[order.flagged].mean()) if order.flagged.any() else None
    for decisions in (one for one in DECISIONS if one < len(wrong)):
        found[f"right_after_{decisions}"] = reviewed(case, ranked[:decisions], seed)
    return found


def calibration_error(said: NDArray[np.floating], wrong: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over 15 bins of equal width."""
    bins = np.minimum((said * _BINS).astype(int), _BINS - 1)
    apart = [
        abs(float(said[bins == one].sum() - wrong[bins == one].sum())) for one in np.unique(bins)
    ]
    return sum(apart) / len(wrong)


def reviewed(case: Case, rows: Indices, seed: int) -> float:
    """Return the share of right labels after a reviewer, 3 % of whose decisions are wrong."""
    labels = case.labels.copy()
    labels[rows] = _said(case, seed)[rows]
    return float((labels == case.truth).mean())


def _said(case: Case, seed: int) -> Indices:
    """What the reviewer would say of each image, whoever asks and whenever: (N,) classes."""
    random = np.random.default_rng(seed)
    errs = random.random(len(case.truth)) < _REVIEWER_ERRS
    other = (case.truth + random.integers(1, case.classes, len(case.truth))) % case.classes
    said: Indices = np.where(errs, other, case.truth)
    return said


def taught(case: Case, first: Judgement, seed: int, *, again: int | None) -> dict[str, Any]:
    """Review as the page does: batches in the order of what each decision has taught.

    Args:
        case: the labels.
        first: how they are judged before the first decision.
        seed: of the reviewer.
        again: after so many decisions the labels are judged again with them; None = never.
    """
    said, judged, found = _said(case, seed), first, dict[str, Any]()
    settled = np.zeros(len(said), dtype=np.bool_)
    labels, done, since = case.labels.copy(), np.empty(0, np.int64), 0
    while len(done) < max(DECISIONS):
        # A job that judges again is reviewed anew: it knows nothing of how the one before erred.
        mine, wrong, right = done[since:], said != case.labels, said == judged.other
        given = case.labels[mine]
        expected = recalibrate(judged.wrong[mine], given, wrong[mine]).apply(
            judged.wrong, case.labels
        ) + FIX_GAIN * recalibrate(judged.other_probability[mine], given, right[mine]).apply(
            judged.other_probability, case.labels
        )
        expected[settled] = -np.inf
        batch = np.argsort(-expected, kind="stable")[:_BATCH]
        settled[batch], labels[batch] = True, said[batch]
        done = np.append(done, batch)
        if len(done) in DECISIONS:
            found[f"right_after_{len(done)}"] = float((labels == case.truth).mean())
            left = recalibrate(judged.wrong[done[since:]], case.labels[done[since:]],
                               (said != case.labels)[done[since:]])  # fmt: skip
            coming = np.argsort(-np.where(settled, -1, judged.worth), kind="stable")[:100]
            now = left.apply(judged.wrong[coming], case.labels[coming])
            found[f"next_said_{len(done)}"] = float(now.mean())
            found[f"next_job_said_{len(done)}"] = float(judged.wrong[coming].mean())
            found[f"next_wrong_{len(done)}"] = float((case.labels != case.truth)[coming].mean())
        if len(done) == again:
            judged = judge_labels(
                case.embeddings, labels, classes=case.classes, seed=seed, settled=settled,
                before=case.labels,
            )  # fmt: skip
            since = len(done)
    return found


def table(runs: Runs, name: str) -> Table:
    """Return means and standard errors of each method on a data set."""
    mine = [run for run in runs.all if run["case"] == name]
    names = [
        *(f"{what}_{depth}" for depth in DEPTHS for what in ("wrong", "fixed")),
        "average_precision", "calibration_error", "said_noise", "flagged", "flagged_wrong",
        "flagged_said",
        *(f"right_after_{one}" for one in DECISIONS),
        *(f"next_{what}{one}" for one in DECISIONS for what in ("job_said_", "said_", "wrong_")),
        "seconds",
    ]  # fmt: skip
    title = (
        f"{name}: {mine[0]['count']} labels, {np.mean([one['noise'] for one in mine]):.1%} wrong"
    )
    result = Table("", *dict.fromkeys(run["method"] for run in mine), title=title)
    for one in names:
        cells = []
        for method in dict.fromkeys(run["method"] for run in mine):
            values = [
                run[one] for run in mine if run["method"] == method and run.get(one) is not None
            ]
            error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
            cells.append(f"{np.mean(values):.3f} ± {error:.3f}" if values else "–")
        if any(cell != "–" for cell in cells):
            result.add_row(one, *cells)
    return result


if __name__ == "__main__":
    main()
