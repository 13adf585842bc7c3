"""How notebooks and terminals show what the API tells: tables, and curves of rounds."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import islice
from typing import Any, Final, TypeVar

from core.media.nouns import noun
from karat.client.intervals import FEWEST, accuracy, inside_share, wilson

Row = TypeVar("Row", bound=Mapping[str, Any])

_PROJECTS: Final = {
    "id": "number",
    "name": "name",
    "state": "state",
    "counts.pool": "examples",
    "counts.labeled_in": "labeled",
    "counts.labeled_ood": "OOD",
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
JOBS: Final = {
    "id": "number",
    "kind": "job",
    "state": "state",
    "message": "message",
    "created_at": "asked for",
    "finished_at": "ended",
}
SELECTIONS: Final = {
    "job_id": "job",
    "method": "method",
    "kept": "kept",
    "rows": "of",
    "undecided": "undecided",
    "created_at": "made",
}
ALGORITHMS: Final = {
    "kind": "kind",
    "name": "name",
    "group": "group",
    "summary": "what it is",
}
EXAMPLES: Final = {
    "id": "number",
    "name": "name",
    "excerpt": "begins with",
    "split": "split",
    "state": "state",
    "label": "label",
}
# A time as the API writes it.
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_MOST: Final = 200
_FIRST: Final = 20
_WIDTH, _HEIGHT, _EDGE = 320, 120, 28


def project_columns(projects: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Headings of a list of projects, which names their examples as what they are.

    Args:
        projects: Those of the list.
    """
    media = {project.get("medium", "image") for project in projects}
    named = noun(media.pop()).many if len(media) == 1 else "examples"
    return {**_PROJECTS, "counts.pool": named}


class Rows(list[Row]):
    """A list of dictionaries; some of their fields are shown as a table."""

    def __init__(
        self,
        columns: Mapping[str, str],
        rows: Iterable[Row],
        *,
        widest: int = 40,
        first: int = _FIRST,
    ) -> None:
        """Take ``rows``.

        Args:
            columns: Headings of the fields that are shown; ``a.b`` is the field b in a.
            rows: The dictionaries.
            widest: Characters that a terminal shows of a field.
            first: Rows that it shows.
        """
        super().__init__(rows)
        self._columns = columns
        self._widest = widest
        self._first = first

    def _told(self) -> Sequence[Mapping[str, Any]]:
        """The rows as they are shown."""
        return self

    def __repr__(self) -> str:
        """The first of them as a table of text."""
        if not self:
            return "[]"
        cells = [[*self._columns.values()]] + [
            [_short(_field(row, name), self._widest) for name in self._columns]
            for row in self._told()[: self._first]
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        left = len(self) - self._first
        more = [f"… and {left:,} more"] if left > 0 else []
        return "\n".join(lines + more)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(title)}</th>" for title in self._columns.values())
        body = "".join(
            f"<tr>{''.join(f'<td>{_cell(_field(row, name))}</td>' for name in self._columns)}</tr>"
            for row in self._told()[:_MOST]
        )
        more = f"<p>… and {len(self) - _MOST:,} more</p>" if len(self) > _MOST else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Listing(Iterator[Row]):
    """What comes page by page, once; a notebook shows the first of it, asked for anew."""

    def __init__(
        self, what: str, columns: Mapping[str, str], ask: Callable[[], Iterator[Row]]
    ) -> None:
        """Ask for nothing yet.

        Args:
            what: What it lists, as its name.
            columns: Headings of the fields that are shown.
            ask: Gets it from the beginning.
        """
        self._what = what
        self._columns = columns
        self._ask = ask
        self._asked: Iterator[Row] | None = None

    def __next__(self) -> Row:
        """The next one."""
        if self._asked is None:
            self._asked = self._ask()
        return next(self._asked)

    def __repr__(self) -> str:
        """What it lists, and how to have it."""
        return f"<{self._what}: iterate, or list(…) for all>"

    def _repr_html_(self) -> str:
        some = list(islice(self._ask(), _FIRST + 1))
        more = "<p>… and more: list(…) gets all</p>" if len(some) > _FIRST else ""
        return Rows(self._columns, some[:_FIRST])._repr_html_() + more


