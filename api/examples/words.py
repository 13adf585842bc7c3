"""Searching texts for words, by PostgreSQL's own index of them."""

import re
from typing import Final

from sqlalchemy import ColumnElement, Text, cast, func, literal, select
from sqlalchemy.dialects.postgresql import REGCONFIG, TSQUERY
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import Filters
from core.errors import Invalid
from core.states import Medium
from core.tables import Example, ExampleText, Project

# Words are kept as they are written but for case (``core.tables.ExampleText``).
_CONFIG: Final = cast(literal("simple"), REGCONFIG)
_WORD: Final = re.compile(r"(!?)('(?:[^']|'')*')")


async def has_words(
    session: AsyncSession, project: Project, filters: Filters
) -> ColumnElement[bool] | None:
    """Condition: a text has the words that are searched for; None where none are.

    Raises:
        Invalid: ``wrong_medium``, the project has no texts; ``no_words``, nothing of it is a word.
    """
    if filters.search is None:
        return None
    if project.medium is not Medium.TEXT:
        raise Invalid(
            "wrong_medium",
            "search looks into texts, and this project holds images; leave it out, or give name.",
            field="search",
        )
    parsed = func.websearch_to_tsquery(_CONFIG, filters.search)
    query = await session.scalar(select(cast(parsed, Text)))
    if not query:
        raise Invalid("no_words", "search holds no word; give letters or digits.", field="search")
    exact = '"' in filters.search
    wanted = cast(query if exact else beginnings(query), TSQUERY)
    found = select(ExampleText.example_id).where(ExampleText.words.op("@@")(wanted))
    return Example.id.in_(found)


def beginnings(query: str) -> str:
    """A query, as PostgreSQL writes it, that also finds longer words which begin like its own.

    Of many languages, Korean among them, a word is seldom written without what is added to it. What
    must not be there is meant as it stands.
    """
    return _WORD.sub(lambda found: found[0] if found[1] else f"{found[2]}:*", query)
