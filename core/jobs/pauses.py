"""What is said of a job that waits for somebody to decide, and what was decided."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Self

FINISH: Final = "finish"
"""Name in the checkpoint of a job that is to end with what it has."""


@dataclass(frozen=True)
class Pause:
    """Why a job is paused, and how far it is; kept as JSON in ``Job.pause``.

    Attributes:
        reason: ``spending_cap``: what may be spent is spent.
        spent: By the job so far, in the currency of the judge's prices.
        cap: That it may not pass.
        what: What it counts: ``clusters``, ``rows``, or ``texts`` that are embedded.
        done: Of these.
        of: How many there are.
        rest: What the others may cost about; None if that cannot be said.
        may_finish: Whether it can end with what is there.
    """

    reason: str
    spent: float
    cap: float
    what: str
    done: int
    of: int
    rest: float | None
    may_finish: bool

    @classmethod
    def load(cls, found: dict[str, Any]) -> Self:
        """Read what ``to_json`` has written."""
        return cls(**found)

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)
