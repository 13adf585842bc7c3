"""One run: a strategy on a case, from the first labels to the last accuracy."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.open_set.protocol import Case, Images, Split, split
from models.catalog import find
from models.evaluation.evaluate import accuracy
from models.protocols import (
    OOD,
    Float32Array,
    Indices,
    OpenSetLabels,
    Ranking,
    TargetModel,
)
from models.ranking.candidates import NO_ANSWERS, LastAnswers, Prices
from models.ranking.mqnet import MQNet, Normalisation
from models.ranking.pool_scores import PoolScores
from models.rounds.meta_training import meta_train
from models.rounds.predictions import inside_of
from models.rounds.query import QuerySettings, Scored, score_pool, select
from models.target.train import train_target

_LEARNERS: Final[Mapping[str, Any]] = {"taufe": 0.1, "oat": 1.0, "ood_class": True}
_SUFFIXES: Final = ", ".join(["outside", *_LEARNERS])

ORACLE: Final = "oracle"
"""Smallest margin among the true in-distribution examples: what a perfect purity would give."""

_ROUNDING = 1e-9

_UNDEFINED: Final = ("in_share", "auroc")
"""Lists of an outcome in which a round may have no value."""


@dataclass(frozen=True)
class Setup:
    """What all runs of a benchmark share.

    Attributes:
        images: decoded and, in frozen mode, embedded.
        model: target model of the catalog.
        model_params: its parameters.
        rounds: trained models; the first has seen the first labels only.
        budget: what the verdicts of a round may cost.
        prices: of verdicts.
        pool_size: draw a pool of about this size; None: all images of the protocol.
        held_out: images kept out of the pool for a validation set of MQ-Net.
        contrastive: features of all images by the contrastive learner, a .npy file, or None.
        cross: whether what is OOD is from other data sets.
    """

    images: Images
    model: str
    model_params: Mapping[str, Any]
    rounds: int = 10
    budget: int = 500
    prices: Prices = field(default_factory=Prices)
    pool_size: int | None = None
    held_out: int = 0
    contrastive: Path | None = None
    cross: bool = False


@dataclass(frozen=True)
class Algorithm:
    """`strategy/purity/informativeness`, each with optional parameters: `mqnet?skyline=false`.

    Attributes:
        label: as given; names the results.
        settings: what the product would be set to.
        outside_validation: MQ-Net learns from as many held-out random examples as were asked for,
            instead of those (thesis, "Efficacy of Self-validation Set"); the suffix `+outside`.
        learner: parameters of the target model: what it learns from OOD answers; the suffixes
            `+taufe`, or `+taufe=1` for another weight, `+oat` and `+ood_class`.
    """

    label: str
    settings: QuerySettings
    outside_validation: bool = False
    learner: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, label: str) -> Self:
        """Read a label; what is left out takes the defaults of the product."""
        text, *suffixes = label.split("+")
        learner = {}
        for suffix in suffixes:
            name, _, value = suffix.partition("=")
            if name in _LEARNERS:
                learner[name] = _value(value) if value else _LEARNERS[name]
            elif suffix != "outside":
                raise SystemExit(f"{label}: nothing is called {suffix}; there are {_SUFFIXES}")
        parts = [part.partition("?") for part in text.split("/")]
        names = [name for name, _, _ in parts]
        params = [
            {key: _value(value) for key, value in (item.split("=") for item in rest.split("&"))}
            if rest
            else {}
            for _, _, rest in parts
        ]
        for name in ("strategy", "purity", "informativeness")[len(names) :]:
            names.append(getattr(QuerySettings(), name))
            params.append({})
        strategy = "margin" if names[0] == ORACLE else names[0]
        if "purity" not in find("strategy", strategy).needs:
            # Unused: the cheapest there is.
            names[1], params[1] = "energy", {}
        settings = QuerySettings(strategy, params[0], names[1], params[1], names[2], params[2])
        return cls(label, settings, "outside" in suffixes, learner)

    @property
    def is_oracle(self) -> bool:
        """Say whether the strategy sees which examples are in-distribution."""
        return self.label == ORACLE


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


@dataclass(frozen=True)
class Outcome:
    """What one run gave; lists have one entry a round.

    Attributes:
        accuracy: 0..1 on the IN test images, of the model before the round's queries.
        in_share: share of IN in the query set; NaN where nothing was left to ask for.
        auroc: of purity over everything unlabeled; NaN where the strategy uses none.
        seconds: of training, scoring, selection and meta-training.
        notes: what the product would tell its user.
    """

    accuracy: list[float]
    in_share: list[float]
    auroc: list[float]
    seconds: list[float]
    notes: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return plain lists; NaN becomes null."""
        values = asdict(self)
        for name in _UNDEFINED:
            values[name] = [None if np.isnan(value) else value for value in values[name]]
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        defined = {
            name: [float("nan") if value is None else value for value in values[name]]
            for name in _UNDEFINED
        }
        return cls(**(values | defined))


