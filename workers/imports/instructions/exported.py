"""Rankings as our own export of them has them: a line for each group of rows, with every vote."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import islice
from math import inf
from typing import Any, Final

from core.states import Source, Verdict
from core.tasks.instruction_rows import digest
from workers.imports.instructions.parse import Columns, Parsed, parse
from workers.imports.instructions.row_source import RowSource
from workers.imports.items import Item, Refused, refused_item
from workers.imports.ranked import Ranked, Standing
from workers.imports.stated import author_name, read_seconds, read_time, text

COLUMNS: Final = frozenset({"round", "rows", "verdict", "order", "wrong", "votes"})
"""What every line has."""
_ROWS, _VOTES = "rows", "votes"
_RANKING: Final = "ranking"
_UNRANKED: Final = (Verdict.OOD.in_files, Verdict.UNSURE.in_files)
_UNNAMED: Final = "Karat"
_MOST_ROUNDS: Final = 1_000_000
_PLAIN: Final = Columns(asked="instruction", answered="responses", inputs="input", system="system")
_CHAT: Final = Columns(chat="turns", system="system")
_OTHER: Final = "what somebody said of its group ranks no two of its rows, and is not taken"


class ExportedRankings(RowSource):
    """Rows that people were asked to rank, and their rankings."""

    @cached_property
    def total(self) -> int:
        """Number of rows, each as often as it was asked about, and of lines without any."""
        return sum(1 for _ in self._every(0))

    @property
    def roles(self) -> Mapping[str, str]:
        """Columns by what they were taken for."""
        return {"rows": _ROWS, "ranking": _VOTES}

    @property
    def notes(self) -> Sequence[str]:
        """What comes in."""
        return (
            "Rankings that Karat has exported come in as labels, each by who gave it, in the "
            "rounds that they were given in.",
        )

    def items(self, start: int) -> Iterator[Item]:
        """Rows from ``start`` on."""
        return islice(self._every(0), start, None)

    def rankings(self) -> Iterator[Ranked]:
        """What each vote says of the rows of its group; OOD and unsure rank none of them."""
        for _, line in self._table.rows(0):
            if isinstance(line, str):
                continue
            rows = _objects(line.get(_ROWS))
            keys = _keys(rows, [self._read(one) for one in rows])
            # A group is asked about by itself, whatever its rows ask, and once in a round.
            group = sha256(b"".join(sorted(keys.values()))).digest()
            number = line.get("round")
            asked = number if isinstance(number, int) and 0 <= number < _MOST_ROUNDS else 0
            for vote in _objects(line.get(_VOTES)):
                places = _places(vote, keys)
                if len(places) > 1 or vote.get("verdict") in _UNRANKED:
                    author = author_name(text(vote.get("annotator")) or _UNNAMED)
                    yield Ranked(
                        group,
                        author,
                        places,
                        asked=asked,
                        seconds=read_seconds(vote.get("seconds")),
                        at=read_time(vote.get("created_at")),
                        standing=_standing(vote),
                    )

    def _items(self, place: str, row: Mapping[str, Any]) -> Iterator[Item]:
        rows = row.get(_ROWS)
        if not isinstance(rows, list) or not rows:
            yield refused_item(place, f"column {_ROWS} is no list of rows")
            return
        read = [self._read(one) for one in rows]
        keys = _keys(rows, read)
        is_other = any(len(_places(one, keys)) < 2 for one in _objects(row.get(_VOTES)))
        for number, (one, found) in enumerate(zip(rows, read, strict=True), 1):
            where = f"{place}, row {number}"
            if isinstance(found, Refused):
                yield refused_item(where, found.reason)
            else:
                name = text(one.get("name")) or where
                yield self._item(name, found, {}, {}, _OTHER if is_other else "")

    def _read(self, row: object) -> Parsed | Refused:
        if not isinstance(row, Mapping):
            return Refused("is no object")
        found = parse(row, _CHAT if row.get("turns") else _PLAIN)
        reason = None if isinstance(found, Refused) else self._too_long(found)
        return found if reason is None else Refused(reason)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _keys(rows: Sequence[Any], read: Sequence[Parsed | Refused]) -> dict[int, bytes]:
    """Of the rows of a line that come in the digest, by the id that votes name them by."""
    return {
        id_: digest(found.row)
        for row, found in zip(rows, read, strict=True)
        if isinstance(found, Parsed) and isinstance(id_ := row.get("example_id"), int)
    }


def _standing(vote: Mapping[str, Any]) -> Standing:
    return Standing.DECISION if vote.get("source") == Source.REVIEW else Standing.VOTE


def _places(vote: Mapping[str, Any], keys: Mapping[int, bytes]) -> dict[bytes, float]:
    """The place of each row, by its digest; that of what is called wrong is infinite."""
    order, wrong = vote.get("order"), vote.get("wrong")
    if vote.get("verdict") != _RANKING or not isinstance(order, list):
        return {}
    found: dict[bytes, float] = {}
    for place, tied in enumerate([*order, wrong]):
        for id_ in tied if isinstance(tied, list) else ():
            if isinstance(id_, int) and id_ in keys:
                found[keys[id_]] = inf if place == len(order) else float(place)
    return found
