"""Searching texts for words, by PostgreSQL's own index of them."""

import re
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

import numpy as np
from sqlalchemy import ColumnElement, Text, cast, func, literal, select
from sqlalchemy.dialects.postgresql import REGCONFIG, TSQUERY
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import Filters
from api.examples.scores import Positions
from core.database.among import among
from core.errors import Invalid
from core.states import Medium
from core.tables import Example, ExampleText, Project

# Words are kept as they are written but for case (``core.tables.ExampleText``).
_CONFIG: Final = cast(literal("simple"), REGCONFIG)
FEW: Final = 5000
"""Texts of all projects, which the index does not tell apart, that are looked up at once."""
_WORD: Final = re.compile(r"(!?)('(?:[^']|'')*')")
_SOUGHT: Final = re.compile(r"('(?:[^']|'')*')((?::\*)?)")


@dataclass(frozen=True, eq=False)
class Words:
    """Words that texts are searched for.

    Attributes:
        condition: A text has them.
        pool_indices: (N,) int32, ascending, of the texts that do, where these are few.
    """

    condition: ColumnElement[bool]
    pool_indices: Positions | None


async def searched(session: AsyncSession, project: Project, filters: Filters) -> Words | None:
    """What the filters say of words; None where they say nothing.

    What few texts have is looked up once, and all of it. What many have is soon found anywhere, and
    is looked for piece by piece.

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
    wanted = cast(composed_or_not(query if exact else beginnings(query)), TSQUERY)
    matching = select(ExampleText.example_id).where(ExampleText.words.op("@@")(wanted))
    condition = Example.id.in_(matching)
    ids = (await session.scalars(matching.limit(FEW + 1))).all()
    if len(ids) > FEW:
        return Words(condition, None)
    mine = select(Example.pool_index).where(
        Example.project_id == project.id, among(Example.id, list(ids))
    )
    found = sorted(await session.scalars(mine))
    return Words(condition, np.asarray(found, dtype=np.int32))


def beginnings(query: str) -> str:
    """A query, as PostgreSQL writes it, that also finds longer words which begin like its own.

    Of many languages, Korean among them, a word is seldom written without what is added to it. What
    must not be there is meant as it stands, and so is a single letter, with which too many begin.
    """
    if "!(" in query:
        return query
    return _WORD.sub(
        lambda found: found[0] if found[1] or _is_letter(found[2]) else f"{found[2]}:*", query
    )


def composed_or_not(query: str) -> str:
    """A query, as PostgreSQL writes it, that finds words however their letters are composed.

    Texts are kept, and indexed, as they came.
    """
    return _SOUGHT.sub(_in_both_forms, query)


def _in_both_forms(found: re.Match[str]) -> str:
    word, rest = found[1], found[2]
    composed, apart = normalize("NFC", word), normalize("NFD", word)
    return word + rest if composed == apart else f"({composed}{rest} | {apart}{rest})"


def _is_letter(quoted: str) -> bool:
    return len(quoted) == len("'a'") and quoted.isascii()
