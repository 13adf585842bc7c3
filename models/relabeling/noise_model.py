"""How labels go wrong, learned from what was given and from opinions that have not seen it.

An image of the true class t, which the opinions hold for likely, is given the label g with
probability T[t, g]. Both the trust in the opinions and T are those under which the given labels
are likeliest; then Bayes' rule says what the true class of each image is.

Labels go wrong by slips, towards any class, and by confusion, towards classes that look alike.
Opinions err towards these as well. What tells both apart is that opinions err where an image is
difficult, and labels of easy images go wrong as often: so the model has words for both, what an
opinion on one class says of those that look alike, and how often such labels are exchanged.

Source: the noise adaptation layer of S. Sukhbaatar et al., "Training Convolutional Networks with
Noisy Labels", ICLR 2015 workshop, and A. P. Dawid, A. M. Skene, "Maximum Likelihood Estimation of
Observer Error-Rates Using the EM Algorithm", 1979, here with priors that suit few labels.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from models.numerics.finite import require_numbers
from models.numerics.probability import log_softmax
from models.numerics.similarity import unit_rows
from models.protocols import Indices
from models.relabeling.opinions import DIMENSION, Float64Array, one_hot

UNKNOWN: Final = -1
"""Stands for a true class that nobody knows."""

_ITERATIONS: Final = 80
_FITTED_ON: Final = 10_000
_MOST_EXPONENT: Final = 4.0
# What is believed beforehand: one label in about ten is wrong, with wide margins.
_USUAL_STAY: Final = 2.2
_DEVIATIONS: Final = {
    "stay": 1.5, "own": 0.7, "popular": 0.7, "pair": 0.7, "shares": 0.2,
    "confusion": 2.0, "closeness": 0.5,
}  # fmt: skip
# Of few classes it is pairs that say in which ways opinions and labels err.
_SHARING_DEVIATION_A_CLASS: Final = 0.001
_MOST_SHARING_DEVIATION: Final = 0.1
# Confusions are a hundredth of the slips, and among 200 classes mostly between the next ten. For
# e times as many the labels have to speak e^5 times as clearly, and many labels more so: opinions
# that err among classes that look alike, in another way than the model knows, look a little like
# it, label by label.
_USUAL_CONFUSION: Final = -4.5
_CONFUSION_COSTS: Final = 5.0
_CONFUSION_COSTS_A_LABEL: Final = 1 / 400
_USUAL_CLOSENESS: Final = 10.0
# The search begins where a fifth of the labels is confused. From where there is hardly any, it ends
# with opinions that nobody trusts, however many labels are: a valley, but not the deepest.
_FIRST_CONFUSION: Final = 5.3
# Opinions may well be surer than they say: they learned from wrong labels. That they are less sure
# is believed late, as people err most where images are difficult, which looks the same; but of few
# labels sooner, as what is fitted along `DIMENSION` axes to little more rows than that says too
# much.
_MORE_TRUST_DEVIATION: Final = 1.0
_LESS_TRUST_DEVIATION: Final = 0.1
_FEW_LABELS: Final = 10.0


@dataclass(frozen=True)
class NoiseModel:
    """Trust in opinions, and the ways of mislabeling.

    Attributes:
        trust: (J,) > 0, weight of each opinion's log-probabilities.
        sharing: (J,) how much each says of a class by what it says of those that look alike.
        alike: (C, C) in -1..1, which classes look alike; 0 on the diagonal.
        shares: (C,) added to the log-probability of each class.
        transition: (C, C) in 0..1, row t: how images of the true class t are labeled.
        free: what the search chose all this by, by name.
    """

    trust: Float64Array
    sharing: Float64Array
    alike: Float64Array
    shares: Float64Array
    transition: Float64Array
    free: Mapping[str, Float64Array]

    @classmethod
    def fit(
        cls,
        opinions: Sequence[Float64Array],
        labels: Indices,
        truth: Indices | None = None,
        near: "NoiseModel | None" = None,
    ) -> "NoiseModel":
        """Maximise the likelihood of the labels, times priors.

        T[t, g] is in proportion to e^(s + s_t) on the diagonal and to e^(u_g + v_tg) + e^c n_tg off
        it, where n_tg, a softmax over k times the likeness of t and g, sums to C - 1. s_t, u_g and
        v_tg are drawn to zero, so that classes with few labels go wrong as the others do, and c to
        where there is hardly any confusion.

        Args:
            opinions: J tables (n, C) of log-probabilities, none of which has seen the label of its
                row.
            labels: (n,) int64 in 0..C-1, as given.
            truth: (n,) int64 in 0..C-1, or `UNKNOWN` where nobody knows; None = everywhere. Whoever
                chose what to look up may have gone by the opinions and the labels given.
            near: of other labels of the same kind, where the search begins; it ends sooner so, and
                at the same.

        Raises:
            ModelError: opinions are not finite.
        """
        step = max(1, len(labels) // _FITTED_ON)
        some = np.stack([_centred(one[::step]) for one in opinions])
        likeness = _likeness(some.mean(axis=0), labels[::step])
        known = np.full_like(labels, UNKNOWN) if truth is None else truth
        search = _Search(some, likeness, labels[::step], known[::step], len(labels))
        if near is not None:
            search.begin_at(near.free)
        optimizer = torch.optim.LBFGS(
            list(search.free.values()), max_iter=_ITERATIONS, line_search_fn="strong_wolfe",
            tolerance_grad=1e-6, tolerance_change=1e-9,
        )  # fmt: skip

        def loss() -> float:
            optimizer.zero_grad()
            found = search.loss()
            found.backward()  # type: ignore[no-untyped-call]
            return float(found.detach())

        optimizer.step(loss)  # type: ignore[no-untyped-call]
        with torch.no_grad():
            trust, ways = search.trust().numpy(), search.ways().exp().numpy()
        require_numbers("The opinions on labels", trust)
        free = {name: one.detach().numpy() for name, one in search.free.items()}
        return cls(trust, free["sharing"], likeness, free["shares"], ways, free)

    def believed(self, opinions: Sequence[Float64Array]) -> Float64Array:
        """Return (n, C) log-probabilities of the true class, whatever label was given."""
        spoken = np.tile(self.shares, (len(opinions[0]), 1))
        for weight, sharing, one in zip(self.trust, self.sharing, opinions, strict=True):
            centred = _centred(one)
            spoken += weight * (centred + sharing * (centred @ self.alike))
        return log_softmax(spoken)

    def posterior(self, opinions: Sequence[Float64Array], labels: Indices) -> Float64Array:
        """Return (n, C) log-probabilities of the true class, given (n,) labels as well."""
        ways = np.log(np.maximum(self.transition, 1e-300))
        return log_softmax(self.believed(opinions) + ways[:, labels].T)


class _Search:
    """What is free of a model of n labels, and how unlikely it makes them."""

    def __init__(
        self,
        tables: Float64Array,
        alike: Float64Array,
        given: Indices,
        known: Indices,
        count: int,
    ) -> None:
        """Begin the search.

        Args:
            tables: (J, n, C) opinions, centred.
            alike: (C, C) in -1..1, which classes look alike.
            given: (n,) int64 in 0..C-1, labels.
            known: (n,) int64, true classes, `UNKNOWN` where nobody knows.
            count: of all labels, of which these are some.
        """
        self.tables, self.alike = torch.from_numpy(tables), torch.from_numpy(alike)
        self.given, self.known = torch.from_numpy(given), torch.from_numpy(known)
        self.shared = self.tables @ self.alike
        opinions, _, classes = tables.shape
        self.usual_trust = -math.log(opinions) / 2
        # The chance of a single other class, in a pool of many, is small to begin with.
        self.others = math.log(classes - 1)
        self.diagonal = torch.eye(classes, dtype=torch.bool)
        self.less_trust_deviation = _less_trust_deviation(count)
        sharing = min(_MOST_SHARING_DEVIATION, _SHARING_DEVIATION_A_CLASS * classes)
        self.deviations = {**_DEVIATIONS, "sharing": sharing}
        shape = {"trust": (opinions,), "shares": (classes,), "stay": (1,), "own": (classes,),
                 "popular": (classes,), "pair": (classes, classes), "sharing": (opinions,),
                 "confusion": (1,), "closeness": (1,)}  # fmt: skip
        self.free = {name: torch.zeros(size, dtype=torch.float64) for name, size in shape.items()}
        self.free["confusion"] += _FIRST_CONFUSION
        for one in self.free.values():
            one.requires_grad_()

    def begin_at(self, free: Mapping[str, Float64Array]) -> None:
        """Begin elsewhere."""
        with torch.no_grad():
            for name, one in self.free.items():
                one.copy_(torch.from_numpy(free[name]))

    def trust(self) -> Tensor:
        """(J,) > 0."""
        return (_within_reach(self.free["trust"]) + self.usual_trust).exp()

    def spoken(self) -> Tensor:
        """(n, C) log-probabilities of the true class, whatever label was given."""
        trust, free = self.trust(), self.free
        plain = torch.einsum("j,jnc->nc", trust, self.tables)
        shared = torch.einsum("j,jnc->nc", trust * free["sharing"], self.shared)
        return (plain + shared + free["shares"]).log_softmax(dim=1)

    def ways(self) -> Tensor:
        """(C, C) logarithms of T."""
        free = self.free
        closeness = _USUAL_CLOSENESS * _within_reach(free["closeness"]).exp()
        near = (closeness * self.alike).masked_fill(self.diagonal, -torch.inf).log_softmax(dim=1)
        confused = near + self.others + _USUAL_CONFUSION + free["confusion"]
        ways = torch.logaddexp(free["popular"][None, :] + free["pair"], confused)
        stay = _USUAL_STAY + self.others + free["stay"] + free["own"]
        return torch.where(self.diagonal, stay[:, None], ways).log_softmax(dim=1)

    def loss(self) -> Tensor:
        """Less the logarithm of the posterior, over n."""
        both = self.spoken() + self.ways()[:, self.given].T
        # Of what was looked up, that it is this class and was given that label.
        found = both.gather(1, self.known.clamp(min=0)[:, None])[:, 0]
        likelihood = torch.where(self.known < 0, torch.logsumexp(both, dim=1), found).sum()
        return (self._prior() - likelihood) / max(1, len(self.given))

    def _prior(self) -> Tensor:
        free = self.free
        less = (free["trust"] < 0).double()
        trusted = less * self.less_trust_deviation + (1 - less) * _MORE_TRUST_DEVIATION
        prior = (free["trust"] / trusted).square().sum() / 2
        for name, deviation in self.deviations.items():
            prior = prior + (free[name] / deviation).square().sum() / 2
        costs = max(_CONFUSION_COSTS, _CONFUSION_COSTS_A_LABEL * len(self.given))
        return prior + costs * softplus(free["confusion"]).sum()


def _less_trust_deviation(labels: int) -> float:
    """How freely the trust in opinions may fall that were fitted to so many labels."""
    few = _FEW_LABELS * (DIMENSION / max(1, labels)) ** 2
    return min(_MORE_TRUST_DEVIATION, _LESS_TRUST_DEVIATION + few)


def _within_reach(exponent: Tensor) -> Tensor:
    """Keep a step of the search that is far too long from what no number can hold."""
    return _MOST_EXPONENT * torch.tanh(exponent / _MOST_EXPONENT)


def _centred(opinion: Float64Array) -> Float64Array:
    """Return (n, C) log-probabilities less their mean in each row."""
    result: Float64Array = opinion - opinion.mean(axis=1, keepdims=True)
    return result


def _likeness(opinion: Float64Array, labels: Indices) -> Float64Array:
    """Tell which classes look alike: (C, C) in -1..1, 0 on the diagonal.

    Classes do whose images, by their labels (n,), are spoken of alike: the cosine of the means of
    the rows of the opinion (n, C), less the mean of all classes.
    """
    classes = opinion.shape[1]
    counts = np.bincount(labels, minlength=classes)
    # One imagined image of which nothing is said keeps classes of few, or none, within reason.
    means = (one_hot(labels, classes).T @ opinion) / (counts + 1)[:, None]
    profiles = (means - means.mean(axis=0)).astype(np.float32)
    directions = unit_rows(profiles).astype(np.float64)
    result: Float64Array = directions @ directions.T
    np.fill_diagonal(result, 0)
    return result
