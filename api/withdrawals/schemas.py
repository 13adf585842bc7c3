from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.examples.schemas import Selection

WithdrawalState = Literal["withdrawing", "erasing", "done"]


class WithdrawalIn(Selection):
    """What is to be withdrawn: at most 10,000 ids, or all that match filters.

    `images` is how many they are, as somebody was told before: if they are others by now, nothing
    is withdrawn.
    """

    images: Annotated[int, Field(ge=1, lt=2**63)] | None = None


class WithdrawalPreview(BaseModel):
    """How many would be withdrawn, and of how many of these somebody has said something."""

    images: int
    answered: int


class WithdrawalOut(WithdrawalPreview):
    """Examples that were withdrawn together.

    While `state` is `withdrawing` they leave the project, `done` of them so far; while it is
    `erasing` nobody finds them any more, and what files hold of them goes. `done` as a state is
    that nothing is left. `import_id` is the import that was taken back, if it was a whole one.
    """

    id: int
    state: WithdrawalState
    done: int
    import_id: int | None
    by: str | None
    created_at: datetime
    withdrawn_at: datetime | None
    erased_at: datetime | None
