"""What was taken out of a project for good.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Literal, TypedDict


class WithdrawalPreview(TypedDict):
    """How many would be withdrawn, and of how many of these somebody has said something."""

    answered: int
    images: int


class Withdrawal(TypedDict):
    """Examples that were withdrawn together.

    While `state` is `withdrawing` they leave the project, `done` of them so far; while it is
    `erasing` nobody finds them any more, and what files hold of them goes. `done` as a state is
    that nothing is left. `import_id` is the import that was taken back, if it was a whole one.
    """

    answered: int
    by: str | None
    created_at: str
    done: int
    erased_at: str | None
    id: int
    images: int
    import_id: int | None
    state: Literal["withdrawing", "erasing", "done"]
    withdrawn_at: str | None