def run(setup: Setup, algorithm: Algorithm, case: Case) -> Outcome:
    """Run all rounds of one strategy on one case."""
    parts = split(
        setup.images.targets,
        setup.images.train,
        case,
        budget=setup.budget,
        pool_size=setup.pool_size,
        held_out=setup.held_out,
        cross=setup.cross,
    )
    learner = Learner(setup, algorithm, parts, case.seed)
    outcome = Outcome([], [], [], [], [])
    for number in range(setup.rounds):
        started = time.perf_counter()
        accuracy_now, auroc, asked = learner.round(number)
        outcome.accuracy.append(accuracy_now)
        asked_inside = (parts.labels[asked] >= 0).mean() if len(asked) else np.nan
        outcome.in_share.append(float(asked_inside))
        outcome.auroc.append(auroc)
        outcome.seconds.append(time.perf_counter() - started)
    outcome.notes.extend(sorted(set(learner.notes)))
    return outcome


def params_of(given: Mapping[str, Any], algorithm: Algorithm) -> dict[str, Any]:
    """Return parameters of the target model, with the outputs that the scores need.

    An output for OOD is what the suffix `+ood_class` is about, so that without it there is none.

    Args:
        given: for all algorithms alike.
        algorithm: which is to be run.
    """
    chosen = algorithm.settings
    needs = find("strategy", chosen.strategy).needs
    needs |= find("purity", chosen.purity).needs
    needs |= find("informativeness", chosen.informativeness).needs
    outputs = {"ood_class": "ood_class", "predicted_losses": "loss_prediction"}
    wanted = {name: True for need, name in outputs.items() if need in needs}
    return {"ood_class": False, **given, **wanted, **algorithm.learner}


