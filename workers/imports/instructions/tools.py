"""Rankings as Argilla and Label Studio export them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from workers.imports.formats.label_studio import author_of
from workers.imports.instructions.compared import Stated
from workers.imports.instructions.shape import NUMBERED, SIDES, Fields, Shape, There
from workers.imports.items import Refused

_MOST: Final = 1e9
"""Places of a ranking are smaller."""


def argilla(there: There) -> Shape | None:
    """Records of Argilla, of version 1 or 2, with a ranking question."""
    fields_, responses = there.first(("fields",)), there.first(("responses",))
    if fields_ is None or responses is None:
        return None

    def state(row: Fields) -> Stated | Refused:
        held = row.get(fields_)
        if not isinstance(held, Mapping):
            return Refused(f"{fields_} is no object")
        inner = There([str(name) for name in held])
        said = _orders(row.get(responses))
        named = {name for _, places in said for name in places}
        numbered = [one for word, one in inner.names.items() if NUMBERED.fullmatch(word)]
        columns = [one for one in inner.names.values() if one in named] if named else numbered
        if lacking := sorted(named.difference(held)):
            return Refused(
                f"the ranking names {lacking[0]!r}, and fields has none that is so called"
            )
        meta = row.get("metadata")
        beside = {name: value for name, value in row.items() if name not in (fields_, responses)}
        found = inner.stated(
            held,
            columns,
            answers=[(name, held[name]) for name in columns],
            said=[(who, [places.get(name) for name in columns]) for who, places in said],
        )
        more = {**found.others, **beside, **(meta if isinstance(meta, Mapping) else {})}
        return replace(found, others=more)

    roles = {"fields": fields_, "ranking": responses}
    how = "Rankings come in as labels. Each person's answer to a ranking question is a ranking."
    return Shape(how, roles, state, frozenset(roles.values()))


def _orders(responses: Any) -> list[tuple[str, dict[str, float]]]:
    """Who ranks, and the place of each field, of Argilla's records of both versions."""
    given: list[tuple[Any, Any, Any]] = []
    if isinstance(responses, Mapping):
        answers = (one for some in responses.values() if isinstance(some, list) for one in some)
        given = [(one.get("user_id"), one.get("status"), one.get("value"))
                 for one in answers if isinstance(one, Mapping)]  # fmt: skip
    for one in responses if isinstance(responses, list) else ():
        values = one.get("values") if isinstance(one, Mapping) else None
        for answer in values.values() if isinstance(values, Mapping) else ():
            value = answer.get("value") if isinstance(answer, Mapping) else None
            given.append((one.get("user_id"), one.get("status"), value))
    found = []
    for who, status, value in given:
        if status not in (None, "submitted") or not isinstance(value, list) or not value:
            continue
        places = _places(value)
        if places:
            found.append((str(who or "Argilla"), places))
    return found


def _places(value: Sequence[Any]) -> dict[str, float]:
    if all(isinstance(one, str) for one in value):
        return {one: float(place) for place, one in enumerate(value)}
    objects = [one for one in value if isinstance(one, Mapping)]
    return {
        str(one["value"]): float(one["rank"])
        for one in objects
        if isinstance(one.get("rank"), int | float) and 0 <= one["rank"] < _MOST and "value" in one
    }


def label_studio(there: There) -> Shape | None:
    """Tasks of Label Studio with a pairwise choice, or a ranker."""
    data, annotations = there.first(("data",)), there.first(("annotations",))
    if data is None or annotations is None:
        return None

    def state(row: Fields) -> Stated | Refused:
        held = row.get(data)
        if not isinstance(held, Mapping):
            return Refused(f"{data} is no object")
        inner = There([str(name) for name in held])
        listed = next((name for name, value in held.items() if _is_listed(value)), None)
        pair = _two_of(inner, held)
        if listed is not None:
            keys = [str(one.get("id")) for one in held[listed]]
            answers = [
                (f"{listed} {key}", one.get("body") or one.get("text") or one.get("title"))
                for key, one in zip(keys, held[listed], strict=True)
            ]
        else:
            keys = ["left", "right"]
            answers = [(name, held[name]) for name in pair]
            if not answers:
                return Refused(
                    f"{data} has no two answers to compare; call them answer1 and answer2"
                )
        said = [
            (who, [float(order.index(key)) if key in order else None for key in keys])
            for who, order in _results(row.get(annotations))
        ]
        own = pair if listed is None else [listed]
        return inner.stated(held, own, answers=answers, said=said)

    roles = {"data": data, "ranking": annotations}
    how = (
        "Rankings come in as labels. Each person's choice of the better answer, or order of the "
        "items, is a ranking."
    )
    return Shape(how, roles, state, frozenset(roles.values()))


def _two_of(there: There, data: Fields) -> list[str]:
    """The two texts of a task that are compared, the left one first; none if they are others."""
    asking = {there.asked, there.inputs, there.system}
    texts = [one for one, value in data.items() if isinstance(value, str) and one not in asking]
    numbered = [one for word, one in there.names.items() if NUMBERED.fullmatch(word)]
    return next((some for some in (sorted(numbered), texts) if len(some) == 2), [])


def _is_listed(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Mapping) and "id" in one for one in value)
    )


def _results(annotations: Any) -> list[tuple[str, list[str]]]:
    """Who orders, and what: keys of items, or of sides, the best first."""
    found = []
    for one in annotations if isinstance(annotations, list) else ():
        if not isinstance(one, Mapping) or one.get("was_cancelled"):
            continue
        results = one.get("result")
        for result in results if isinstance(results, list) else ():
            value = result.get("value") if isinstance(result, Mapping) else None
            if not isinstance(value, Mapping):
                continue
            selected, ranked = value.get("selected"), value.get("ranker")
            if isinstance(selected, str) and selected in SIDES:
                order = [selected, *(side for side in SIDES if side != selected)]
            elif isinstance(ranked, Mapping) and ranked:
                lists = [some for some in ranked.values() if isinstance(some, list)]
                order = [str(key) for key in max(lists, key=len, default=[])]
            else:
                continue
            found.append((author_of(one), order))
    return found
