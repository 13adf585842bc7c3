"""What OOD verdicts are good for beside the probe: classes within them, and joint training.

``python -m benchmarks.outlier_classes --data DIR --json FILE`` runs `expected_value` on packaged
features of CIFAR-10 (the pools of `benchmarks.open_set_al`), and before some rounds asks several
classifiers of the same verdicts: how well does each tell the rest of the pool, how pure are the
images that it is surest of, and how often is it right about the classes of the test images?

- `probe`: the default purity; its accuracy is that of the product's own head.
- `k_plus_1`: logistic regression with one output for OOD, which is joint training with outliers
  (V. Stojnic et al., WACV 2024) on features that stay as they are.
- `clusters`: the same with an output for each class that k-means finds within the OOD verdicts, as
  many as their labeled neighbours suggest (C.-C. Zong et al., E2OAL, CVPR 2026).
- `e2oal`: the same outputs, and the Dirichlet head of that paper; purity is the largest logit of a
  known class less that of an unknown one.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import roc_auc_score
from torch import Tensor

from benchmarks.open_set.protocol import Case, Images, split
from benchmarks.open_set.runs import Algorithm, Learner, Setup
from benchmarks.runs import Run, Runs, spread
from models.heads.head import Scaling
from models.heads.penalty import choose_penalty
from models.heads.search import HeadSearch
from models.numerics.similarity import unit_rows
from models.protocols import OOD, Float32Array, Indices, OpenSetLabels
from models.rounds.query import score_pool

FEATURES: Final = "efficientnet_lite0"
CLASSIFIERS: Final = ("probe", "k_plus_1", "clusters", "e2oal")
LOOKED_AT: Final = (0, 2, 5)
BUDGET: Final = 250
POOL: Final = 10_000
_MOST_CLUSTERS: Final = 60
_ITERATIONS: Final = 100


@dataclass(frozen=True)
class Verdicts:
    """Labeled features, (n, D) float32, and their (n,) labels, 0..classes-1 or `OOD`."""

    features: Float32Array
    labels: Indices
    classes: int

    @property
    def outputs(self) -> Indices:
        """Return (n,) labels in 0..classes, the last for OOD."""
        return np.where(self.labels == OOD, self.classes, self.labels)


def found_classes(verdicts: Verdicts, seed: int) -> Indices:
    """Return (n,) outputs, 0..classes-1 and beyond: a class for each group within the OOD.

    The number of groups is the one whose k-means agrees best with the verdicts: the geometric mean
    of the F1 of each class and of OOD, the groups matched to the classes one to one (E2OAL, the
    F1-product), by ternary search as published.
    """
    rows, known = unit_rows(verdicts.features), verdicts.outputs
    tried: dict[int, KMeans] = {}

    def agreement(count: int) -> float:
        if count not in tried:
            tried[count] = KMeans(count, n_init=1, random_state=seed).fit(rows)
        return f1_product(tried[count].labels_, known, verdicts.classes)[0]

    low, high = verdicts.classes + 1, min(_MOST_CLUSTERS, len(rows) // 3)
    while high - low > 2:
        first, second = low + (high - low) // 3, high - (high - low) // 3
        if agreement(first) < agreement(second):
            low = first
        else:
            high = second
    best = max(range(low, high + 1), key=agreement)
    means = tried[best]
    taken = f1_product(means.labels_, known, verdicts.classes)[1]
    others = [group for group in range(best) if group not in taken]
    is_ood = verdicts.labels == OOD
    distances = ((rows[is_ood, None] - means.cluster_centers_[others][None]) ** 2).sum(axis=2)
    outputs = known.copy()
    outputs[is_ood] = verdicts.classes + distances.argmin(axis=1)
    # Groups that nobody is in have no output.
    return np.unique(outputs, return_inverse=True)[1] if len(others) else known


def f1_product(groups: Indices, known: Indices, classes: int) -> tuple[float, list[int]]:
    """Return how well (n,) groups agree with (n,) outputs, and which groups are the classes'."""
    table = np.zeros((groups.max() + 1, classes + 1))
    np.add.at(table, (groups, known), 1)
    taken, named = linear_sum_assignment(-table[:, :classes])
    scores = []
    for group, name in zip(taken, named, strict=True):
        both = table[group, name]
        scores.append(2 * both / (table[group].sum() + table[:, name].sum()))
    rest = np.setdiff1d(np.arange(len(table)), taken)
    both = table[rest, classes].sum()
    scores.append(2 * both / (table[rest].sum() + table[:, classes].sum()))
    return float(np.exp(np.log(np.maximum(scores, 1e-6)).mean())), taken.tolist()


