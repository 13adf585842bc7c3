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
from scipy import optimize
from torch import Tensor
from torch.nn.functional import softplus

from models.numerics.finite import require_numbers
from models.numerics.probability import log_softmax
from models.numerics.similarity import unit_rows
from models.numerics.threads import threads_for
from models.protocols import Indices
from models.relabeling.opinions import DIMENSION, Float64Array, one_hot

UNKNOWN: Final = -1
"""Stands for a true class that nobody knows."""

_ITERATIONS: Final = 80
_REMEMBERED: Final = 40
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
        start = search.start if near is None else search.together(near.free)
        options = {"maxiter": _ITERATIONS, "maxcor": _REMEMBERED, "gtol": 1e-6, "ftol": 1e-9}
        with threads_for(search.said.numel()):
            searched = optimize.minimize(
                search.loss, start, jac=True, method="L-BFGS-B", options=options
            )
        require_numbers("The opinions on labels", searched.fun)
        free = search.apart(searched.x)
        trust, ways = search.trust(free).numpy(), search.ways(free).ways.exp().numpy()
        chosen = {name: one.numpy() for name, one in free.items()}
        return cls(trust, chosen["sharing"], likeness, chosen["shares"], ways, chosen)

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


@dataclass(frozen=True)
class _Ways:
    """How labels come about, as far as slopes ask for it; C by C, rows are true classes.

    Attributes:
        ways: logarithms of T.
        near: logarithms of how confusions of a class are shared out; -inf on the diagonal.
        slips: shares of what is not right that are slips.
        closeness: (1,) how far more what looks alike is confused.
    """

    ways: Tensor
    near: Tensor
    slips: Tensor
    closeness: Tensor


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
        opinions, self.count, classes = tables.shape
        # What each opinion says of a class, and of those that look alike: (2 J, n C).
        both = np.concatenate([tables, tables @ alike])
        self.said = torch.from_numpy(both).reshape(2 * opinions, -1)
        self.alike, self.given = torch.from_numpy(alike), torch.from_numpy(given)
        self.looked_up = torch.from_numpy(np.flatnonzero(known >= 0))
        self.known = torch.from_numpy(known)[self.looked_up]
        self.usual_trust = -math.log(opinions) / 2
        # The chance of a single other class, in a pool of many, is small to begin with.
        self.others = math.log(classes - 1)
        self.diagonal = torch.eye(classes, dtype=torch.bool)
        self.less_trust_deviation = _less_trust_deviation(count)
        sharing = min(_MOST_SHARING_DEVIATION, _SHARING_DEVIATION_A_CLASS * classes)
        self.shapes = {"trust": (opinions,), "shares": (classes,), "stay": (1,), "own": (classes,),
                       "popular": (classes,), "pair": (classes, classes), "sharing": (opinions,),
                       "confusion": (1,), "closeness": (1,)}  # fmt: skip
        sizes = [math.prod(shape) for shape in self.shapes.values()]
        self.places = list(np.cumsum(sizes))
        # Trust has a prior of its own, by whether it rises or falls.
        deviations = {**_DEVIATIONS, "sharing": sharing, "trust": math.inf}
        per_place = np.repeat([deviations[name] for name in self.shapes], sizes)
        self.precision = torch.from_numpy(per_place**-2.0)
        # All are searched in widths of what is believed of them, as steep as each other then.
        self.widths = np.where(np.isinf(per_place), _MORE_TRUST_DEVIATION, per_place)
        self.costs = max(_CONFUSION_COSTS, _CONFUSION_COSTS_A_LABEL * self.count)

    @property
    def start(self) -> Float64Array:
        """Where to begin, without a model of like labels: (F,)."""
        usual = {name: np.zeros(shape) for name, shape in self.shapes.items()}
        usual["confusion"] += _FIRST_CONFUSION
        return self.together(usual)

    def together(self, free: Mapping[str, Float64Array]) -> Float64Array:
        """Lay out what is free in one array, as it is searched: (F,)."""
        return np.concatenate([free[name].ravel() for name in self.shapes]) / self.widths

    def apart(self, at: Float64Array) -> dict[str, Tensor]:
        """What is free, by name, of such an array."""
        return self._named(torch.from_numpy(at * self.widths))

    def _named(self, free: Tensor) -> dict[str, Tensor]:
        parts = torch.tensor_split(free, self.places[:-1])
        named = zip(self.shapes.items(), parts, strict=True)
        return {name: part.view(shape) for (name, shape), part in named}

    def trust(self, free: Mapping[str, Tensor]) -> Tensor:
        """(J,) > 0."""
        return (_within_reach(free["trust"])[0] + self.usual_trust).exp()

    def ways(self, free: Mapping[str, Tensor]) -> _Ways:
        """How labels come about."""
        closeness = _USUAL_CLOSENESS * _within_reach(free["closeness"])[0].exp()
        near = (closeness * self.alike).masked_fill(self.diagonal, -torch.inf).log_softmax(dim=1)
        confused = near + (self.others + _USUAL_CONFUSION + free["confusion"])
        slips = free["popular"] + free["pair"]
        stay = _USUAL_STAY + self.others + free["stay"] + free["own"]
        ways = torch.where(self.diagonal, stay[:, None], torch.logaddexp(slips, confused))
        return _Ways(ways.log_softmax(dim=1), near, (slips - confused).sigmoid(), closeness)

    def loss(self, at: Float64Array) -> tuple[float, Float64Array]:
        """Less the logarithm of the posterior, over n, and its slopes (F,) at (F,).

        By hand, as automatic differentiation takes several times as long for few labels.
        """
        everything = torch.from_numpy(at * self.widths)
        free, slopes = self._named(everything), self.precision * everything
        prior, sloping = float(slopes @ everything) / 2, self._named(slopes)
        found = self.ways(free)

        trust = self.trust(free)
        weights = torch.cat([trust, trust * free["sharing"]])
        # Of no labels at all there is the prior alone.
        believed = (weights @ self.said).view(self.count, len(self.alike)).add_(free["shares"])
        believed = believed.log_softmax(dim=1)
        both = believed + found.ways.T[self.given]
        likely = both.logsumexp(dim=1, keepdim=True)
        # Of what was looked up, that it is this class and was given that label.
        likely[self.looked_up, 0] = both[self.looked_up, self.known]
        responsible = both.sub_(likely).exp_()
        responsible[self.looked_up] = 0
        responsible[self.looked_up, self.known] = 1

        off = believed.exp_().sub_(responsible)
        sloping["shares"] += off.sum(dim=0)
        plain, shared = (self.said @ off.view(-1)).tensor_split(2)
        sloping["sharing"] += trust * shared
        bent = _within_reach(free["trust"])[1]
        sloping["trust"] += (plain + free["sharing"] * shared) * trust * bent
        self._slopes_of_ways(found, responsible, free, sloping)

        less = (free["trust"] < 0).double()
        trusted = less * self.less_trust_deviation + (1 - less) * _MORE_TRUST_DEVIATION
        scaled = free["trust"] / trusted
        prior += float(scaled @ scaled) / 2
        sloping["trust"] += scaled / trusted
        prior += self.costs * float(softplus(free["confusion"]))
        sloping["confusion"] += self.costs * free["confusion"].sigmoid()
        over = max(1, self.count)
        return (prior - float(likely.sum())) / over, slopes.div_(over).numpy() * self.widths

    def _slopes_of_ways(
        self,
        found: _Ways,
        responsible: Tensor,
        free: Mapping[str, Tensor],
        slopes: Mapping[str, Tensor],
    ) -> None:
        """Add to the slopes of what decides on T, by (n, C) probabilities of the true class."""
        # How often each class (rows) was given each label, against how often the model expects it.
        seen = torch.zeros_like(found.ways).index_add_(0, self.given, responsible).T
        off = found.ways.exp() * seen.sum(dim=1, keepdim=True) - seen
        slopes["own"] += off.diagonal()
        slopes["stay"] += off.diagonal().sum()
        slips = (off * found.slips).fill_diagonal_(0)
        slopes["popular"] += slips.sum(dim=0)
        slopes["pair"] += slips
        confused = off.fill_diagonal_(0) - slips
        slopes["confusion"] += confused.sum()
        shifted = confused - found.near.exp() * confused.sum(dim=1, keepdim=True)
        bent = _within_reach(free["closeness"])[1]
        slopes["closeness"] += (shifted * self.alike).sum() * found.closeness * bent


def _less_trust_deviation(labels: int) -> float:
    """How freely the trust in opinions may fall that were fitted to so many labels."""
    few = _FEW_LABELS * (DIMENSION / max(1, labels)) ** 2
    return min(_MORE_TRUST_DEVIATION, _LESS_TRUST_DEVIATION + few)


def _within_reach(exponent: Tensor) -> tuple[Tensor, Tensor]:
    """Keep a step of the search that is far too long from what no number can hold; and slopes."""
    bent = torch.tanh(exponent / _MOST_EXPONENT)
    return _MOST_EXPONENT * bent, 1 - bent.square()


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
