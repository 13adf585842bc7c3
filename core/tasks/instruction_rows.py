"""Rows of instruction data: what is asked, and what is answered. Pure."""

import hashlib
import json
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Role = Literal["system", "user", "assistant", "tool"]
BLANK_LINE: Final = "\n\n"

Text = Annotated[str, StringConstraints(pattern=r"\S")]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Turn(_Frozen):
    """What one side of a chat says."""

    role: Role
    content: str


class InstructionRow(_Frozen):
    """One example to tune on.

    Attributes:
        system: What the model is told to be, if anything.
        instruction: What is asked; of a chat its first turn.
        input: What it is asked about, where that stands apart.
        responses: What is answered, one or several; of a chat its last turn.
        turns: All turns of a chat of more than one exchange, without its system.
    """

    system: Text | None = None
    instruction: Text
    input: str = ""
    responses: Annotated[tuple[Text, ...], Field(min_length=1)]
    turns: tuple[Turn, ...] = ()

    @model_validator(mode="after")
    def _turns_agree(self) -> Self:
        if not self.turns:
            return self
        asked = next((one.content for one in self.turns if one.role == "user"), None)
        answered = [one.content for one in self.turns if one.role == "assistant"]
        if asked != self.instruction or self.responses != (answered[-1:] and (answered[-1],)):
            raise ValueError(
                "the turns of a chat begin with its instruction and end with its response"
            )
        return self


def rendered(row: InstructionRow) -> str:
    """A row as one text, which is embedded, searched and counted: its parts by blank lines."""
    if row.turns:
        parts = [row.system or "", *(one.content for one in row.turns)]
    else:
        parts = [row.system or "", row.instruction, row.input, *row.responses]
    return BLANK_LINE.join(part for part in parts if part.strip())


def canonical(row: InstructionRow) -> bytes:
    """A row as bytes: of equal rows, and of no others, the same."""
    held = row.model_dump(mode="json")
    return json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def digest(row: InstructionRow) -> bytes:
    """SHA-256 of a row, 32 bytes, by which duplicates are found."""
    return hashlib.sha256(canonical(row)).digest()


def asked(row: InstructionRow) -> str:
    """What a row asks, without what it answers."""
    return BLANK_LINE.join(part for part in (row.instruction, row.input) if part.strip())


def stored_row(row: InstructionRow) -> dict[str, Any]:
    """A row as ``example_texts.fields`` holds it."""
    return row.model_dump(mode="json")