def strategy_of(round_: Mapping[str, Any]) -> str:
    """What chose the images of a round; those of the first are chosen before a model can.

    There ``strategy`` says ``random``, as rounds did before any was typical of the pool. A first
    round of rankings says what has chosen them.
    """
    is_first = round_["number"] == 0 and round_["strategy"] == "random"
    return "first_queue" if is_first else str(round_["strategy"])


class RoundRows(Rows[Row]):
    """Rounds; a notebook shows how the accuracy grew with the answers, too.

    Shares and accuracies are shown with their 95 % interval.
    """

    def _told(self) -> Sequence[Mapping[str, Any]]:
        return [
            {
                **one,
                "strategy": strategy_of(one),
                "in_share": inside_share(one),
                "accuracy": accuracy(one),
            }
            for one in self
        ]

    def _repr_html_(self) -> str:
        return accuracy_curve(self) + super()._repr_html_()


class Told:
    """A part of the client: said of it is where it is, and what can be done with it."""

    _path: str

    def __repr__(self) -> str:
        """Its place below the API, and its methods."""
        kind = type(self)
        verbs = ", ".join(name for name in vars(kind) if not name.startswith("_"))
        return f"<{kind.__name__.removesuffix('Client')} at {self._path}: {verbs}>"


class Record(dict[str, Any]):
    """One dictionary; a notebook shows its fields, and those within them, as a table.

    Fields that are empty are left out, and what is longer than a line is cut.
    """

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{_cell(value)}</td></tr>"
            for name, value in _flat(self)
        )
        return f"<table><tbody>{rows}</tbody></table>"


def accuracy_curve(rounds: Sequence[Mapping[str, Any]]) -> str:
    """An SVG of accuracy, 0 to 100 %, over all answers so far, with bars for the intervals.

    Empty with fewer than two points; accuracies of too few examples are none.
    """
    points: list[tuple[int, float, int, str]] = []
    answers = 0
    for one in sorted(rounds, key=lambda one: one["number"]):
        answers += sum(one["answered"][name] for name in ("label", "ood", "unsure", "skip"))
        examples = one["metrics"].get("examples", 0)
        if one["accuracy"] is not None and examples >= FEWEST:
            points.append((answers, float(one["accuracy"]), examples, accuracy(one) or ""))
    if len(points) < 2:
        return ""
    most = max(answers for answers, *_ in points)
    line, dots = [], []
    for answers, right, examples, told in points:
        x = _EDGE + (_WIDTH - 2 * _EDGE) * answers / most
        low, y, high = (_height(share) for share in sorted((*wilson(right, examples), right)))
        line.append(f"{x:.1f},{y:.1f}")
        dots.append(
            f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="currentColor" stroke-opacity=".5"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="currentColor">'
            f"<title>{answers} answers: {told}</title></circle>"
        )
    bottom, right = _HEIGHT - _EDGE, _WIDTH - _EDGE
    axes = (
        f'<path d="M{_EDGE} {_EDGE}V{bottom}H{right}" fill="none" stroke="currentColor" '
        'stroke-opacity=".4"/>'
    )
    words = "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="10" fill="currentColor">'
        f"{text}</text>"
        for x, y, anchor, text in (
            (_EDGE - 4, _EDGE + 4, "end", "100"),
            (_EDGE - 4, bottom, "end", "0 %"),
            (right, bottom + 14, "end", f"{most} answers"),
            (_EDGE, _EDGE - 10, "start", f"accuracy {points[-1][3]}"),
        )
    )
    through, drawn = " ".join(line), "".join(dots)
    return (
        f'<svg role="img" aria-label="accuracy over answers" width="{_WIDTH}" height="{_HEIGHT}">'
        f'{axes}<polyline points="{through}" fill="none" stroke="currentColor"/>'
        f"{drawn}{words}</svg>"
    )


def _height(share: float) -> float:
    return _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * share


def _flat(values: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list):
            if value:
                yield f"{before}{name}", "; ".join(map(_called, value[:10]))
        elif value not in (None, ""):
            yield f"{before}{name}", value


def _called(value: Any) -> str:
    """One of several: what has a name by its name."""
    return str(value["name"] if isinstance(value, Mapping) and "name" in value else value)


def _field(row: Mapping[str, Any], name: str) -> Any:
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _cell(value: Any) -> str:
    return escape(_short(value, _MOST))


def _short(value: Any, most: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, str) and _TIME.fullmatch(value):
        return datetime.fromisoformat(value).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    return text if len(text) <= most else f"{text[:most]}…"
