"""Errors that callers of `models` are expected to handle."""

from collections.abc import Iterable, Sequence
from itertools import islice

SHOWN_NAMES = 10
"""Names in a message; of more, the first."""


def listed(names: Iterable[object], total: int) -> str:
    """Return the first `SHOWN_NAMES` of `total` names as part of a sentence."""
    more = ", ..." if total > SHOWN_NAMES else ""
    return ", ".join(map(str, islice(names, SHOWN_NAMES))) + more


class ModelError(ValueError):
    """A request that cannot be met; the message says what is wrong and what to do about it."""


class NotReady(ModelError):
    """An algorithm lacks what it needs so far, such as answers; its fallback stands in."""


class NotFinite(ModelError):
    """Values of some examples are NaN or infinite.

    Attributes:
        shown: the examples that the message names, by pool index unless `by_id` made it.
    """

    def __init__(
        self, name: str, *, bad: int, total: int, shown: Sequence[int], called: str = "pool index"
    ) -> None:
        """Say which they are.

        Args:
            name: what is not finite, as a sentence begins with it.
            bad: how many values are not.
            total: of how many.
            shown: the first of the examples, by pool index or by whatever `called` says.
            called: what the examples are named by.
        """
        super().__init__(
            f"{name} is not finite for {bad} of {total} examples ({called} {listed(shown, bad)}); "
            "choose another score or train the model again."
        )
        self.shown = tuple(shown)
        self._name, self._bad, self._total = name, bad, total

    def by_id(self, ids: Sequence[int]) -> "NotFinite":
        """Return the same with the examples named by ids, in the order of `shown`."""
        return NotFinite(self._name, bad=self._bad, total=self._total, shown=ids, called="id")


class ExamplesLost(ModelError):
    """Examples were asked for that are not on the disk any more."""


class PixelsLost(ExamplesLost):
    """Images were asked for whose pixels are lost."""


class TextsLost(ExamplesLost):
    """Texts were asked for that are lost."""


class Cancelled(Exception):
    """Raised by a progress callback to stop the work at hand."""
