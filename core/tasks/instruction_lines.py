"""Rows of instruction data as the lines of files that tuning libraries read. Pure."""

from collections.abc import Iterator
from typing import Any

from core.tasks.instruction_rows import BLANK_LINE, InstructionRow, asked


def as_alpaca(row: InstructionRow) -> Iterator[dict[str, Any]]:
    """A line for each response: ``instruction``, ``input``, ``output``, and ``system`` if any.

    Of a chat the last exchange, with those before it as pairs in ``history``.
    """
    system = {} if row.system is None else {"system": row.system}
    if row.turns:
        pairs = _exchanges(row)
        *before, (question, answer) = pairs
        yield {
            "instruction": question,
            "input": "",
            "output": answer,
            **system,
            "history": [list(pair) for pair in before],
        }
        return
    for response in row.responses:
        yield {
            "instruction": row.instruction,
            "input": row.input,
            "output": response,
            **system,
        }


def as_messages(row: InstructionRow) -> Iterator[dict[str, Any]]:
    """A line for each response: ``messages``, each with its ``role`` and ``content``."""
    system = [] if row.system is None else [{"role": "system", "content": row.system}]
    if row.turns:
        turns = [{"role": one.role, "content": one.content} for one in row.turns]
        yield {"messages": [*system, *turns]}
        return
    for response in row.responses:
        yield {
            "messages": [
                *system,
                {"role": "user", "content": asked(row)},
                {"role": "assistant", "content": response},
            ]
        }


def _exchanges(row: InstructionRow) -> list[tuple[str, str]]:
    """What was asked and answered in a chat.

    What the assistant says before and after a tool is one answer; what tools say is left out.
    """
    pairs: list[tuple[list[str], list[str]]] = []
    for turn in row.turns:
        if turn.role == "user":
            # Several questions before an answer are one.
            if not pairs or pairs[-1][1]:
                pairs.append(([], []))
            pairs[-1][0].append(turn.content)
        elif turn.role == "assistant" and pairs and turn.content.strip():
            pairs[-1][1].append(turn.content)
    return [(BLANK_LINE.join(asked_), BLANK_LINE.join(answered)) for asked_, answered in pairs]
