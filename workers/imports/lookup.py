"""Which images of a project are meant."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.database.among import among
from core.names import composed
from core.states import Split
from core.tables import COMPOSED_NAME, Example
from core.withdrawals import is_kept
from workers.imports.items import Reference, plain_path


def find(
    session: Session, project_id: int, references: Iterable[Reference]
) -> dict[Reference, list[tuple[int, Split]]]:
    """Id and split of the images that each of ``references`` may mean.

    Names agree if their letters do, however these are composed; where several do, one that is the
    same exactly is meant. A path may be written as programs write it: ``./1.png`` and ``a\\1.png``.
    """
    wanted: dict[str, dict[Any, list[Reference]]] = defaultdict(lambda: defaultdict(list))
    for one in set(references):
        for value in spellings(one):
            wanted[one.column][value].append(one)
    found: dict[Reference, list[tuple[int, Split]]] = defaultdict(list)
    called: dict[Reference, list[tuple[str, tuple[int, Split]]]] = defaultdict(list)
    for name, values in wanted.items():
        column = COMPOSED_NAME if name == "name" else getattr(Example, name)
        statement = select(column, Example.name, Example.id, Example.split).where(
            Example.project_id == project_id, among(column, values), is_kept()
        )
        for value, own_name, example_id, split in session.execute(statement):
            for one in values[value]:
                if name == "name":
                    called[one].append((own_name, (example_id, split)))
                else:
                    found[one].append((example_id, split))
    for one, images in called.items():
        found[one] = closest(one, images)
    return dict(found)


def spellings(one: Reference) -> list[Any]:
    """What of a column a reference may mean, each once."""
    if not isinstance(one.value, str):
        return [one.value]
    return list(dict.fromkeys(map(composed, (one.value, plain_path(one.value)))))


def closest(
    one: Reference, images: Sequence[tuple[str, tuple[int, Split]]]
) -> list[tuple[int, Split]]:
    """Of the images that a name may mean those that are called most like it.

    Args:
        one: A reference by name.
        images: Name, id and split of each.
    """
    given, plain = str(one.value), plain_path(one.value)
    ways = (
        [image for name, image in images if name == given],
        [image for name, image in images if composed(name) == composed(given)],
        [image for name, image in images if name == plain],
    )
    return next((same for same in ways if same), [image for _, image in images])