class Learner:
    """The state that rounds hand on."""

    def __init__(self, setup: Setup, algorithm: Algorithm, parts: Split, seed: int) -> None:
        self.setup, self.algorithm, self.parts, self.seed = setup, algorithm, parts, seed
        self.store = setup.images.store
        path = setup.images.embeddings_path(setup.model)
        self.embeddings: Float32Array | None = np.load(path) if path.exists() else None
        self.contrastive = None if setup.contrastive is None else np.load(setup.contrastive)
        self.labeled = parts.first
        self.held_out = np.random.default_rng(seed).permutation(parts.held_out)
        self.asked: Indices = np.empty(0, dtype=np.int64)
        self.scored: Scored | None = None
        self.mqnet: MQNet | None = None
        self.state: Mapping[str, float] = {}
        self.notes: list[str] = []

    def round(self, number: int) -> tuple[float, float, Indices]:
        """Train, evaluate and ask; return accuracy, AUROC of purity, and what was asked."""
        labels, seed = self.parts.labels, 1000 * self.seed + number
        had_ood = self._meta_train(number, seed)
        model = self.trained(number)
        result = accuracy(model.infer(self.parts.test), labels[self.parts.test])
        unlabeled = np.setdiff1d(self.parts.pool, self.labeled, assume_unique=True)
        candidates = unlabeled[labels[unlabeled] >= 0] if self.algorithm.is_oracle else unlabeled
        known = candidates
        if self.algorithm.outside_validation:
            known = np.union1d(candidates, self.parts.held_out)
        scored = score_pool(
            model,
            known,
            self.labeled,
            self._said(self.labeled),
            self.algorithm.settings,
            seed=seed,
            contrastive=self.contrastive,
        )
        ranking = self._select(scored, candidates, had_ood)
        self.notes.extend(scored.notes + ranking.notes)
        self.state, self.scored = ranking.state, scored
        self.asked = self._paid_for(ranking.order)
        self.labeled = np.sort(np.concatenate([self.labeled, self.asked]))
        return result, self._auroc(scored), self.asked

    def trained(self, number: int) -> TargetModel:
        """Return the target model of a round, of the verdicts so far."""
        labels = self.parts.labels
        inside = self.labeled[labels[self.labeled] >= 0]
        return train_target(
            self.store,
            inside,
            labels[inside],
            classes=int(labels.max()) + 1,
            name=self.setup.model,
            params=params_of(self.setup.model_params, self.algorithm),
            seed=1000 * self.seed + number,
            ood_indices=self.labeled[labels[self.labeled] == OOD],
            embeddings=self.embeddings,
        )

    def _meta_train(self, number: int, seed: int) -> bool:
        """Learn from the answers of the last round; say whether they held OOD."""
        if self.scored is None:
            return True
        query = self.asked
        if self.algorithm.outside_validation:
            budget = self.setup.budget
            query = self.held_out[(number - 1) * budget : number * budget]
        self.mqnet, _, notes = meta_train(
            self._read(self.scored),
            query,
            self._said(query),
            self.algorithm.settings,
            seed=seed,
            previous=self.mqnet,
            prices=self.setup.prices,
        )
        self.notes.extend(notes)
        return bool((self.parts.labels[self.asked] < 0).any())

    def _read(self, scored: Scored) -> PoolScores:
        """Return the scores with what the product keeps of them: the probability of being IN."""
        return replace(scored.scores, inside=inside_of(scored.scores, self._last_answers()))

    def _said(self, indices: Indices) -> OpenSetLabels:
        labels = self.parts.labels[indices]
        return OpenSetLabels.of(labels, labels == OOD)

    def _select(self, scored: Scored, candidates: Indices, had_ood: bool) -> Ranking:
        prices = self.setup.prices
        longest = int(np.ceil(self.setup.budget / min(prices.inside, prices.ood))) + 1
        return select(
            scored,
            candidates,
            min(longest, len(candidates)),
            self.algorithm.settings,
            mqnet=self.mqnet,
            had_ood=had_ood,
            prices=prices,
            last=self._last_answers(),
            state=self.state,
        )

    def _last_answers(self) -> LastAnswers:
        if self.scored is None:
            return NO_ANSWERS
        scores = self.scored.scores
        positions = np.searchsorted(scores.indices, self.asked)
        statistics = Normalisation.fit(scores.purity)
        return LastAnswers(self.parts.labels[self.asked] == OOD, scores.take(positions), statistics)

    def _paid_for(self, order: Indices) -> Indices:
        """Answer the queue until the cost of the verdicts reaches the budget."""
        prices = self.setup.prices
        costs = np.where(self.parts.labels[order] >= 0, prices.inside, prices.ood)
        enough = np.flatnonzero(np.cumsum(costs) >= self.setup.budget - _ROUNDING)
        return order[: enough[0] + 1] if len(enough) else order

    def _auroc(self, scored: Scored) -> float:
        truth = self.parts.labels[scored.scores.indices] >= 0
        needs = find("strategy", self.algorithm.settings.strategy).needs
        if "purity" not in needs or truth.all() or not truth.any():
            return float("nan")
        return float(roc_auc_score(truth, scored.scores.purity))
