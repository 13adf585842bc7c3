"""In which shapes other tools keep answers to compare, and what people said of them. Pure."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from math import isfinite, nan
from typing import Any, Final, NamedTuple

from workers.imports.instructions.compared import Stated
from workers.imports.instructions.parse import find_columns, list_of
from workers.imports.instructions.shape import NUMBERED, SIDES, Fields, Shape, There
from workers.imports.instructions.tools import argilla, label_studio
from workers.imports.items import Refused

_LISTS: Final = ("responses", "answers", "completions", "outputs", "generations", "candidates")
_RANKS: Final = ("ranking", "rankings", "rank", "ranks")
_SCORES: Final = ("scores", "ratings", "rewards")
_WINNERS: Final = ("winner", "preference", "preferred", "better_response_id")
_OF_ANSWER: Final = ("answer", "response", "text", "content", "output", "completion")
_SCORE_OF_ANSWER: Final = ("score", "overall_score", "rating", "pm_score", "reward")
PARTS: Final = (*_OF_ANSWER, *_SCORE_OF_ANSWER, "rank", "role", "from", "value")
"""Members of objects within lists that are read."""
_TIED: Final = re.compile(r"tied?( ?\(.*\))?|both.*|equal|same|draw", re.DOTALL)
_WHOLE: Final = re.compile(r"([0-9]+)\.0+")
_KINDS: Final = "model|assistant|option|answer|response|output|completion|generation|conversation"

_Places = tuple[str, Sequence[float | None]] | Refused | None
"""By whom or by which column, and the place of each answer; ``None`` where nothing is said."""


class _Said(NamedTuple):
    """How a table ranks answers.

    Attributes:
        how: In words.
        columns: Which say it.
        read: What a row says of the answers that are called so.
    """

    how: str
    columns: Sequence[str]
    read: Callable[[Fields, Sequence[str]], _Places]


def find_shape(names: Collection[str]) -> Shape | None:
    """The shape of a table that compares answers; None where each row is one by itself."""
    there = There(names)
    finders = (label_studio, argilla, _chosen, _beside, _listed)
    return next((shape for find in finders if (shape := find(there)) is not None), None)


def find_rank(names: Collection[str]) -> str | None:
    """The column that ranks the rows that ask the same, where each has one answer."""
    return next((name for name in names if name.casefold() == "rank"), None)


def _chosen(there: There) -> Shape | None:
    better, worse = there.first(("chosen",)), there.first(("rejected",))
    if better is None or worse is None:
        return None

    def state(fields: Fields) -> Stated | Refused:
        given = fields.get(worse)
        several = given if isinstance(given, list) and not _is_talk(given) else [given]
        called = (
            [worse] if len(several) == 1 else [f"{worse} {n}" for n in range(1, len(several) + 1)]
        )
        answers = [(better, fields.get(better)), *zip(called, several, strict=True)]
        places = [0.0, *[1.0] * len(several)]
        return there.stated(fields, (better, worse), answers=answers, said=[(better, places)])

    return there.shape(
        f"Rankings come in as labels. Answers in {better} are better than those in {worse}.",
        {"chosen": better, "rejected": worse},
        state,
    )


def _beside(there: There) -> Shape | None:
    """Answers in columns of their own: ``response_1`` and ``response_2``."""
    by_word: dict[str, list[tuple[str, str]]] = {}
    for word, name in there.names.items():
        if found := NUMBERED.fullmatch(word):
            by_word.setdefault(found[1], []).append((found[2], name))
    several = max(by_word.values(), key=len, default=[])
    if len(several) < 2:
        return None
    several.sort(key=lambda one: (int(one[0]) if one[0].isdecimal() else 0, one[0]))
    ends, columns = [end for end, _ in several], [name for _, name in several]
    said = _said_beside(there, ends)

    def state(fields: Fields) -> Stated | Refused:
        ranked = said.read(fields, columns)
        if isinstance(ranked, Refused):
            return ranked
        answers = [(name, fields.get(name)) for name in columns]
        # Of several columns not all need be filled.
        there_are = [at for at, (_, value) in enumerate(answers) if value not in (None, "", [])]
        places = [] if ranked is None else ranked[1]
        if len(places) == len(columns):
            places = [places[at] for at in there_are]
        return there.stated(
            fields,
            {*columns, *said.columns},
            answers=[answers[at] for at in there_are],
            said=[] if ranked is None else [(ranked[0], places)],
        )

    own = {f"answer {end}": name for end, name in several}
    return there.shape(said.how, {**own, "ranking": next(iter(said.columns), None)}, state)


def _said_beside(there: There, ends: Sequence[str]) -> _Said:
    """How answers in columns are ranked."""
    ranks, scores, best = map(there.first, (_RANKS, _SCORES, _WINNERS))
    if ranks is not None or scores is not None:
        return _parallel(ranks, scores)
    if best is not None:
        models = _each(there, "model", ends)
        return _Said(
            f"Rankings come in as labels. {best} names the best answer.",
            (best,),
            lambda fields, columns: _best(
                best, fields.get(best), ends, columns, [fields.get(name) for name in models]
            ),
        )
    for word, sign in (("rank", 1.0), ("score", -1.0), ("rating", -1.0)):
        if names := _each(there, word, ends):
            return _of_each(word, names, sign)
    return _Said("", (), lambda *_: None)


def _each(there: There, word: str, ends: Sequence[str]) -> Sequence[str]:
    """The columns that hold something of each answer, such as ``score_1``; none if one lacks."""
    found = [there.first((f"{word}_{end}", f"{word}{end}", f"{word}-{end}")) for end in ends]
    names = [name for name in found if name is not None]
    return names if len(names) == len(ends) else ()


def _of_each(word: str, names: Sequence[str], sign: float) -> _Said:
    """Places by a number that stands in a column of its own for each answer."""
    shown = ", ".join(names)
    return _Said(
        _by_places(shown) if sign > 0 else _by_points(shown),
        names,
        lambda fields, _: _numbers(word, [fields.get(name) for name in names], sign),
    )


def _listed(there: There) -> Shape | None:
    """Answers in one list, with a list of places or scores beside it, or within it."""
    name = there.first(_LISTS)
    ranks, scores = there.first(_RANKS), there.first(_SCORES)
    is_ranked = ranks is not None or scores is not None
    if name is None or there.asked is None:
        return None
    if not is_ranked and find_columns(there.names.values()) is not None:
        return None
    said = _parallel(ranks, scores) if is_ranked else _inside(name)

    def state(fields: Fields) -> Stated | Refused:
        held = fields.get(name)
        if not isinstance(held, list):
            return Refused(f"column {name} is no list of answers")
        answers = [(f"{name} {at}", _text_of(one)) for at, one in enumerate(held, 1)]
        ranked = said.read(fields, ())
        if isinstance(ranked, Refused):
            return ranked
        return there.stated(
            fields,
            (name, *said.columns),
            answers=answers,
            said=[] if ranked is None else [ranked],
        )

    roles = {"answers": name, "ranking": next(iter(said.columns), None)}
    return there.shape(said.how, roles, state)


def _inside(name: str) -> _Said:
    """Places that stand with the answers of a list themselves."""
    return _Said(
        f"Rankings come in as labels. Where each of {name} has a rank, the lowest is the best; "
        "where it has a score, the highest.",
        (),
        lambda fields, _: _within(name, fields[name]),
    )


def _by_places(name: str) -> str:
    return (
        f"Rankings come in as labels. {name} has the place of each answer, the lowest for the best."
    )


def _by_points(name: str) -> str:
    return (
        f"Rankings come in as labels. {name} has a number for each answer, "
        "the highest for the best."
    )


def _parallel(ranks: str | None, scores: str | None) -> _Said:
    """Places in a list, or points if there are no places."""
    if ranks is not None:
        return _Said(
            _by_places(ranks),
            (ranks,),
            lambda fields, names: _ranks(ranks, fields.get(ranks), names),
        )
    assert scores is not None
    return _Said(
        _by_points(scores), (scores,), lambda fields, _: _numbers(scores, fields.get(scores), -1.0)
    )


def _text_of(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    return next((one[name] for name in _OF_ANSWER if one.get(name) is not None), None)


def _within(name: str, held: Sequence[Any]) -> _Places:
    for word, sign in (("rank", 1.0), *((one, -1.0) for one in _SCORE_OF_ANSWER)):
        if all(isinstance(one, Mapping) and one.get(word) is not None for one in held):
            return _numbers(f"{name} {word}", [one[word] for one in held], sign)
    return None


def _ranks(column: str, value: Any, names: Sequence[str]) -> _Places:
    listed = list_of(value)
    if isinstance(listed, list) and listed and set(map(str, listed)) == set(names):
        # The answers by name, the best first.
        order = [str(one) for one in listed]
        return column, [float(order.index(name)) for name in names]
    return _numbers(column, listed, 1.0)


def _numbers(column: str, value: Any, sign: float) -> _Places:
    listed = list_of(value)
    if listed is None or listed == []:
        return None
    if not isinstance(listed, list):
        return Refused(f"column {column} is no list of numbers")
    try:
        numbers = [None if one is None else sign * float(one) for one in listed]
    except (OverflowError, TypeError, ValueError):
        numbers = [nan]
    if not all(one is None or isfinite(one) for one in numbers):
        return Refused(f"column {column} holds what is no number")
    return column, numbers


def _best(
    column: str, value: Any, ends: Sequence[str], columns: Sequence[str], models: Sequence[Any]
) -> _Places:
    """The answer that a row names as the best, or that none is better.

    Args:
        column: Which names it.
        value: What it says: a column, its end, a side, a model, or that there is a tie.
        ends: What tells the columns of answers apart.
        columns: Those of answers.
        models: Which model each answer is of, if columns say it.
    """
    text = _name(value)
    if not text:
        return None
    of_models = [at for at, model in enumerate(models) if _name(model) == text]
    if not of_models and _TIED.fullmatch(text):
        return column, [0.0] * len(ends)
    named = [
        at
        for at, (end, name) in enumerate(zip(ends, columns, strict=True))
        if text == name.casefold() or re.fullmatch(rf"(?:(?:{_KINDS})[ _.-]*)?{end}", text)
    ]
    if len(ends) == 2 and text in SIDES:
        named = [SIDES[text]]
    # Of a model that wrote several of the answers nobody knows which is meant.
    found = named or of_models
    if len(found) != 1:
        return Refused(f"column {column} says {str(value)[:50]!r}, which is none of its answers")
    return column, [0.0 if at == found[0] else 1.0 for at in range(len(ends))]


def _name(value: Any) -> str:
    """What a cell calls something; where a column has gaps, whole numbers come with a fraction."""
    text = "" if value is None else str(value).strip().casefold()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def _is_talk(value: Sequence[Any]) -> bool:
    return any(isinstance(one, Mapping) for one in value)
