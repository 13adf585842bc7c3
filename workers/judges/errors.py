"""What can go wrong with a judge, each with a code and a remedy."""

from typing import ClassVar

from core.errors import DomainError, ErrorKind
from workers.judges import faults


class JudgeDown(DomainError):
    """The judge cannot be asked at all; whoever asks stops, and goes on later from what is kept.

    Attributes:
        fault: ``unresolved``, ``not_allowed``, ``unreachable``, ``unauthorized``, ``unpaid``,
            ``unknown_model``, ``rate_limited``, ``redirected``, ``failing`` or ``key_unreadable``.
    """

    default_kind: ClassVar[ErrorKind] = ErrorKind.UNAVAILABLE

    def __init__(self, fault: str, detail: str) -> None:
        """Say what is wrong, and what to do about it."""
        super().__init__(f"judge_{fault}", detail)
        self.fault = fault


class Unanswered(Exception):
    """The judge did not answer this one question; others may go well.

    Attributes:
        reason: ``refused``, ``timeout`` or ``failed``.
    """

    def __init__(self, reason: str, detail: str) -> None:
        """Say why."""
        super().__init__(detail)
        self.reason = reason


class Stopped(Exception):
    """The judge is not to be asked any more, since something else has ended the work."""


class OverBudget(DomainError):
    """What may be spent is spent. What was answered is kept: with a higher cap it goes on.

    A job is paused then, and fails with this where it only measures.
    """

    default_kind: ClassVar[ErrorKind] = ErrorKind.CONFLICT

    def __init__(self, spent: float, most: float) -> None:
        """Say how far it came."""
        super().__init__("spending_cap", faults.capped(spent, most), field="spend_at_most")
        self.spent, self.most = spent, most
