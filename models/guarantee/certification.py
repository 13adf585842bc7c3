"""Which lots of a pool a model may label, so that a promise about them holds."""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from models.errors import ModelError
from models.guarantee.human_error import target_of_draws
from models.guarantee.levels import Chain, Part, make_parts
from models.guarantee.lots import Lot
from models.guarantee.promise import Bound, Decision, Draw, LotState, Promise
from models.protocols import OOD, Indices

_RIGHT, _WRONG, _UNSURE, _OPEN = 0, 1, 2, -1
_QUANTILES: Final = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
"""Of the share that may be wrong: at each it is asked what more draws would bring."""
_GIVEN_UP: Final = 4
"""A part that cannot pass is given up after draws that hold so many wrong ones at the target."""
AT_FIRST: Final = 20
"""Draws of a part that people are asked about at a time while little is known of it ..."""
_GROWTH: Final = 0.5
"""... and later so many for each that is answered: had it to be given up, few were in vain."""
_LOOK: Final = 1024
"""Verdicts among which the first that is missing is looked for, before it is among more."""
_PRIOR_DRAWS: Final = 0.5
"""What is expected of a part weighs as much as draws that hold half a wrong one at the target."""


class Certification:
    """Draws, verdicts, and what they allow.

    Everything else follows from lots, promise, `seed` and `first`, so that what was asked and
    answered is all there is to keep.
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
        self._chain: Indices = np.empty(len(self.lots), dtype=np.int64)
        for number, chain in enumerate(self._chains):
            self._chain[list(chain.parts[-1].lots)] = number
        self._at_hand: dict[int, Part | None] = {}
        self._samples: dict[frozenset[int], Indices] = {}

    def _make_chains(self) -> list[Chain]:
        """Lots that a promise is made of together; the level is shared by the chains."""
        promise = self.promise
        families: dict[Any, list[int]] = {}
        for at, lot in enumerate(self.lots):
            is_apart = lot.label == OOD and promise.is_ood_apart
            key = lot.label if is_apart or promise.scope == "class" else None
            families.setdefault(key, []).append(at)
        level = (1 - promise.confidence - promise.human_alpha) / len(families)
        chains = []
        for key, chosen in families.items():
            share = promise.missed if key == OOD else promise.target
            target = target_of_draws(share, promise.human_error)
            parts, spare = make_parts(self.lots, chosen, target, level)
            chains.append(Chain(parts, spare, share, key == OOD))
        return chains

    def observe(self, index: int, wrong: bool | None) -> None:
        """Take what people say of a draw; a later verdict replaces an earlier.

        Args:
            index: its pool index.
            wrong: whether they contradict the model, the second of them too where two are asked;
                None where they are unsure, which counts as wrong.

        Raises:
            ModelError: not in any lot.
        """
        place = self._ask(index)
        self._verdict[place] = _UNSURE if wrong is None else (_WRONG if wrong else _RIGHT)

    def asked(self, indices: Iterable[int]) -> None:
        """Note that people have been asked about these, so that they are not drawn again."""
        for index in indices:
            self._ask(index)

    def _ask(self, index: int) -> int:
        """Note that people have been asked about this; its place in the order."""
        try:
            place = self._place[index]
        except KeyError:
            raise ModelError(f"Example {index} is in none of the lots; it cannot count.") from None
        self._asked[place] = True
        self._at_hand.pop(int(self._chain[self._lot[place]]), None)
        return place

    # What follows reads the state and changes nothing of it.

    def next_draws(self, most: int, *, at_first: int = AT_FIRST) -> list[Draw]:
        """Return what people should look at next, at most so many; mark them with `asked`.

        Never more than would pass the part at hand were all of them right. None while enough
        answers are waited for, and none when nothing more can be gained.

        Args:
            most: at a time, of all parts.
            at_first: that may wait of a part of which little is known; with what is known of it
                grows how many may.
        """
        found: list[Draw] = []
        left = self._left()
        for number, chain in enumerate(self._chains):
            if left <= 0 or len(found) >= most:
                break
            part = self._wanted(number, chain)
            if part is None:
                continue
            places = self._sample(part)
            asked, open_ = self._asked[places], self._verdict[places] == _OPEN
            waiting, known = int((asked & open_).sum()), int((~open_).sum())
            needed = places[: self._until(part)]
            fresh = needed[~asked[: len(needed)]]
            # Of what people may be asked at most, as much is kept for this part as it may take.
            may_ask, left = left, left - len(fresh)
            may_wait = max(at_first, int(known * _GROWTH))
            # Not one for each that is answered: that would tell who has answered a check.
            room = may_wait - waiting if waiting <= may_wait // 2 else 0
            fresh = fresh[: min(room, may_ask, most - len(found))]
            unseen = max(1, part.size - waiting - known)
            found.extend(
                Draw(int(self._lot[at]), int(self._index[at]), min(1.0, len(fresh) / unseen))
                for at in fresh
            )
        return found

    def _until(self, part: Part) -> int:
        """How many draws of a part would do, were all that are not answered right."""
        _, wrong = self._counts(part)
        return min(int(part.boundary.needed[wrong]), len(self._sample(part)))

    def _is_asked(self, number: int, chain: Chain) -> bool:
        """Whether more is asked of a chain, or what it takes is asked and not answered yet."""
        part = self._wanted(number, chain)
        if part is None:
            return False
        if self._left() > 0:
            return True
        return bool(self._asked[self._sample(part)[: self._until(part)]].all())

    def _left(self) -> int:
        """How many more people may be asked."""
        if self.promise.at_most is None:
            return len(self._index)
        return max(0, self.promise.at_most - int(self._asked.sum()))

    def _sample(self, part: Part) -> Indices:
        """Places of the members of a part in the order in which they are looked at."""
        found = self._samples.get(part.lots)
        if found is None:
            found = np.flatnonzero(self._members(part)[self._lot])
            self._samples[part.lots] = found
        return found

    def _members(self, part: Part) -> NDArray[np.bool_]:
        """Which lots are of a part."""
        inside = np.zeros(len(self.lots), dtype=np.bool_)
        inside[list(part.lots)] = True
        return inside

    def _answers(self, part: Part) -> NDArray[np.int8]:
        """Verdicts on a part, up to the first draw that is not answered."""
        sample = self._sample(part)
        verdicts = self._verdict[sample[:_LOOK]]
        while True:
            missing = verdicts == _OPEN
            first = int(missing.argmax())
            if missing[first]:
                return verdicts[:first]
            if len(verdicts) == len(sample):
                return verdicts
            verdicts = self._verdict[sample[: _LOOK * len(verdicts)]]

    def _most_wrong(self, part: Part) -> int | None:
        """How many of a part are wrong at most as people see it; None where it has not passed."""
        return part.boundary.most_wrong(self._answers(part) > 0)

    def _done(self, parts: Sequence[Part]) -> list[int | None]:
        """Of the parts that are done with, one after the other, how many are wrong at most.

        Those that passed, and those too small for anything to be shown of them beside the draws
        that came before: None.
        """
        done: list[int | None] = []
        for part in parts:
            most = self._most_wrong(part)
            if most is None and len(part.boundary.needed) > 0:
                break
            done.append(most)
        return done

    def _passed(self, parts: Sequence[Part]) -> list[Part]:
        """The parts that have passed, one after the other."""
        return _passed_of(parts, self._done(parts))

    def _tried(self, chain: Chain) -> tuple[Part, ...]:
        """The parts of a chain that are at hand: the smaller ones where it began too boldly."""
        began = self._passed(chain.parts) or self._next(chain.parts) is not None
        return chain.parts if began or not chain.spare else chain.spare

    def _wanted(self, number: int, chain: Chain) -> Part | None:
        """The part to draw for next; None where the chain has ended.

        Kept until one of the chain is asked about or answered: of a promise about each of many
        labels all chains but one stay as they are.
        """
        if number not in self._at_hand:
            self._at_hand[number] = self._next(self._tried(chain))
        return self._at_hand[number]

    def _next(self, parts: Sequence[Part]) -> Part | None:
        """The first part that has not passed, if more draws may be worth it."""
        done = self._done(parts)
        if len(done) == len(parts):
            return None
        before = next(reversed(_passed_of(parts, done)), None)
        part, after = parts[len(done)], parts[min(len(done) + 1, len(parts) - 1)]
        gain = part.size - (before.size if before else 0) + (after.size - part.size) / 2
        shares = betaincinv(*self._known(part, before), np.asarray(_QUANTILES))
        boundary, (answered, wrong) = part.boundary, self._counts(part)
        needs = boundary.still_needed(answered, wrong, shares)
        passes = np.isfinite(needs)
        draws = np.where(passes, needs, _GIVEN_UP / part.target)
        costs = self._paid(part, before, answered, np.ceil(draws).astype(np.int64))
        chance = float(passes.mean())
        return part if chance > 0 and chance * gain > float(costs.mean()) else None

    def _paid(self, part: Part, before: Part | None, answered: int, draws: Indices) -> Indices:
        """How many of so many more draws (n,), after the answered, the model would label otherwise.

        What it does not label people do anyway: those draws cost nothing, nor do answers that are
        there already.
        """
        if before is None:
            return np.zeros_like(draws)
        places = self._sample(part)[answered : answered + int(draws.max())]
        inside = self._members(before)[self._lot[places]]
        paid = np.cumsum(inside & ~self._asked[places])
        result: Indices = np.concatenate([[0], paid])[np.minimum(draws, len(places))]
        return result

    def _counts(self, part: Part) -> tuple[int, int]:
        """Answers of a part and how many of them contradict the model."""
        verdicts = self._answers(part)
        return len(verdicts), int((verdicts > 0).sum())

    def _known(self, part: Part, before: Part | None) -> tuple[float, float]:
        """What is known of the share that is wrong, as a Beta distribution.

        Besides the draws it rests a little on what the model expects, and where a part passed
        before, more on that.
        """
        answered, wrong = self._counts(part)
        weight, expected = _PRIOR_DRAWS / part.target, min(part.expected, part.target / 2)
        if before is not None:
            seen, bad = self._counts(before)
            share = (bad + _PRIOR_DRAWS) / (seen + 1 / part.target)
            rest = 1 - before.size / part.size
            expected = share + rest * max(0.0, part.expected - before.expected)
            weight = min(seen, 2 / part.target)
        expected = min(expected, 0.5)
        return weight * expected + wrong + 1e-3, weight * (1 - expected) + answered - wrong + 1e-3

    def waiting(self) -> list[Draw]:
        """Return what people are asked and have not answered, each as if drawn for sure."""
        places = np.flatnonzero(self._asked & (self._verdict == _OPEN))
        return [Draw(int(self._lot[at]), int(self._index[at]), 1.0) for at in places]

    def copied(self) -> "Certification":
        """Return one in the same state that goes on by itself."""
        other = copy(self)
        other._verdict, other._asked = self._verdict.copy(), self._asked.copy()
        other._at_hand = self._at_hand.copy()
        return other

    def decide(self) -> Decision:
        """Return what has passed so far, what has not, and what may be promised."""
        drawn = np.bincount(self._lot[self._verdict != _OPEN], minlength=len(self.lots))
        wrong = np.bincount(self._lot[self._verdict > 0], minlength=len(self.lots))
        unsure = np.bincount(self._lot[self._verdict == _UNSURE], minlength=len(self.lots))
        passed: dict[int, float] = {}
        waiting: set[int] = set()
        bounds: list[Bound] = []
        missed = None
        for number, chain in enumerate(self._chains):
            for part in reversed(self._passed(self._tried(chain))):
                bound = self._bound(part, drawn, wrong)
                if bound.share <= chain.promised + 1e-12:
                    passed.update(dict.fromkeys(part.lots, bound.share))
                    bounds.append(bound)
                    missed = bound if chain.is_ood else missed
                    break
            if self._is_asked(number, chain):
                waiting |= chain.parts[-1].lots - passed.keys()
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
        overall = Bound(total / of if of else 0.0, total, of) if bounds else None
        why = "" if passed or waiting else self._why()
        return Decision(states, overall, missed, not waiting, why)

    def _bound(self, part: Part, drawn: Indices, wrong: Indices) -> Bound:
        """What of a part is left to the model, and how much of that may be wrong."""
        lots = list(part.lots)
        found = int(wrong[lots].sum())
        of = part.size - int(drawn[lots].sum())
        seen = target_of_draws(1.0, self.promise.human_error)
        left = max(0, (self._most_wrong(part) or 0) - found)
        most = min(math.floor(left / seen + 1e-9), of)
        return Bound(most / of if of else 0.0, most, of)

    def _why(self) -> str:
        """Why nothing has passed and nothing will."""
        promise = self.promise
        if promise.at_most is not None and self._left() == 0:
            return (
                f"The {promise.at_most} answers that were allowed are too few to promise this; "
                "allow more, or promise less."
            )
        if not any(len(part.boundary.needed) for chain in self._chains for part in chain.parts):
            return (
                f"{len(self._index)} are too few to promise that at most "
                f"{100 * promise.target:g} of 100 are wrong without a look at nearly all of them; "
                "label them by hand, or promise less."
            )
        return (
            "Too many of the surest labels were wrong; label more, so that the model learns, or "
            "promise less."
        )


def _passed_of(parts: Sequence[Part], done: Sequence[int | None]) -> list[Part]:
    """Of the parts that are done with those that passed."""
    return [part for part, most in zip(parts, done, strict=False) if most is not None]
