"""Rows of instruction data, and queries that ask about several of them, as pages are shown them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final, Literal

from pydantic import BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from core.database.among import among
from core.states import RoundState
from core.tables import ExampleText, Query, Round
from core.tables import QueryMember as Member

MOST_SHOWN: Final = 20_000
"""Characters of a text in the rows of a group; the route of an example has all of it."""


class InstructionTurn(BaseModel):
    """What one side of a chat says."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class InstructionFields(BaseModel):
    """A row of instruction data. `responses` are one or several answers to the same.

    `turns` are those of a chat of more than one exchange: `instruction` is the first of them, and
    the response the last.
    """

    system: str | None
    instruction: str
    input: str
    responses: list[str]
    turns: list[InstructionTurn]


class QueryMember(BaseModel):
    """One of the rows that a query asks to rank."""

    example_id: int
    fields: InstructionFields


def fields_of(stored: Mapping[str, Any] | None) -> InstructionFields | None:
    """The row that ``example_texts.fields`` holds; None where it holds none."""
    return None if stored is None else InstructionFields.model_validate(stored)


def beginning_of(stored: Mapping[str, Any] | None) -> InstructionFields | None:
    """The same with the beginning of what is very long, for lists."""
    return None if stored is None else InstructionFields.model_validate(_cut(stored))


async def members_of(
    session: AsyncSession, query_ids: Sequence[int], person: int | None = None
) -> dict[int, list[QueryMember]]:
    """The rows that queries ask about together, by the ids of these; of other queries none.

    Args:
        session: For reading.
        query_ids: Of queries.
        person: Who looks at them. Everybody sees the rows of a query in an order of their own, and
            always in that, so that no place has an advantage; if left out they are as they stand.
    """
    statement = (
        select(Member.query_id, Member.example_id, ExampleText.fields)
        .join(ExampleText, ExampleText.example_id == Member.example_id)
        .where(among(Member.query_id, query_ids), ExampleText.fields.is_not(None))
        .order_by(Member.query_id, Member.place)
    )
    found: dict[int, list[QueryMember]] = defaultdict(list)
    for query_id, example_id, stored in await session.execute(statement):
        fields = InstructionFields.model_validate(_cut(stored))
        found[query_id].append(QueryMember(example_id=example_id, fields=fields))
    if person is not None:
        for query_id, members in found.items():
            shuffle(members, person, query_id)
    return dict(found)


def _cut(value: Any) -> Any:
    """The parts of a row as they are handed out with others: of a very long text the beginning."""
    if isinstance(value, str):
        return value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]} […]"
    if isinstance(value, list):
        return [_cut(one) for one in value]
    if isinstance(value, dict):
        return {name: _cut(one) for name, one in value.items()}
    return value


async def groups_of(
    session: AsyncSession, example_ids: Sequence[int]
) -> dict[int, list[QueryMember]]:
    """The rows that the latest query of each example asks about together, where one does."""
    queries = await _latest(session, example_ids)
    members = await members_of(session, list(queries.values()))
    return {id_: members[query_id] for id_, query_id in queries.items() if query_id in members}


async def group_ids(session: AsyncSession, example_ids: Sequence[int]) -> dict[int, set[int]]:
    """The same as ids alone."""
    queries = await _latest(session, example_ids)
    members = select(Member.query_id, Member.example_id).where(
        among(Member.query_id, list(queries.values()))
    )
    found: dict[int, set[int]] = defaultdict(set)
    for query_id, example_id in await session.execute(members):
        found[query_id].add(example_id)
    return {id_: found[query_id] for id_, query_id in queries.items()}


async def in_open_groups(session: AsyncSession, example_ids: Sequence[int]) -> set[int]:
    """Those of examples that a round asks about in a group which is not closed yet."""
    statement = (
        select(Member.example_id)
        .join(Query, Query.id == Member.query_id)
        .join(Round, Round.id == Query.round_id)
        .where(among(Member.example_id, example_ids), Round.state != RoundState.CLOSED)
    )
    return set(await session.scalars(statement))


async def _latest(session: AsyncSession, example_ids: Sequence[int]) -> dict[int, int]:
    """The latest query of each example that asks about several together."""
    statement = (
        select(Query.example_id, func.max(Query.id))
        .where(
            among(Query.example_id, example_ids),
            select(Member.query_id).where(Member.query_id == Query.id).exists(),
        )
        .group_by(Query.example_id)
    )
    return dict((await session.execute(statement)).all())


def shuffle(members: list[Any], person: int, query_id: int) -> None:
    """Put members into the order in which one person sees them."""
    Random(sha256(f"{person}/{query_id}".encode()).digest()).shuffle(members)
