"""Instruction rows for the demo: tasks of many kinds, answered well, barely, or wrongly.

Rows are made up, and which are wrong is known. Several answer nearly the same question, as they do
in data that models have written.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from core.tasks.instruction_rows import InstructionRow, rendered
from karat.demo.instruction_pieces import (
    CAPITALS,
    CODE,
    EXPLAINED,
    GRAMMAR,
    POLITE,
    UNITS,
    WORDS,
    Fact,
)
from karat.demo.stand_in_judge import row_key

SIZE: Final = 600
_FULL: Final = 1.0
_BARE: Final = 0.7
_WRONG: Final = 0.1
_WRONG_SHARE: Final = 0.3
_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip


@dataclass(frozen=True)
class InstructionPool:
    """Rows, and how good each is.

    Attributes:
        rows: All of them, in the order of the pool.
        quality: Of each, 0..1; those of 0.5 and more are not wrong.
    """

    rows: tuple[InstructionRow, ...]
    quality: tuple[float, ...]

    @property
    def truth(self) -> dict[bytes, float]:
        """Quality by ``row_key`` of what a judge is shown."""
        keys = (row_key(rendered(row)) for row in self.rows)
        return dict(zip(keys, self.quality, strict=True))

    @property
    def wrong(self) -> float:
        """The share of the rows that are wrong."""
        return sum(one < 0.5 for one in self.quality) / len(self.quality)

    def write(self, path: Path) -> None:
        """Write the rows as JSONL, with instruction, input and output."""
        with path.open("w") as file:
            for row in self.rows:
                line = {
                    "instruction": row.instruction,
                    "input": row.input,
                    "output": row.responses[0],
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def instructions(seed: int, size: int = SIZE) -> InstructionPool:
    """Rows of all kinds; a third is answered wrongly, or made up.

    Args:
        seed: Decides the rows.
        size: How many.
    """
    random = Random(seed)
    found: dict[InstructionRow, float] = {}
    kinds = list(_KINDS)
    while len(found) < size:
        kind = kinds[len(found) % len(kinds)] if random.random() < 0.5 else random.choice(kinds)
        given, fact = kind(random)
        for row, quality in _answered(random, given, fact):
            if len(found) < size:
                found.setdefault(row, quality)
    mixed = list(found.items())
    random.shuffle(mixed)
    return InstructionPool(tuple(row for row, _ in mixed), tuple(one for _, one in mixed))


def _answered(random: Random, given: str, fact: Fact) -> Iterator[tuple[InstructionRow, float]]:
    """Two to four rows that ask nearly the same."""
    for _ in range(random.randint(2, 4)):
        asked = random.choice(fact.asked)
        if random.random() < _WRONG_SHARE:
            said, quality = random.choice(fact.wrong), _WRONG
        elif random.random() < 0.5:
            said, quality = fact.full, _FULL
        else:
            said, quality = fact.bare, _BARE
        yield InstructionRow(instruction=asked, input=given, responses=(said,)), quality


def _percent(random: Random) -> tuple[str, Fact]:
    share, of = random.choice((5, 10, 15, 20, 25, 30, 40)), 20 * random.randint(3, 60)
    right = f"{share * of / 100:g}"
    return "", Fact(
        (f"What is {share} % of {of}?", f"Calculate {share} percent of {of}."),
        f"{share} % of {of} is {right}: one percent is {of / 100:g}, and {share} times that is "
        f"{right}.",
        right,
        (f"{share} % of {of} is {of - share * of / 100:g}.", f"It is {share * of / 10:g}."),
    )


def _converted(random: Random) -> tuple[str, Fact]:
    one, other, factor = random.choice(UNITS)
    count = random.randint(2, 90)
    right, turned = f"{count * factor:.2f}", f"{count / factor:.2f}"
    return "", Fact(
        (f"Convert {count} {one} into {other}.", f"How many {other} are {count} {one}?"),
        f"{count} {one} are about {right} {other}, as one of them is about {factor:g} {other}.",
        f"{right} {other}.",
        (f"{count} {one} are about {turned} {other}.", f"Exactly {count} {other}."),
    )


def _capital(random: Random) -> tuple[str, Fact]:
    country, city, other = random.choice(CAPITALS)
    return "", Fact(
        (
            f"What is the capital of {country}?",
            f"Name the capital of {country}.",
            f"Which city is the capital of {country}?",
        ),
        f"The capital of {country} is {city}. {other} is larger or better known, but not the "
        "capital.",
        f"{city}.",
        (
            f"The capital of {country} is {other}.",
            f"{country} has two capitals, among them {other}.",
        ),
    )


def _sorted(random: Random) -> tuple[str, Fact]:
    words = random.sample(random.choice(WORDS), 5)
    right = sorted(words, key=str.lower)
    swapped = [right[1], right[0], *right[2:]]
    return ", ".join(words), Fact(
        ("Sort these words alphabetically.", "Put the words into alphabetical order."),
        "In alphabetical order: " + ", ".join(right) + ".",
        ", ".join(right),
        (", ".join(swapped), ", ".join(right[:4])),
    )


def _corrected(random: Random) -> tuple[str, Fact]:
    wrong, right, why = random.choice(GRAMMAR)
    return wrong, Fact(
        ("Correct the grammar of this sentence.", "Find and mend the mistakes in this sentence."),
        f"{right} The reason: {why}.",
        right,
        ("The sentence is correct as it is.", wrong.upper()),
    )


def _polite(random: Random) -> tuple[str, Fact]:
    blunt, kind = random.choice(POLITE)
    return blunt, Fact(
        ("Rewrite this message politely.", "Say the same more kindly, for an e-mail at work."),
        f"{kind} Thank you very much!",
        kind,
        (f"{blunt} Now.", "I am sorry, there is no message."),
    )


def _programmed(random: Random) -> tuple[str, Fact]:
    what, right, wrong = random.choice(CODE)
    return "", Fact(
        (f"Write a Python function that {what}.", f"In Python, define a function that {what}."),
        f"```python\n{right}\n```\nIt {what}.",
        right,
        (wrong, f"```python\n{wrong}\n```\nIt {what}."),
    )


def _weekday(random: Random) -> tuple[str, Fact]:
    first, days = random.randrange(7), random.randint(8, 60)
    right, near = _WEEKDAYS[(first + days) % 7], _WEEKDAYS[(first + days + 2) % 7]
    day = _WEEKDAYS[first]
    return "", Fact(
        (
            f"Which weekday is {days} days after a {day}?",
            f"It is {day}. Which day of the week is it in {days} days?",
        ),
        f"{days} days are {days // 7} weeks and {days % 7} days, so it is a {right}.",
        f"A {right}.",
        (f"It is a {near}.", f"{days} days are {days // 7} weeks, so it is a {near}."),
    )


def _explained(random: Random) -> tuple[str, Fact]:
    return "", random.choice(EXPLAINED)


_KINDS: Final[tuple[Callable[[Random], tuple[str, Fact]], ...]] = (
    _percent,
    _converted,
    _capital,
    _sorted,
    _corrected,
    _polite,
    _programmed,
    _weekday,
    _explained,
)
