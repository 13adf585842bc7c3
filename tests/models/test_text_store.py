import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import ModelError, TextsLost
from models.media.texts import store as text_store
from models.media.texts.store import TextStore

_TEXTS = st.lists(st.text(max_size=12), max_size=8)


class _Killed(BaseException):
    """The process ends in the middle of a write."""


def _dying(call: Callable[..., Any], left: list[int]) -> Callable[..., Any]:
    """A call of the operating system before which, or in the middle of which, all ends."""

    def run(descriptor: int, what: Any, *more: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            if isinstance(what, memoryview):
                call(descriptor, what[: len(what) // 2], *more)
            raise _Killed
        return call(descriptor, what, *more)

    return run


@settings(max_examples=60, deadline=None)
@given(first=_TEXTS, second=_TEXTS, third=_TEXTS, kept=st.integers(0, 8), calls=st.integers(0, 4))
def test_whatever_kills_an_import_the_next_one_goes_on(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[str],
    second: list[str],
    third: list[str],
    kept: int,
    calls: int,
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    with TextStore.writer(folder) as writer:
        writer.write(0, first)
    kept = min(kept, len(first))
    with pytest.MonkeyPatch.context() as patch:
        left = [calls]
        for name in ("pwrite", "ftruncate"):
            patch.setattr(os, name, _dying(getattr(os, name), left))
        try:
            with TextStore.writer(folder) as writer:
                writer.write(kept, second)
        except _Killed:
            pass
    assert TextStore.open(folder, kept)[:] == first[:kept]
    with TextStore.writer(folder) as writer:
        writer.write(kept, third)
        writer.flush()
    expected = first[:kept] + third
    assert TextStore.open(folder, len(expected))[:] == expected
    with pytest.raises(ModelError, match="try again"):
        TextStore.open(folder, len(expected) + 1)


def test_rows_come_back_in_the_order_asked_for(tmp_path: Path) -> None:
    texts = ["", "Ünïcödé\r\n\u0000\u2028", "가" * 333_333 + "\U0010ffff", " tail "]
    with TextStore.writer(tmp_path / "new" / "texts") as writer:
        writer.write(0, texts[:1])
        writer.write(1, texts[1:])
    store = TextStore.open(tmp_path / "new" / "texts", 4)
    assert (len(store), store.medium, store.size) == (4, "text", None)
    assert store[np.array([3, 0, 3])] == [" tail ", "", " tail "]
    assert store[slice(1, 3)] == texts[1:3]
    assert store[np.array([], dtype=np.int64)] == []
    taken = store.take(np.array([2, 1]))
    assert len(taken) == taken.count == 2
    assert taken[[1]] == texts[1:2]
    assert taken.take(np.array([0]))[:] == texts[2:3]
    with pytest.raises(IndexError):
        TextStore.open(store.folder, 2)[[2]]


@settings(max_examples=40, deadline=None)
@given(texts=_TEXTS, characters=st.none() | st.integers(1, 6), most=st.integers(1, 12))
def test_beginnings_are_read_in_parts_and_no_further_than_is_looked_at(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], characters: int | None, most: int
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    with TextStore.writer(folder) as writer:
        writer.write(0, texts)
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_store, "_MOST_BYTES", most)
        for end, part in TextStore.open(folder, len(texts)).beginnings(characters):
            found += part
            assert end == len(found)
            assert len(part) == 1 or sum(len(one.encode()) for one in part) <= most
    assert found == [one[:characters] for one in texts]
    # A character that is cut in the middle is no damage, and one that is damaged is.
    if texts and texts[0]:
        (folder / "texts.u8").write_bytes(b"\xff" + (folder / "texts.u8").read_bytes()[1:])
        with pytest.raises(ModelError, match="damaged"):
            list(TextStore.open(folder, len(texts)).beginnings(characters))


def test_a_text_that_is_lost_keeps_its_row(tmp_path: Path) -> None:
    with TextStore.writer(tmp_path) as writer:
        writer.write(0, ["one", None, "ab", None])
    store = TextStore.open(tmp_path, 4)
    assert store.gaps.tolist() == [1, 3]
    assert store.take(np.array([3, 0])).gaps.tolist() == [0]
    assert store[[0, 2]] == ["one", "ab"]
    for read in (lambda: store[[1]], lambda: list(store.beginnings(1))):
        with pytest.raises(TextsLost):
            read()
    assert len(TextStore.whole(tmp_path, 9)) == 4
    (tmp_path / "texts.u8").write_bytes((tmp_path / "texts.u8").read_bytes()[:-3])
    assert len(TextStore.whole(tmp_path, 9)) == 2
    assert len(TextStore.whole(tmp_path / "none", 9)) == 0


def test_what_cannot_be_stored_or_read_is_named(tmp_path: Path) -> None:
    assert len(TextStore.open(tmp_path / "none", 0)) == 0
    with pytest.raises(ModelError, match="none; try again"):
        TextStore.open(tmp_path / "none", 1)
    with TextStore.writer(tmp_path) as writer:
        writer.write(0, ["one", "two"])
        with pytest.raises(ModelError, match=r"row 4.*holds 2 whole texts"):
            writer.write(4, ["five"])
        with pytest.raises(ModelError, match=r"row 3.*surrogate pair at character 1"):
            writer.write(2, ["three", "b\ud800"])
    assert TextStore.open(tmp_path, 2)[:] == ["one", "two"]
    (tmp_path / "texts.u8").write_bytes(b"one\xfft!")
    with pytest.raises(ModelError, match="damaged"):
        TextStore.open(tmp_path, 2)[:]
    (tmp_path / "texts.u8").write_bytes(b"one")
    with pytest.raises(ModelError, match="damaged"):
        TextStore.open(tmp_path, 2)
