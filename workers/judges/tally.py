"""What asking a judge has come to, in numbers."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

# Orders, of which by chance one in six or less is as shown.
_FEW: Final = 20


@dataclass
class Tally:
    """What asking has come to so far.

    Attributes:
        sent: Requests that were sent, repeated ones among them.
        answered: Answers that were paid for.
        kept: Answers that were there already.
        repeated: Requests that were sent once more, as the server was full or failed.
        tokens_in: Of the prompts that were paid for.
        tokens_out: Of the answers that were paid for.
        malformed: Answers that were asked for once more, as they had not the form they should.
        without: Questions without an answer, by reason.
        ranked: Orders of three rows or more that were answered.
        as_shown: Of these, how many left the rows as they were shown.
    """

    sent: int = 0
    answered: int = 0
    kept: int = 0
    repeated: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    malformed: int = 0
    without: Counter[str] = field(default_factory=Counter)
    ranked: int = 0
    as_shown: int = 0

    @property
    def favours_places(self) -> bool:
        """Whether the judge hardly looks: its orders are those in which rows were shown."""
        return self.ranked >= _FEW and self.as_shown > 0.8 * self.ranked
