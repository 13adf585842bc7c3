"""Projects by what they are called."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from karat.client.transport import KaratError

_KINDS: Final = ("number", "name")


def named(reference: str, projects: Iterable[Mapping[str, Any]]) -> int:
    """The number of the project that is meant.

    Args:
        reference: Its number or its name; ``number:`` or ``name:`` before it says which.
        projects: Those that the user may see.

    Raises:
        KaratError: There is none (``project_not_found``), or one has this number and another this
            name (``ambiguous_project``).
    """
    listed = list(projects)
    kind, _, rest = reference.partition(":")
    kinds, wanted = ((kind,), rest) if kind in _KINDS else (_KINDS, reference)
    found = {
        project["id"]: project["name"]
        for project in listed
        if ("number" in kinds and wanted == str(project["id"]))
        or ("name" in kinds and wanted == project["name"])
    }
    if not found:
        raise KaratError(
            "project_not_found",
            f"There is no project {reference!r} that you may see."
            + _nearest(reference, [project["name"] for project in listed]),
        )
    if len(found) > 1:
        raise KaratError(
            "ambiguous_project",
            f"{wanted} is the number of the project {found[int(wanted)]!r} and the name of another."
            f" Write number:{wanted} or name:{wanted}.",
        )
    return int(next(iter(found)))


def _nearest(reference: str, names: list[str]) -> str:
    """The name that was probably meant, if one is near."""
    near = get_close_matches(reference, names, 1) or [
        name for name in names if reference and reference.lower() in name.lower()
    ]
    return f" The nearest name is {near[0]!r}." if near else ""
