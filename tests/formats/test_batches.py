"""How much of an import is in memory at a time."""

import pytest

from core.states import Split
from workers.imports.batch import batches
from workers.imports.items import Item
from workers.imports.media.image import ImageReading
from workers.imports.reading import LabelReader


@pytest.mark.parametrize(("side", "most"), [(8, 512), (288, 270), (512, 86), (None, 270)])
def test_a_batch_is_full_by_the_pixels_that_it_becomes(side: int | None, most: int) -> None:
    reading = ImageReading()
    reading.input_size = side
    items = [Item(f"{number}.jpg", lambda: b"a small file") for number in range(700)]
    found = [len(one) for one in batches(items, Split.POOL, LabelReader({}, {}), reading)]
    assert found[0] == most
    assert sum(found) == len(items)
    if side is not None:
        assert (most - 1) * 3 * side * side < 64 << 20
