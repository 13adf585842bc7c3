"""Lists of what the API tells, which notebooks show as tables, and projects by what they are."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final, TypeVar

from core.media.nouns import noun
from karat.client.transport import KaratError

Row = TypeVar("Row", bound=Mapping[str, Any])

_PROJECTS: Final = {
    "id": "number",
    "name": "name",
    "state": "state",
    "counts.pool": "examples",
    "counts.labeled_in": "labeled",
    "counts.labeled_ood": "of no class",
}
ROUNDS: Final = {
    "number": "round",
    "state": "state",
    "strategy": "strategy",
    "spent": "spent",
    "budget": "budget",
    "in_share": "share of the classes",
    "accuracy": "accuracy",
}
_KINDS: Final = ("number", "name")
_MOST: Final = 200


def project_columns(projects: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Headings of a list of projects, which names their examples as what they are.

    Args:
        projects: Those of the list.
    """
    media = {project.get("medium", "image") for project in projects}
    named = noun(media.pop()).many if len(media) == 1 else "examples"
    return {**_PROJECTS, "counts.pool": named}


class Rows(list[Row]):
    """A list of dictionaries; a notebook shows some of their fields as a table."""

    def __init__(self, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
        """Take ``rows``.

        Args:
            columns: Headings of the fields that are shown; ``a.b`` is the field b in a.
            rows: The dictionaries.
        """
        super().__init__(rows)
        self._columns = columns

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(title)}</th>" for title in self._columns.values())
        body = "".join(
            f"<tr>{''.join(f'<td>{_cell(_field(row, name))}</td>' for name in self._columns)}</tr>"
            for row in self[:_MOST]
        )
        more = f"<p>… and {len(self) - _MOST:,} more</p>" if len(self) > _MOST else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _field(row: Mapping[str, Any], name: str) -> Any:
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(str(value))


def named(reference: str, projects: Iterable[Mapping[str, Any]]) -> int:
    """The number of the project that is meant.

    Args:
        reference: Its number or its name; ``number:`` or ``name:`` before it says which.
        projects: Those that the user may see.

    Raises:
        KaratError: There is none (``project_not_found``), or one has this number and another this
            name (``ambiguous_project``).
    """
    kind, _, rest = reference.partition(":")
    kinds, wanted = ((kind,), rest) if kind in _KINDS else (_KINDS, reference)
    found = {
        project["id"]: project["name"]
        for project in projects
        if ("number" in kinds and wanted == str(project["id"]))
        or ("name" in kinds and wanted == project["name"])
    }
    if not found:
        raise KaratError(
            "project_not_found", f"There is no project {reference!r} that you may see."
        )
    if len(found) > 1:
        raise KaratError(
            "ambiguous_project",
            f"{wanted} is the number of the project {found[int(wanted)]!r} and the name of another."
            f" Write number:{wanted} or name:{wanted}.",
        )
    return int(next(iter(found)))
