"""What is wrong with the fields of a request, one by one."""

from collections.abc import Iterable

from pydantic import BaseModel

from core.errors import Invalid
from models.catalog.faults import Fault


class FieldError(BaseModel):
    """What is wrong with one field.

    `type` names it as pydantic does, and `ctx` has what varies in it, such as a limit: by these it
    can be said in other languages than that of the `message`. Of `value_error` the message is all.
    """

    field: str
    message: str
    type: str
    ctx: dict[str, str | int | float]


class InvalidFields(Invalid):
    """Fields of a well-formed request that cannot be accepted.

    Attributes:
        errors: What is wrong with each.
    """

    def __init__(self, code: str, detail: str, errors: list[FieldError], *, field: str) -> None:
        """Say it of all, and of each."""
        super().__init__(code, detail, field=field)
        self.errors = errors


def field_errors(faults: Iterable[Fault], within: str = "") -> list[FieldError]:
    """Faults by the paths of their fields.

    Args:
        faults: By their places.
        within: Path of what they are places in.
    """
    return [
        FieldError(
            field=".".join(filter(None, (within, *map(str, one.place)))),
            message=one.message,
            type=one.type,
            ctx=dict(one.ctx),
        )
        for one in faults
    ]
