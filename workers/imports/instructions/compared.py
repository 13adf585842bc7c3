"""Rows of files that compare answers to one question, as other tools write rankings. Pure.

A shape knows where such a row has its question, its answers and what was said of them; the answers
become rows of instruction data, whatever the shape.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from core.tasks.instruction_rows import InstructionRow, digest
from workers.imports.instructions.parse import Columns, Parsed, is_chat, parse
from workers.imports.items import Refused, printable
from workers.imports.ranked import known_places
from workers.imports.stated import author_name

ASKED: Final = ("prompt", "instruction", "question", "query", "input", "context")
"""Columns that hold what is asked, the first that is there."""
_SPOKEN: Final = re.compile(r"(?:^|\n\n)(Human|Assistant): ?")
SAME: Final = "answers that are the same are one row, and are not ranked beside each other"
_NOTHING: Final = "compares nothing: it needs two answers or more"


@dataclass(frozen=True, slots=True)
class Stated:
    """What a row of a file says, before its answers are read.

    Attributes:
        answers: Each answer, with what it stood in.
        said: By whom, or by which column, and the place of each answer: the lowest is the best,
            those that are equal tie, ``None`` was not ranked.
        asked: Where the question stood, and the question.
        inputs: Likewise what it is about.
        system: Likewise what the model is told to be.
        history: Likewise what was asked and answered before.
        others: What else the row holds.
    """

    answers: Sequence[tuple[str, Any]]
    said: Sequence[tuple[str, Sequence[float | None]]] = ()
    asked: tuple[str, Any] = ("prompt", None)
    inputs: tuple[str, Any] | None = None
    system: tuple[str, Any] | None = None
    history: tuple[str, Any] | None = None
    others: Mapping[str, Any] = field(default_factory=dict)


class Ranking(NamedTuple):
    """Who ranks answers, and how: the place of each by the digest of its row, the best lowest."""

    author: str
    places: Mapping[bytes, float]


@dataclass(frozen=True, slots=True)
class Compared:
    """Answers to one question as rows, none twice, and the rankings of them.

    Attributes:
        rows: One for each answer, with what it stood in.
        rankings: What was said of them.
        question: The same for all that ask the same.
        others: What else the row of the file holds.
        has_twins: Whether answers were the same.
    """

    rows: Sequence[tuple[str, Parsed]]
    rankings: Sequence[Ranking]
    question: bytes
    others: Mapping[str, Any]
    has_twins: bool


def compared(stated: Stated) -> Compared | Refused:
    """The rows that answers are, or why one of them is none: then none is taken."""
    if len(stated.answers) < 2:
        return Refused(_NOTHING)
    keys: list[bytes] = []
    rows: dict[bytes, tuple[str, Parsed]] = {}
    questions: dict[bytes, str] = {}
    for called, value in stated.answers:
        found = _row(stated, called, value)
        if isinstance(found, Refused):
            return Refused(printable(f"in {called}: {found.reason}"))
        keys.append(digest(found.row))
        rows.setdefault(keys[-1], (called, found))
        questions.setdefault(question_of(found.row), called)
    if len(questions) > 1:
        first, other, *_ = questions.values()
        return Refused(printable(f"{first} and {other} do not answer the same question"))
    rankings = []
    for author, values in stated.said:
        if len(values) != len(keys):
            return Refused(printable(f"{author} ranks {len(values)} of {len(keys)} answers"))
        given = zip(keys, values, strict=True)
        places = known_places((key, place) for key, place in given if place is not None)
        if len(places) > 1:
            rankings.append(Ranking(author_name(author), places))
    (question,) = questions
    twins = len(rows) < len(keys)
    return Compared(tuple(rows.values()), tuple(rankings), question, stated.others, twins)


def question_of(row: InstructionRow) -> bytes:
    """The same, 32 bytes, for rows that ask the same."""
    last = row.model_copy(update={"responses": ("-",), "turns": row.turns[:-1]})
    return digest(last)


def _row(stated: Stated, called: str, value: Any) -> Parsed | Refused:
    asked, question = stated.asked
    if isinstance(value, str) and question is None:
        value = _spoken(value) or value
    fields: dict[str, Any] = {}
    columns = Columns()
    if stated.system is not None:
        fields[stated.system[0]] = stated.system[1]
        columns = columns._replace(system=stated.system[0])
    is_talk = isinstance(value, list) and is_chat(value)
    if is_talk or isinstance(question, list):
        said = value if is_talk else [{"role": "assistant", "content": value}]
        if question is not None and not any(map(_is_users, said)):
            before = question if isinstance(question, list) else [_turn("user", question)]
            said = [*before, *said]
        return parse({**fields, called: said}, columns._replace(chat=called))
    if isinstance(value, list | Mapping):
        return Refused("is no text, and no list of messages")
    if question is None:
        return Refused(f"nothing says what it answers; add a column {ASKED[0]}")
    fields |= {asked: question, called: value}
    columns = columns._replace(asked=asked, answered=called)
    if stated.inputs is not None:
        fields[stated.inputs[0]] = stated.inputs[1]
        columns = columns._replace(inputs=stated.inputs[0])
    if stated.history is not None:
        fields[stated.history[0]] = stated.history[1]
        columns = columns._replace(history=stated.history[0])
    return parse(fields, columns)


def _turn(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _is_users(turn: Mapping[str, Any]) -> bool:
    return str(turn.get("role", turn.get("from"))).casefold() in ("user", "human", "prompter")


def _spoken(text: str) -> list[dict[str, Any]]:
    """The turns of a dialogue that is written as one text; none if it is no such text."""
    before, *parts = _SPOKEN.split(text)
    if before.strip() or not parts:
        return []
    roles = {"Human": "user", "Assistant": "assistant"}
    turns = zip(parts[::2], parts[1::2], strict=True)
    return [_turn(roles[who], said.strip()) for who, said in turns]
