"""Numbers of classes in a column: what they count, and where that is not certain. Pure."""

from collections.abc import Sequence
from typing import Final

from workers.imports.values import Values

_MOST_TOLD: Final = 10


def uncertainty(held: Values, classes: int) -> str:
    """Why it is not certain which class a number of a column means; empty if it is.

    Args:
        held: What the column holds as a whole.
        classes: How many the project has.
    """
    if held.other:
        return f"there are not only numbers in it ({held.other[:50]!r})"
    if held.least:
        return (
            f"its numbers run from {held.least} to {held.most}: without a 0 they may count "
            "from 0, from 1, or mean something else"
        )
    if held.most is not None and held.most >= classes:
        return (
            f"its numbers run from 0 to {held.most}: those of the {classes} classes run "
            f"from 0 to {classes - 1}"
        )
    return ""


def how_counted(column: str, names: Sequence[str], first: int) -> str:
    """How the numbers of a column are read.

    Args:
        column: Its name.
        names: Of the classes, in their order.
        first: The number of the first.
    """
    pairs = [f"{number} = {name}" for number, name in enumerate(names, first)]
    shown = ", ".join(pairs[:_MOST_TOLD]) + (", …" if len(pairs) > _MOST_TOLD else "")
    return f"Numbers in {column} are classes, counted from {first}: {shown}."
