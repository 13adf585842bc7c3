"""Rows of files as rows of instruction data: Alpaca, chats of messages, ShareGPT, and their kin."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from core.tasks.instruction_rows import InstructionRow, Role, Turn
from core.tasks.instruction_rows import asked as whole_question
from models.catalog.faults import fault_of
from workers.imports.items import Refused, printable

CHATS: Final = ("messages", "conversations", "conversation")
"""Columns that hold all turns of a chat, the first that is there."""
SYSTEMS: Final = ("system", "system_prompt")
_PAIRS: Final = (
    ("instruction", ("output", "outputs", "response", "responses", "completion", "answer")),
    ("prompt", ("completion", "response", "responses", "output", "outputs", "answer")),
    ("question", ("answer", "answers", "response", "responses", "output")),
    ("query", ("response", "responses", "answer", "output")),
)
HISTORIES: Final = ("history",)
_INPUTS: Final = ("input", "context")
OURS: Final = frozenset({"instruction", "input", "responses", "messages", "sha256", "name", "meta"})
"""Columns that our own Parquet has."""
NEEDED: Final = (
    "instruction and output (Alpaca), messages (chats), conversations (ShareGPT), prompt and "
    "completion, question and answer, or answers to compare (prompt, chosen and rejected)"
)
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "prompter": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
}
NO_TEXTS: Final = ("tool_calls", "function_call", "audio", "images")
"""Members of messages that say what is no text."""
_THOUGHTS: Final = ("reasoning_content", "thinking")
TURN: Final = ("role", "content", "from", "value", "weight", *_THOUGHTS)
"""Members of messages that hold texts and numbers."""
_MOST_TURNS: Final = 1000
_MOST_RESPONSES: Final = 100
_HALVES: Final = re.compile("[\ud800-\udfff]")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
MENDED: Final = "halves of characters in it, which no text can hold, were replaced"
BESIDE: Final = "thoughts in its messages, and weights of 0, are left out"
UNANSWERED: Final = "a response only says that there is none, such as <nooutput>"
WORDS: Final = "its history is no list of questions and answers, and is kept as other columns are"
_NO_RESPONSE: Final = re.compile(r"\s*<\s*no\s?(?:output|response|answer)\s*>\s*", re.IGNORECASE)


class _Unfit(ValueError):
    """Why a row is none of instruction data."""


class Columns(NamedTuple):
    """Which columns of a table hold the parts of its rows.

    Attributes:
        chat: All turns; without it the others do. With both, as our own exports have them, it is
            read of rows that are chats of more than one exchange.
        asked: What is asked.
        answered: What is answered.
        inputs: What it is asked about.
        system: What the model is told to be.
        history: What was asked and answered before, in pairs; of rows where it is words, which
            other tables have in a column that is called so, it is none of their parts.
    """

    chat: str | None = None
    asked: str | None = None
    answered: str | None = None
    inputs: str | None = None
    system: str | None = None
    history: str | None = None

    @property
    def all(self) -> set[str]:
        """Those that there are."""
        return {name for name in self if name is not None}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A row, and what is to be known of how it was read; empty if nothing is."""

    row: InstructionRow
    told: str


def find_columns(names: Collection[str]) -> Columns | None:
    """The columns of instruction data among those of a table; None where there are none."""
    there = {name.casefold(): name for name in reversed(list(names))}

    def first(words: Sequence[str]) -> str | None:
        return next((there[word] for word in words if word in there), None)

    system = first(SYSTEMS)
    chat = first(CHATS)
    if chat is not None and OURS.issubset(names):
        return Columns(chat, "instruction", "responses", "input", system)
    if chat is not None:
        return Columns(chat=chat, system=system)
    for word, answers in _PAIRS:
        answered = first(answers)
        if word in there and answered is not None:
            inputs, history = first(_INPUTS), first(HISTORIES)
            return Columns(None, there[word], answered, inputs, system, history)
    return None


def parse(fields: Mapping[str, Any], columns: Columns) -> Parsed | Refused:
    """The row that the fields of one row of a file are, or why they are none."""
    texts = _Texts()
    try:
        values = _chat(fields, columns, texts) if columns.chat else {}
        if columns.asked and not values.get("turns"):
            values = _pair(fields, columns, texts)
        return Parsed(InstructionRow(**values), texts.told)
    except _Unfit as error:
        return Refused(printable(str(error)))
    except ValidationError as error:
        return Refused(printable(fault_of(error.errors()[0]).message))


def remark(found: Parsed) -> str:
    """What is to be known of a row that is taken in; empty if nothing is."""
    is_empty = any(_NO_RESPONSE.fullmatch(one) for one in found.row.responses)
    return found.told or (UNANSWERED if is_empty else "")


class _Texts:
    """Reads texts, and notes what is to be known of them."""

    def __init__(self) -> None:
        self.told = ""

    def of(self, value: object, what: str) -> str:
        """A text, or a number as one; nothing is an empty text."""
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _Unfit(f"{what} is no text")
        said = str(value)
        if "\0" in said:
            raise _Unfit(
                f"character {said.index(chr(0)) + 1:,} of {what} is NUL, which none may hold"
            )
        mended = _HALVES.sub(_REPLACEMENT, said)
        if mended != said:
            self.told = MENDED
        return mended


