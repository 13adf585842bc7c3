"""What questions about rows cost, before they are asked: rather too much."""

from collections.abc import Sequence
from math import factorial
from typing import Final

from models.catalog.params.select_instructions import SelectInstructionsParams
from workers.judges.budget import estimated_tokens
from workers.judges.prompts import Message, hallucination_prompt, ranking_prompt, score_prompt

_OF_A_MESSAGE: Final = 8
_OF_A_PLACE: Final = 5
"""Tokens of ``[1]>``, rather too many."""


def times_asked(params: SelectInstructionsParams, rows: int) -> int:
    """How often a group of so many rows is asked about."""
    # Of few rows there are few orders, and each is asked for once.
    return 1 if params.method == "sample_scores" else min(params.permutations, factorial(rows))


def question_tokens(params: SelectInstructionsParams, items: Sequence[str]) -> tuple[int, int]:
    """Tokens of one question about a group, and of its answer."""
    prompt = _prompt(params, items)
    asked = sum(estimated_tokens(one["content"]) + _OF_A_MESSAGE for one in prompt)
    return asked, _OF_A_PLACE * len(items)


def _prompt(params: SelectInstructionsParams, items: Sequence[str]) -> list[Message]:
    if params.method == "sample_scores":
        return score_prompt(items[0])
    if len(items) == 1:
        return hallucination_prompt(items[0])
    return ranking_prompt(items, range(len(items)))
