"""Rows of instruction data as the lines of files that tuning libraries read. Pure."""

from collections.abc import Iterator
from typing import Any

from core.tasks.instruction_rows import InstructionRow, asked


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
    """What was asked and answered in a chat; what neither side says is left out."""
    pairs: list[tuple[str, str]] = []
    question: list[str] = []
    for turn in row.turns:
        if turn.role == "user":
            question.append(turn.content)
        elif turn.role == "assistant":
            pairs.append(("\n\n".join(question), turn.content))
            question = []
    return pairs
