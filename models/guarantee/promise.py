"""What is to be promised of labels that a model gives, and what is known of it."""

from dataclasses import dataclass
from typing import Literal

from models.errors import ModelError


@dataclass(frozen=True)
class Draw:
    """An example that somebody is to look at.

    Attributes:
        lot: position of its lot.
        index: pool index.
        probability: chance that each example left in the part of the pool at hand was drawn among
            these.
    """

    lot: int
    index: int
    probability: float


@dataclass(frozen=True)
class Bound:
    """At most `wrong` of `of` examples that the model labels, which is `share`."""

    share: float
    wrong: int
    of: int


@dataclass(frozen=True)
class LotState:
    """What became of a lot.

    Attributes:
        state: `passed`: the model may label it; `people`: they have to; `open`: not known yet.
        bound: share that is promised of what it was passed with; None unless it passed.
        drawn: answers to draws from it.
        wrong: how many contradicted the model, unsure ones among them.
        unsure: how many were unsure.
    """

    state: Literal["passed", "people", "open"]
    bound: float | None
    drawn: int
    wrong: int
    unsure: int


@dataclass(frozen=True)
class Decision:
    """What is known now.

    Attributes:
        lots: of each, in their order.
        bound: of everything in lots that passed, but what people looked at; None if none did.
        missed: the same of the in-distribution among what would be labeled OOD.
        is_over: whether no more draws are wanted.
        why: a sentence for the owner where nothing passed or the draws ended early; else empty.
    """

    lots: tuple[LotState, ...]
    bound: Bound | None
    missed: Bound | None
    is_over: bool
    why: str


@dataclass(frozen=True)
class Promise:
    """What is to be promised.

    Attributes:
        target: share of what the model labels that may be wrong, 0 < target <= 0.5.
        confidence: with which the promise holds, 0.5..1.
        scope: of all of it together, or of each label apart.
        missed_in: share of what is labeled OOD that may be in-distribution; None: the target.
        is_ood_apart: whether that is promised by itself, with draws of its own; if not, what is
            labeled OOD is promised together with the rest, by fewer draws, and `missed_in` is not
            looked at.
        human_error: upper limit of how often one verdict is wrong, from `human_error.from_pairs`;
            0: people are taken to be right.
        human_alpha: chance that this limit is too small, which the confidence pays for.
        at_most: answers that people may give; None: as many as it takes.
    """

    target: float = 0.02
    confidence: float = 0.95
    scope: Literal["all", "class"] = "all"
    missed_in: float | None = None
    is_ood_apart: bool = True
    human_error: float = 0.0
    human_alpha: float = 0.0
    at_most: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be promised.

        Raises:
            ModelError: a number out of its range, or mistakes of people that leave no room.
        """
        for name, value in (("target", self.target), ("missed_in", self.missed_in)):
            if value is not None and not 0 < value <= 0.5:
                raise ModelError(f"{name} is {value:g}; choose a share above 0, up to 0.5.")
        if not 0.5 <= self.confidence < 1:
            raise ModelError(f"confidence is {self.confidence:g}; choose 0.5 up to below 1.")
        if not 0 <= self.human_error < 0.25:
            raise ModelError(
                f"People may be wrong in {self.human_error:.0%} of their verdicts, as far as "
                "pairs of verdicts tell; let two people judge more of the same examples."
            )
        if not 0 <= self.human_alpha < 1 - self.confidence:
            raise ModelError("The confidence leaves nothing for draws; choose a smaller one.")

    @property
    def missed(self) -> float:
        """Return the share of what is labeled OOD that may be in-distribution."""
        return self.target if self.missed_in is None else self.missed_in