def dirichlet(x: Tensor, target: Tensor, outputs: int, l2: float) -> tuple[Tensor, Tensor]:
    """Fit the weight (D, K) and bias (K,) of a head whose logits are the evidence of a Dirichlet.

    Source: E2OAL, Dirichlet-calibrated auxiliary head: alpha = exp(logits) + 1, the negative
    log-likelihood of alpha / sum, and the divergence of what speaks for wrong classes to nothing.
    """
    weight = torch.zeros(x.shape[1], outputs, dtype=x.dtype, requires_grad=True)
    bias = torch.zeros(outputs, dtype=x.dtype, requires_grad=True)
    hot = torch.nn.functional.one_hot(target, outputs).to(x.dtype)
    optimizer = torch.optim.LBFGS(
        [weight, bias], max_iter=_ITERATIONS, history_size=20, line_search_fn="strong_wolfe"
    )

    def objective() -> Tensor:
        optimizer.zero_grad()
        alpha = torch.exp((x @ weight + bias).clamp(-10, 10)) + 1
        total = alpha.sum(dim=1)
        fit = (hot * (total[:, None].log() - alpha.log())).sum(dim=1)
        wrong = hot + (1 - hot) * alpha
        amount = wrong.sum(dim=1)
        apart = (
            torch.lgamma(amount)
            - torch.lgamma(torch.tensor(float(outputs), dtype=x.dtype))
            - torch.lgamma(wrong).sum(dim=1)
            + ((wrong - 1) * (torch.digamma(wrong) - torch.digamma(amount)[:, None])).sum(dim=1)
        )
        loss = (fit + apart / outputs).mean() + l2 / (2 * len(x)) * weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(objective)  # type: ignore[no-untyped-call]
    return weight.detach(), bias.detach()


def _logistic(x: Tensor, target: Tensor, outputs: int, l2: float) -> tuple[Tensor, Tensor]:
    wanted = np.eye(outputs)[target.numpy()]
    weight, bias = HeadSearch(x.numpy()).minimise(wanted, l2, _ITERATIONS)
    return torch.from_numpy(weight), torch.from_numpy(bias)


def head_logits(name: str, verdicts: Verdicts, asked: Float32Array, seed: int) -> Float32Array:
    """Return the (m, K) logits of (m, D) rows, of the known classes first.

    The penalty is that of the product's head, chosen by cross-validation on the known classes.
    """
    outputs = verdicts.outputs if name == "k_plus_1" else found_classes(verdicts, seed)
    scaling = Scaling.of_pool(asked)
    x = torch.from_numpy(scaling.apply(verdicts.features)).double()
    count, target = int(outputs.max()) + 1, torch.from_numpy(outputs)
    inside = verdicts.labels != OOD
    l2 = choose_penalty(
        verdicts.features[inside],
        verdicts.labels[inside],
        classes=verdicts.classes,
        scaling=scaling,
        seed=seed,
    )
    fit = dirichlet if name == "e2oal" else _logistic
    weight, bias = fit(x, target, count, l2)
    rows = torch.from_numpy(scaling.apply(asked)).double()
    logits: Float32Array = (rows @ weight + bias).float().numpy()
    return logits


def purity_of(name: str, logits: Float32Array, classes: int) -> Float32Array:
    """Return (m,) purity, higher = more in-distribution, of (m, K) logits."""
    known, unknown = logits[:, :classes].astype(np.float64), logits[:, classes:].astype(np.float64)
    if name == "e2oal":
        margin: Float32Array = (known.max(axis=1) - unknown.max(axis=1)).astype(np.float32)
        return margin
    odds: Float32Array = (
        np.logaddexp.reduce(known, axis=1) - np.logaddexp.reduce(unknown, axis=1)
    ).astype(np.float32)
    return odds


