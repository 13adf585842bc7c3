"""What classes were called, after any history of renaming, adding and removing."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.verdicts.class_names import ClassNames

NAMES = st.sampled_from(["cat", "Cat", "dog", "bird", "fox", "Straße", "STRASSE"])
CHANGES = st.lists(
    st.tuples(st.sampled_from(["rename", "add", "remove", "swap"]), st.integers(0, 5), NAMES),
    max_size=12,
)


def history(changes: list[tuple[str, int, str]]) -> tuple[list[dict[int, str]], list[Any]]:
    """The names of each version, from 1 on, and the rows that are kept of them."""
    versions = [{1: "cat", 2: "dog"}]
    rows: list[tuple[int, str, int | None]] = []
    for what, which, name in changes:
        before = versions[-1]
        now = dict(before)
        chosen = sorted(now)[which % len(now)] if now else None
        taken = {one.casefold() for one in now.values()}
        if what == "add" and name.casefold() not in taken:
            now[max((id_ for one in versions for id_ in one), default=0) + 1] = name
        elif what == "rename" and chosen and name.casefold() not in taken:
            now[chosen] = name
        elif what == "remove" and chosen:
            del now[chosen]
        elif what == "swap" and len(now) > 1:
            one, other, *_ = sorted(now)
            now[one], now[other] = now[other], now[one]
        if now == before:
            continue
        rows += [(id_, old, len(versions)) for id_, old in before.items() if now.get(id_) != old]
        versions.append(now)
    rows += [(id_, name, None) for id_, name in versions[-1].items()]
    return versions, rows


@given(CHANGES, st.randoms())
def test_every_version_is_known_by_its_names(
    changes: list[tuple[str, int, str]], random: Any
) -> None:
    versions, rows = history(changes)
    random.shuffle(rows)
    names = ClassNames.of(rows)
    for version, shown in enumerate(versions, 1):
        assert {id_: names.seen(id_, version) for id_ in shown} == shown


@given(CHANGES)
def test_an_answer_is_refused_only_if_its_name_is_gone_or_another_class(
    changes: list[tuple[str, int, str]],
) -> None:
    versions, rows = history(changes)
    names, now = ClassNames.of(rows), versions[-1]
    for version, shown in enumerate(versions, 1):
        for class_id, seen in shown.items():
            refusal = names.refusal(class_id, version)
            owners = {id_ for id_, name in now.items() if name.casefold() == seen.casefold()}
            if class_id not in now:
                assert refusal is not None
                assert refusal.code == "unknown_class"
            elif seen == now[class_id] or owners <= {class_id}:
                assert refusal is None
            else:
                assert refusal is not None
                assert refusal.code == "class_name_moved"
                assert repr(seen) in refusal.detail
            # Who does not say what was shown gets what it always got.
            unsaid = names.refusal(class_id, None)
            assert (unsaid is None) == (class_id in now)
