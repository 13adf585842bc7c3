"""Projects and classes by what they are called."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from karat.client.transport import KaratError

_KINDS: Final = ("number", "name")


def named(reference: str, listed: Iterable[Mapping[str, Any]], what: str, where: str) -> int:
    """The number of the one that is meant.

    Args:
        reference: Its number or its name; ``number:`` or ``name:`` before it says which.
        listed: Those that there are, each with ``id`` and ``name``.
        what: Such as ``project``, for the complaint and its code.
        where: Such as ``that you may see``, for the complaint.

    Raises:
        KaratError: There is none (``project_not_found``, of a project), or one has this number and
            another this name (``ambiguous_project``).
    """
    known = list(listed)
    kind, _, rest = reference.partition(":")
    kinds, wanted = ((kind,), rest) if kind in _KINDS else (_KINDS, reference)
    found = {
        one["id"]: one["name"]
        for one in known
        if ("number" in kinds and wanted == str(one["id"]))
        or ("name" in kinds and wanted == one["name"])
    }
    if not found:
        raise KaratError(
            f"{what}_not_found",
            f"There is no {what} {reference!r} {where}."
            + _nearest(reference, [one["name"] for one in known]),
        )
    if len(found) > 1:
        raise KaratError(
            f"ambiguous_{what}",
            f"{wanted} is the number of the {what} {found[int(wanted)]!r} and the name of another."
            f" Write number:{wanted} or name:{wanted}.",
        )
    return int(next(iter(found)))


def _nearest(reference: str, names: list[str]) -> str:
    """The name that was probably meant, if one is near."""
    near = get_close_matches(reference, names, 1) or [
        name for name in names if reference and reference.lower() in name.lower()
    ]
    return f" The nearest name is {near[0]!r}." if near else ""