def looked_at(learner: Learner, number: int) -> list[Run]:
    """Ask every classifier before a round, of the verdicts so far."""
    parts, embeddings = learner.parts, learner.embeddings
    assert embeddings is not None
    labels, labeled = parts.labels, learner.labeled
    rest = np.setdiff1d(parts.pool, labeled, assume_unique=True)
    truth = labels[rest] != OOD
    said = OpenSetLabels.of(labels[labeled], labels[labeled] == OOD)
    verdicts = Verdicts(np.asarray(embeddings[labeled]), labels[labeled], int(labels.max()) + 1)
    found = []
    for name in CLASSIFIERS:
        if name == "probe":
            model = learner.trained(number)
            settings = learner.algorithm.settings
            scored = score_pool(model, rest, labeled, said, settings, seed=learner.seed)
            purity = scored.scores.purity
            named = model.infer(parts.test).logits.argmax(axis=1)
        else:
            both = np.concatenate([rest, parts.test])
            logits = head_logits(name, verdicts, np.asarray(embeddings[both]), learner.seed)
            purity = purity_of(name, logits[: len(rest)], verdicts.classes)
            named = logits[len(rest) :, : verdicts.classes].argmax(axis=1)
        surest = np.argsort(-purity, kind="stable")[:BUDGET]
        found.append(
            {
                "round": number,
                "classifier": name,
                "auroc": float(roc_auc_score(truth, purity)),
                "pure": float(truth[surest].mean()),
                "accuracy": float((named == labels[parts.test]).mean()),
            }
        )
    return found


def main() -> None:
    options = _arguments()
    torch.set_num_threads(1)
    config = {"features": FEATURES, "budget": BUDGET, "pool": POOL}
    runs = Runs(options.json, config, ("noise", "trial", "seed", "round", "classifier"))
    pictures = Images.prepare(options.data, options.cache)
    pictures.embed(FEATURES, {})
    setup = Setup(pictures, FEATURES, {}, budget=BUDGET, pool_size=POOL)
    last = {"round": LOOKED_AT[-1], "classifier": CLASSIFIERS[-1]}
    for noise in map(float, options.noise.split(",")):
        for trial in range(options.trials):
            case: dict[str, Any] = {"noise": noise, "trial": trial, "seed": options.seed}
            if case | last in runs:
                continue
            learner = Learner(
                setup,
                Algorithm.parse("expected_value/probe/margin"),
                split(
                    pictures.targets,
                    pictures.train,
                    Case(noise, trial, options.seed),
                    budget=BUDGET,
                    pool_size=POOL,
                ),
                options.seed,
            )
            for number in range(LOOKED_AT[-1] + 1):
                if number in LOOKED_AT:
                    for run in looked_at(learner, number):
                        if case | run not in runs:
                            runs.add(case | run)
                learner.round(number)
    Console(width=160).print(table(runs.all))


def table(runs: list[Run]) -> Table:
    """AUROC, purity of the surest and accuracy, mean and standard deviation over pools in %."""
    result = Table(title="packaged features, verdicts chosen by expected_value")
    for heading in ("noise", "round", "classifier", "pools", "AUROC", "pure", "accuracy"):
        result.add_column(heading)
    for noise in sorted({run["noise"] for run in runs}):
        for number in LOOKED_AT:
            for name in CLASSIFIERS:
                mine = [
                    run
                    for run in runs
                    if (run["noise"], run["round"], run["classifier"]) == (noise, number, name)
                ]
                shown = [
                    spread([100 * run[key] for run in mine])
                    for key in ("auroc", "pure", "accuracy")
                ]
                result.add_row(f"{noise:.0%}", str(number), name, str(len(mine)), *shown)
    return result


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    parser.add_argument("--noise", default="0.6,0.2", help="shares of OOD in the pool")
    parser.add_argument("--trials", type=int, default=5, help="class splits")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--cache", type=Path, default=Path("results/open_set"))
    parser.add_argument("--json", type=Path, default=Path("results/outlier_classes.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
