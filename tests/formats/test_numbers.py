"""Numbers in columns of labels count classes only where it is certain how."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from core.tables import ProjectClass
from core.tasks.registry import class_of
from karat.terminal import with_options
from tests.formats.test_certainty import finished, labels, pool_of, told
from tests.formats.test_references import written
from tests.workers.import_files import Pool, png, reasons, zipped
from tests.world import World
from workers.imports.items import Item, Refused
from workers.imports.reading import LabelReader, Opinion
from workers.imports.values import Values

CLASSES = {"cat": 11, "dog": 12, "cow": 13}
NUMBERS = ("0", "1", "2", "3", "4", "0.0", "1.0", "2.00")
ODD = ("01", "1.5", "1e0", "+1", "\N{ARABIC-INDIC DIGIT ONE}", "cat", "dog", "frog", "ood")
NOTHING = ("", "nan", "-1", "None")


def reader(cells: Sequence[str], first: int | None = None) -> LabelReader:
    held = Values()
    for cell in cells:
        held.add(cell)
    return LabelReader(CLASSES, {"y": held}, first)


def read(one: LabelReader, cell: str) -> int | str | None:
    """The class or verdict that a cell is read as; ``None`` if it is not taken."""
    item = Item(name="", read=lambda: Refused(""), annotations=(("y", cell),))
    found = one.read(item).labels
    return (class_of(found[0].label) or found[0].verdict.value) if found else None


def is_number(cell: str) -> bool:
    return cell in NUMBERS


@given(st.lists(st.sampled_from((*NUMBERS, *ODD, *NOTHING)), min_size=1, max_size=8))
def test_a_column_is_read_as_numbers_or_not_at_all(cells: list[str]) -> None:
    numbers = [int(float(cell)) for cell in cells if is_number(cell)]
    others = [cell for cell in cells if not is_number(cell) and cell not in (*NOTHING, "ood")]
    certain = bool(numbers) and min(numbers) == 0 and max(numbers) < len(CLASSES) and not others
    one = reader(cells)
    expected: int | str | None
    for cell in cells:
        if is_number(cell):
            expected = [*CLASSES.values()][int(float(cell))] if certain else None
        else:
            expected = CLASSES.get(cell) or ("ood" if cell == "ood" else None)
        assert read(one, cell) == expected, cell
    assert bool(one.notes) == certain


@given(st.lists(st.sampled_from((*NUMBERS, *ODD)), min_size=1, max_size=8), st.sampled_from((0, 1)))
def test_once_it_is_said_what_the_first_class_is_every_number_of_a_class_is_taken(
    cells: list[str], first: int
) -> None:
    one = reader(cells, first)
    for cell in filter(is_number, cells):
        position = int(float(cell)) - first
        expected = [*CLASSES.values()][position] if 0 <= position < len(CLASSES) else None
        assert read(one, cell) == expected, cell


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (("1", "2"), "its numbers run from 1 to 2: without a 0"),
        (("1", "1"), "its numbers run from 1 to 1: without a 0"),
        (("0", "3"), "its numbers run from 0 to 3: those of the 3 classes run from 0 to 2"),
        (("0", "cat"), "there are not only numbers in it ('cat')"),
        (("0", "01"), "there are not only numbers in it ('01')"),
        (("0", "1.5"), "there are not only numbers in it ('1.5')"),
    ],
)
def test_what_is_not_certain_is_said_with_the_remedy(cells: Sequence[str], says: str) -> None:
    found = reader(cells).label("y", cells[0])
    assert isinstance(found, Refused)
    assert says in found.reason
    assert "count_from=0 or count_from=1" in found.reason
    assert "--count-from 0 or --count-from 1" in with_options(found.reason)
    assert isinstance(reader(cells, int(cells[0])).label("y", cells[0]), Opinion)


SOURCES: Mapping[str, str] = {"csv": "t.csv", "jsonl": "t.jsonl", "parquet": "t.parquet"}


@pytest.mark.parametrize("suffix", SOURCES)
@pytest.mark.parametrize("first", [None, 0, 1])
def test_an_import_says_how_it_read_numbers(world: World, suffix: str, first: int | None) -> None:
    pool = pool_of(world, *CLASSES)
    pool.zip({f"{number}.png": png(number) for number in range(2)})
    rows = [{"file": f"{number}.png", "y": number + 1} for number in range(2)]
    more: dict[str, Any] = {} if first is None else {"count_from": first}
    job = pool.add(written(rows, suffix), SOURCES[suffix], annotations=["y"], **more)
    names = [*CLASSES]
    if first is None:
        assert labels(pool) == {"0.png": [], "1.png": []}
        assert "count_from" in reasons(finished(job))["0.png"]
        assert "notes" not in finished(job)
    else:
        assert labels(pool) == {"0.png": [names[1 - first]], "1.png": [names[2 - first]]}
        pairs = ", ".join(f"{number} = {name}" for number, name in enumerate(names, first))
        said = f"Numbers in y are classes, counted from {first}: {pairs}."
        assert finished(job)["notes"] == [said]


def test_truths_and_metadata_are_read_alike(world: World) -> None:
    table = b"file_name,label\ntest/1.png,1\ntest/2.png,2\ntrain/3.png,1\n"
    files = {**{f"test/{n}.png": png(n) for n in (1, 2)}, "train/3.png": png(3)}
    content = zipped({**files, "metadata.csv": table}.items())
    unsure = pool_of(world, *CLASSES)
    job = unsure.add(content)
    assert finished(job)["by_split"] == {"pool": 1, "evaluation": 0, "auxiliary_ood": 0}
    assert "without a 0" in reasons(finished(job))["test/1.png"]
    sure = pool_of(world, *CLASSES)
    job = sure.add(content, count_from=1)
    assert truths(sure) == ["cat", "dog", None]
    assert finished(job)["notes"][-1].startswith("Numbers in label are classes, counted from 1")
    assert "test/1.png" not in told(sure, job)


def truths(pool: Pool) -> list[str | None]:
    """The class that each image is the truth of, in the order of the pool."""
    statement = select(ProjectClass.id, ProjectClass.name).where(
        ProjectClass.project_id == pool.project_id
    )
    names = dict(pool.session.execute(statement).all())
    return [names.get(one.label_class_id or 0) for one in pool.examples()]


@pytest.mark.parametrize("column", ["Target", "TARGET", "tar-get", "label"])
def test_a_column_of_0_and_1_that_is_only_written_like_a_class_holds_numbers(column: str) -> None:
    classes = {"background": 21, "target": 22, "tar get": 23}
    held = Values()
    for cell in ("0", "1"):
        held.add(cell)
    one = LabelReader(classes, {column: held})
    said = [
        one.read(Item(name="", read=lambda: Refused(""), annotations=((column, cell),))).labels
        for cell in ("0", "1")
    ]
    assert [class_of(labels[0].label) for labels in said] == [21, 22]
    marks = LabelReader(classes, {"target": held})
    item = Item(name="", read=lambda: Refused(""), annotations=(("target", "1"),))
    assert class_of(marks.read(item).labels[0].label) == 22
