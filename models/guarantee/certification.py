"""Which lots of a pool a model may label, so that a promise about them holds."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from models.errors import ModelError
from models.guarantee.human_error import tested_target
from models.guarantee.levels import Level, Test, make_chain
from models.guarantee.lots import Lot
from models.guarantee.promise import Bound, Decision, Draw, LotState, Promise
from models.protocols import OOD, Indices

_RIGHT, _WRONG, _UNSURE, _OPEN = 0, 1, 2, -1
_HOPEFUL: Final = 0.3
"""Quantile of the share that may be wrong with which one goes on hoping."""
_PRIOR_DRAWS: Final = 0.5
"""What is expected of a part weighs as much as draws that hold half a wrong one at the target."""


class Certification:
    """Draws, verdicts, and what they allow.

    Everything but the verdicts follows from lots, promise, `seed` and `first`, so that what
    `observations` returns is all there is to keep.
    """

    def __init__(
        self,
        lots: Sequence[Lot],
        promise: Promise,
        *,
        seed: int,
        first: Sequence[int] = (),
    ) -> None:
        """Lay out in which order the pool would be looked at.

        Args:
            lots: everything that is to be labeled, in-distribution and OOD.
            promise: what is to be promised.
            seed: of the random order; not to be chosen after a look at the data.
            first: pool indices of earlier random draws in their order, that come before all
                others: drawn from exactly these lots, each as likely as any other, and never
                learned from by the model. Their verdicts are observed like any other.

        Raises:
            ModelError: no lots, a member of two lots, or earlier draws that are in none or twice.
        """
        if not lots or any(lot.size == 0 for lot in lots):
            raise ModelError("There is nothing to certify; import more, or train a model first.")
        self.lots, self.promise = list(lots), promise
        members = np.concatenate([lot.members for lot in lots])
        lot_of = np.repeat(np.arange(len(lots)), [lot.size for lot in lots])
        rank = np.random.default_rng(seed).permutation(len(members)).astype(np.int64)
        by_index = np.argsort(members, kind="stable")
        if (np.diff(members[by_index]) == 0).any():
            raise ModelError("An example lies in two lots; make the lots again.")
        # By pool index before ranks are given: the order of the lots changes nothing.
        members, lot_of = members[by_index], lot_of[by_index]
        earlier = np.asarray(first, dtype=np.int64)
        at = np.minimum(np.searchsorted(members, earlier), len(members) - 1)
        if (members[at] != earlier).any() or len(np.unique(earlier)) < len(earlier):
            raise ModelError("Earlier draws must each lie in one lot, once.")
        rank[at] = np.arange(-len(earlier), 0)
        order = np.argsort(rank, kind="stable")
        self._index: Indices = members[order]
        self._lot: Indices = lot_of[order]
        self._place: dict[int, int] = dict(
            zip(self._index.tolist(), range(len(order)), strict=True)
        )
        self._verdict: NDArray[np.int8] = np.full(len(order), _OPEN, dtype=np.int8)
        self._asked: NDArray[np.bool_] = np.zeros(len(order), dtype=np.bool_)
        self._chains = self._make_chains()
        self._samples: dict[frozenset[int], Indices] = {}

    @classmethod
    def begin(
        cls,
        lots: Sequence[Lot],
        target: float,
        confidence: float,
        scope: Literal["all", "class"] = "all",
        *,
        seed: int,
        first: Sequence[int] = (),
        **promised: Any,
    ) -> Self:
        """Return a new one; see `Promise` and `__init__`."""
        promise = Promise(target=target, confidence=confidence, scope=scope, **promised)
        return cls(lots, promise, seed=seed, first=first)

    def _make_chains(self) -> list[list[Level]]:
        """One chain over everything, or one a label at its share of the level."""
        tested = self.promise.tested
        level = 1 - self.promise.confidence - self.promise.human_alpha
        families = [list(range(len(self.lots)))]
        if self.promise.scope == "class":
            labels = sorted({lot.label for lot in self.lots})
            families = [
                [at for at, lot in enumerate(self.lots) if lot.label == label] for label in labels
            ]
        return [make_chain(self.lots, chosen, tested, level / len(families)) for chosen in families]

    def observe(self, index: int, wrong: bool | None) -> None:
        """Take what people say of a draw; a later verdict replaces an earlier.

        Args:
            index: its pool index.
            wrong: whether they contradict the model, the second of them too where two are asked;
                None where they are unsure, which counts as wrong.

        Raises:
            ModelError: not in any lot.
        """
        place = self._place_of(index)
        self._asked[place] = True
        self._verdict[place] = _UNSURE if wrong is None else (_WRONG if wrong else _RIGHT)

    def asked(self, indices: Iterable[int]) -> None:
        """Note that people have been asked about these, so that they are not drawn again."""
        for index in indices:
            self._asked[self._place_of(index)] = True

    def _place_of(self, index: int) -> int:
        try:
            return self._place[index]
        except KeyError:
            raise ModelError(f"Example {index} is in none of the lots; it cannot count.") from None

    def observations(self) -> dict[str, list[Any]]:
        """Return what was asked and answered, fit for JSON; `restore` takes it."""
        answered = np.flatnonzero(self._verdict != _OPEN)
        waiting = np.flatnonzero(self._asked & (self._verdict == _OPEN))
        return {
            "answers": [
                [
                    int(self._index[at]),
                    None if self._verdict[at] == _UNSURE else int(self._verdict[at]),
                ]
                for at in answered
            ],
            "waiting": self._index[waiting].tolist(),
        }

    def restore(self, observations: Mapping[str, Sequence[Any]]) -> Self:
        """Take up what `observations` returned, on a new one made as this was."""
        for index, wrong in observations["answers"]:
            self.observe(index, None if wrong is None else bool(wrong))
        self.asked(observations["waiting"])
        return self

    # What follows reads the state and changes nothing of it.

    def next_draws(self, most: int) -> list[Draw]:
        """Return what people should look at next, at most so many; mark them with `asked`.

        Never more than would pass the part at hand were all of them right. None while enough
        answers are waited for, and none when nothing more can be gained.
        """
        left = self._left()
        found: list[Draw] = []
        for chain in self._chains:
            room = min(most, left) - len(found)
            test = self._wanted(chain)
            if test is None or room <= 0:
                continue
            places = self._sample(test)
            verdicts = self._verdict[places]
            answered = _leading(verdicts)
            wrong = int((verdicts[:answered] > 0).sum())
            if wrong >= len(test.boundary.needed):
                continue
            until = min(int(test.boundary.needed[wrong]), len(places))
            fresh = places[:until][~self._asked[places[:until]]][:room]
            unseen = max(1, test.size - int(self._asked[self._members(test)].sum()))
            found.extend(
                Draw(int(self._lot[at]), int(self._index[at]), min(1.0, len(fresh) / unseen))
                for at in fresh
            )
        return found

    def _left(self) -> int:
        """How many more people may be asked."""
        if self.promise.at_most is None:
            return len(self._index)
        return max(0, self.promise.at_most - int(self._asked.sum()))

    def _members(self, test: Test) -> NDArray[np.bool_]:
        """Which places belong to the lots of a test."""
        inside = np.zeros(len(self.lots), dtype=np.bool_)
        inside[list(test.lots)] = True
        return inside[self._lot]

    def _sample(self, test: Test) -> Indices:
        """Places of the members of a test in the order in which they are looked at."""
        found = self._samples.get(test.lots)
        if found is None:
            found = np.flatnonzero(self._members(test))
            self._samples[test.lots] = found
        return found

    def _passes(self, test: Test) -> bool:
        """Whether the draws of a test pass it, up to the first that is not answered."""
        needed = test.boundary.needed
        if len(needed) == 0:
            return False
        verdicts = self._verdict[self._sample(test)[: int(needed[-1])]]
        return test.boundary.most_wrong(verdicts[: _leading(verdicts)] > 0) is not None

    def _reached(self, chain: list[Level]) -> int:
        """How many levels of a chain have passed, one after the other."""
        for count, level in enumerate(chain):
            if not all(self._passes(test) for test in level.tests):
                return count
        return len(chain)

    def _wanted(self, chain: list[Level]) -> Test | None:
        """The test to draw for next; None where the chain has ended."""
        reached = self._reached(chain)
        if reached == len(chain):
            return None
        level = chain[reached]
        before = chain[reached - 1].size if reached else 0
        after = chain[reached + 1].size if reached + 1 < len(chain) else level.size
        worth = level.size - before + (after - level.size) / 2
        open_tests = [test for test in level.tests if not self._passes(test)]
        costs = [self._more(test) for test in open_tests]
        if max(costs) > worth:
            return None
        return open_tests[costs.index(max(costs))]

    def _more(self, test: Test, quantile: float | None = _HOPEFUL) -> float:
        """About how many more draws a test takes, at a share of wrong ones it may well have."""
        places = self._sample(test)
        verdicts = self._verdict[places]
        answered = _leading(verdicts)
        wrong = int((verdicts[:answered] > 0).sum())
        weight = _PRIOR_DRAWS / test.target
        expected = min(
            sum(self.lots[at].expected * self.lots[at].size for at in test.lots) / test.size,
            test.target / 2,
        )
        a, b = weight * expected + wrong + 1e-3, weight * (1 - expected) + answered - wrong
        share = a / (a + b) if quantile is None else float(betaincinv(a, b, quantile))
        return test.boundary.still_needed(answered, wrong, share)

    def expected_answers(self) -> int:
        """Return about how many more answers it takes until the draws end."""
        total = 0.0
        for chain in self._chains:
            reached = self._reached(chain)
            if self._wanted(chain) is None:
                continue
            more = 0.0
            for level in chain[reached:]:
                costs = [self._more(test, None) for test in level.tests]
                if not all(map(math.isfinite, costs)):
                    break
                more = max(more, max(costs))
            total += more
        return min(math.ceil(total), self._left())

    def decide(self) -> Decision:
        """Return what has passed so far, what has not, and what may be promised."""
        drawn = np.bincount(self._lot[self._verdict != _OPEN], minlength=len(self.lots))
        wrong = np.bincount(self._lot[self._verdict > 0], minlength=len(self.lots))
        unsure = np.bincount(self._lot[self._verdict == _UNSURE], minlength=len(self.lots))
        passed: dict[int, float] = {}
        waiting: set[int] = set()
        bounds: list[Bound] = []
        missed = None
        for chain in self._chains:
            reached = self._kept(chain)
            for level in chain[reached - 1 : reached]:
                found = [self._bound(test, drawn, wrong) for test in level.tests]
                bounds.append(found[0])
                for test, one in zip(level.tests, found, strict=True):
                    passed.update(dict.fromkeys(test.lots, one.share))
                    if all(self.lots[at].label == OOD for at in test.lots):
                        missed = one
            if self._wanted(chain) is not None and self._left() > 0:
                waiting |= chain[-1].lots - passed.keys()
        states = tuple(
            LotState(
                "passed" if at in passed else "open" if at in waiting else "people",
                passed.get(at),
                int(drawn[at]),
                int(wrong[at]),
                int(unsure[at]),
            )
            for at in range(len(self.lots))
        )
        total, of = sum(one.wrong for one in bounds), sum(one.of for one in bounds)
        bound = Bound(total / of if of else 0.0, total, of) if bounds else None
        return Decision(states, bound, missed, not waiting, self._why(bool(passed), bool(waiting)))

    def _kept(self, chain: list[Level]) -> int:
        """Levels that passed and of which the promise still holds of what is left to the model."""
        drawn = np.bincount(self._lot[self._verdict != _OPEN], minlength=len(self.lots))
        wrong = np.bincount(self._lot[self._verdict > 0], minlength=len(self.lots))
        for count in range(self._reached(chain), 0, -1):
            tests = chain[count - 1].tests
            limits = [self._limit(test) for test in tests]
            found = [self._bound(test, drawn, wrong) for test in tests]
            if all(one.share <= limit for one, limit in zip(found, limits, strict=True)):
                return count
        return 0

    def _limit(self, test: Test) -> float:
        """What is promised where `test` passes."""
        return test.target / tested_target(1.0, self.promise.human_error) + 1e-12

    def _bound(self, test: Test, drawn: Indices, wrong: Indices) -> Bound:
        """What is left to the model of the lots of a test, and how much of that may be wrong."""
        verdicts = self._verdict[self._sample(test)]
        tolerated = test.boundary.most_wrong(verdicts[: _leading(verdicts)] > 0) or 0
        lots = list(test.lots)
        found = int(wrong[lots].sum())
        of = test.size - int(drawn[lots].sum())
        hidden = math.floor(
            max(0, tolerated - found) / tested_target(1.0, self.promise.human_error)
        )
        most = min(hidden, of)
        return Bound(most / of if of else 0.0, most, of)

    def _why(self, any_passed: bool, any_waiting: bool) -> str:
        if any_waiting or any_passed:
            return ""
        if self.promise.at_most is not None and self._left() == 0:
            return (
                f"The {self.promise.at_most} answers that were allowed are too few to promise "
                "this; allow more, or promise less."
            )
        tests = [test for chain in self._chains for test in chain[0].tests]
        if all(len(test.boundary.needed) == 0 for test in tests):
            return (
                f"{len(self._index)} examples are too few to promise that at most "
                f"{self.promise.target:.1%} are wrong without a look at nearly all of them; label "
                "them by hand, or promise less."
            )
        return (
            "Too many of the surest labels were wrong; label more, so that the model learns, or "
            "promise less."
        )


def _leading(verdicts: NDArray[np.int8]) -> int:
    """How many come before the first that is not answered."""
    missing = verdicts == _OPEN
    return int(np.argmax(missing)) if missing.any() else len(verdicts)
