"""What a table says that an example is labeled as, by the type of its label."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from karat.client.pool_types import Example

Names = Mapping[int, str]


def label_of(example: "Example", names: Names) -> str | None:
    """What an example is labeled as: a class, how many boxes of which, or its place.

    Args:
        example: Which.
        names: Of the project's classes, by their ids.
    """
    whole = example.get("whole_label")
    if whole is None or whole["type"] not in _SAID:
        return example["label"]
    return _SAID[whole["type"]](example["id"], whole, names)


def _counted(_: int, label: Mapping[str, Any], names: Names) -> str:
    """How many boxes there are of which class."""
    counts = Counter(names.get(one["class_id"], "?") for one in label["boxes"])
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "no objects"


def _place(example_id: int, ranking: Mapping[str, Any], _: Names) -> str:
    """Where a row stands in the ranking of its group."""
    of = sum(map(len, ranking["order"])) + len(ranking["wrong"])
    before = 0
    for tied in ranking["order"]:
        if example_id in tied:
            return f"{before + 1} of {of}"
        before += len(tied)
    return "wrong"


_SAID: Final[Mapping[str, Callable[[int, Mapping[str, Any], Names], str]]] = {
    "boxes": _counted,
    "instructions": _place,
}