def _pair(fields: Mapping[str, Any], columns: Columns, texts: _Texts) -> dict[str, Any]:
    asked, answered = columns.asked or "", columns.answered or ""
    question, answers = fields.get(asked), fields.get(answered)
    if isinstance(question, list) and (not isinstance(answers, list) or is_chat(answers)):
        # Both as messages, as prompts and completions of chats are kept.
        said = answers if isinstance(answers, list) else [{"role": "assistant", "content": answers}]
        return _of_turns([*question, *said], fields, columns, texts)
    instruction = texts.of(question, f"column {asked}")
    if not instruction.strip():
        raise _Unfit(f"column {asked} is empty: it asks nothing")
    listed = answers if isinstance(answers, list) else [answers]
    if len(listed) > _MOST_RESPONSES:
        raise _Unfit(f"column {answered} has more than {_MOST_RESPONSES} answers")
    responses = [texts.of(one, f"column {answered}") for one in listed]
    if not any(one.strip() for one in responses):
        raise _Unfit(f"column {answered} is empty: nothing is answered")
    if not all(one.strip() for one in responses):
        raise _Unfit(f"one of the answers in column {answered} is empty")
    inputs = columns.inputs
    row = {
        "system": _system(fields, columns, texts),
        "instruction": instruction,
        "input": "" if inputs is None else texts.of(fields.get(inputs), f"column {inputs}"),
        "responses": tuple(responses),
    }
    before = _history(fields, columns, texts)
    if not before:
        return row
    if len(responses) > 1:
        raise _Unfit(f"column {answered} has several answers, and column {columns.history} a chat")
    last = (whole_question(InstructionRow(**row)), responses[0])
    said = [
        {"role": role, "content": content}
        for pair in (*before, last)
        for role, content in zip(("user", "assistant"), pair, strict=True)
    ]
    return _of_turns(said, fields, columns, texts)


def _history(
    fields: Mapping[str, Any], columns: Columns, texts: _Texts
) -> Sequence[Sequence[object]]:
    """Pairs of what was asked and answered before; none where nothing is said."""
    said = fields.get(columns.history or "")
    if not may_be_history(said):
        texts.told = texts.told or WORDS
        return ()
    pairs = list_of(said)
    if not _says(pairs):
        return ()
    if isinstance(pairs, list) and all(isinstance(one, list) and len(one) == 2 for one in pairs):
        return pairs
    raise _Unfit(f"column {columns.history} is no list of questions and answers")


def may_be_history(value: object) -> bool:
    """Whether a cell may say what was said before: words and numbers are something else."""
    return not isinstance(list_of(value), str | int | float)


def list_of(value: object) -> Any:
    """A list, also one that a cell has as JSON; None of a blank cell."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def is_chat(value: Sequence[object]) -> bool:
    """Whether a list is one of messages."""
    return bool(value) and all(isinstance(one, Mapping) for one in value)


def _system(fields: Mapping[str, Any], columns: Columns, texts: _Texts) -> str | None:
    if columns.system is None:
        return None
    said = texts.of(fields.get(columns.system), f"column {columns.system}")
    return said if said.strip() else None


def _chat(fields: Mapping[str, Any], columns: Columns, texts: _Texts) -> dict[str, Any]:
    turns = fields.get(columns.chat or "")
    if turns is None or turns == []:
        raise _Unfit(f"column {columns.chat} is empty")
    if not isinstance(turns, list):
        raise _Unfit(f"column {columns.chat} is no list of messages")
    return _of_turns(turns, fields, columns, texts)


def _of_turns(
    stated: Sequence[object], fields: Mapping[str, Any], columns: Columns, texts: _Texts
) -> dict[str, Any]:
    if len(stated) > _MOST_TURNS:
        raise _Unfit(f"the chat has more than {_MOST_TURNS:,} messages")
    said = [_turn(number, one, texts) for number, one in enumerate(stated, 1)]
    system = _system(fields, columns, texts)
    if said and said[0].role == "system":
        system, said = (said[0].content if said[0].content.strip() else system), said[1:]
    asked = next((one.content for one in said if one.role == "user"), "")
    if not asked.strip():
        raise _Unfit("the chat has no message of a user, or an empty one")
    if said[-1].role != "assistant":
        raise _Unfit("the chat ends without an answer")
    if not said[-1].content.strip():
        raise _Unfit("the last answer of the chat is empty")
    is_plain = [one.role for one in said] == ["user", "assistant"]
    return {
        "system": system,
        "instruction": asked,
        "responses": (said[-1].content,),
        "turns": () if is_plain else tuple(said),
    }


def _turn(number: int, stated: object, texts: _Texts) -> Turn:
    what = f"message {number}"
    if not isinstance(stated, Mapping):
        raise _Unfit(f"{what} is no object with role and content")
    who = stated.get("role", stated.get("from"))
    content = stated.get("content", stated.get("value"))
    role = _ROLES.get(who.strip().casefold()) if isinstance(who, str) else None
    if role is None:
        shown = repr(who)[:50] if who is not None else "nobody"
        raise _Unfit(f"{what} is by {shown}; known are system, user (human), assistant (gpt), tool")
    if other := next((name for name in NO_TEXTS if _says(stated.get(name))), None):
        raise _Unfit(f"{what} holds {other}; only text is taken")
    if stated.get("weight") == 0 or any(_says(stated.get(name)) for name in _THOUGHTS):
        texts.told = texts.told or BESIDE
    return Turn(role=role, content=_content(content, what, texts))


def _says(value: object) -> bool:
    """Whether anything is there: tables have a place for what another row says."""
    if isinstance(value, Mapping | list):
        return any(map(_says, value.values() if isinstance(value, Mapping) else value))
    return value not in (None, "")


def _content(value: object, what: str, texts: _Texts) -> str:
    """What a message says: a text, or its parts."""
    if not isinstance(value, list):
        return texts.of(value, what)
    parts = []
    for part in value:
        if isinstance(part, Mapping) and part.get("type") not in ("text", None):
            raise _Unfit(f"{what} holds {str(part['type'])[:50]}; only text is taken")
        parts.append(texts.of(part.get("text") if isinstance(part, Mapping) else part, what))
    return "".join(parts)
