"""Which image a document means: compared with the rule, applied to every pair of paths."""

import sqlite3
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.imports.matching import Called, Match, Matches, Unmatched, resolved, sent_name

FOLDERS = st.lists(st.sampled_from(["a", "b", "é", "e\u0301"]), max_size=3)
PATHS = st.builds(
    lambda folders, base: "/".join([*folders, base]), FOLDERS, st.sampled_from(["1.png", "2.png"])
)


def meant(
    images: Sequence[str], documents: Sequence[Sequence[str]], folder: str = "", below: bool = False
) -> list[str | None]:
    """The image that each name means, document by document."""
    index = sqlite3.connect(":memory:", isolation_level=None)
    matches = Matches(index)
    row = 0
    for number, names in enumerate(documents):
        for name in names:
            matches.call(row, number, folder, [Called(name)], below=below)
            row += 1
    matches.look_through(enumerate(images))
    found = [matches.found(one) for one in range(row)]
    index.close()
    return [images[one.image] if isinstance(one, Match) else None for one in found]


def by_the_rule(images: Sequence[str], names: Sequence[str]) -> list[str | None]:
    """The same for one document at the top, from the sentences of the documentation."""
    paths = [unicodedata.normalize("NFC", one) for one in images]
    called = [unicodedata.normalize("NFC", one) for one in names]

    def ends(one: str, other: str) -> bool:
        return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")

    def candidates(name: str) -> list[int]:
        same = [number for number, path in enumerate(paths) if path == name]
        return same or [number for number, path in enumerate(paths) if ends(path, name)]

    wanted = [candidates(name) for name in called]
    found: list[str | None] = []
    for name, mine in zip(called, wanted, strict=True):
        if len(mine) != 1:
            found.append(None)
            continue
        (image,) = mine
        rivals = {other for other, theirs in zip(called, wanted, strict=True) if theirs == [image]}
        best = {other for other in rivals if other == paths[image]} or rivals
        found.append(images[image] if best == {name} else None)
    return found


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PATHS, max_size=5, unique_by=lambda one: unicodedata.normalize("NFC", one)),
    st.lists(PATHS, max_size=5),
)
def test_a_name_means_the_one_image_whose_path_agrees(images: list[str], names: list[str]) -> None:
    assert meant(images, [names]) == by_the_rule(images, names)


@pytest.mark.parametrize(
    ("images", "names", "expected"),
    [
        (["camB/1.png"], ["camA/1.png"], [None]),
        (["camB/1.png"], ["camA/1.png", "camB/1.png"], [None, "camB/1.png"]),
        (["x/camA/1.png"], ["y/camA/1.png"], [None]),
        (["photos/camA/1.png"], ["camA/1.png"], ["photos/camA/1.png"]),
        (["camA/1.png"], ["C:/data/camA/1.png"], ["camA/1.png"]),
        (["1.png"], ["camA/1.png"], ["1.png"]),
        (["1.png"], ["camA/1.png", "camB/1.png"], [None, None]),
        (["a/1.png", "b/1.png"], ["1.png"], [None]),
        (["1.png", "b/1.png"], ["1.png"], ["1.png"]),
        (["a/11.png"], ["1.png"], [None]),
    ],
)
def test_folders_on_both_sides_must_agree(
    images: list[str], names: list[str], expected: list[str | None]
) -> None:
    assert meant(images, [names]) == expected


def test_documents_that_call_an_image_alike_all_mean_it() -> None:
    assert meant(["a/1.png"], [["1.png"], ["a/1.png"], ["x/a/1.png"]]) == ["a/1.png"] * 3
    # The image has no folder that could tell which of the two cameras it is of.
    assert meant(["1.png"], [["a/1.png"], ["b/1.png"]]) == [None, None]


def test_a_document_in_a_folder_of_images_speaks_of_those() -> None:
    images = ["train/1.png", "valid/1.png", "valid/2.png"]
    assert meant(images, [["1.png", "2.png"]], "train", below=True) == ["train/1.png", None]
    assert meant(images, [["../valid/1.png"]], "train", below=True) == ["valid/1.png"]
    assert meant(images, [["1.png", "2.png"]], "annotations") == [None, "valid/2.png"]


def test_what_no_file_is_may_be_an_image_of_the_pool() -> None:
    index = sqlite3.connect(":memory:", isolation_level=None)
    matches = Matches(index)
    for row, name in enumerate(["a/1.png", "b/2.png", "3.png"]):
        matches.call(row, 0, "", [Called(name)], below=False)
    matches.look_through([(0, "a/1.png"), (1, "x/3.png"), (2, "y/3.png")])
    matches.look_through([(-1, "a/1.png"), (-2, "old/b/2.png"), (-3, "3.png")], again=True)
    found = [matches.found(row) for row in range(3)]
    index.close()
    assert found[:2] == [Match(0, ""), Match(-2, "b/2.png")]
    # Which of the files is meant is not known, so it is none of the pool either.
    assert isinstance(found[2], Unmatched)
    assert found[2].reason == "2 images could be meant: x/3.png, y/3.png"


@pytest.mark.parametrize(
    ("name", "sent"),
    [("my photo (1).png", "my_photo_1.png"), ("a+b&c#d.png", "abcd.png"), ("ü-1.png", "ü-1.png")],
)
def test_names_that_label_studio_makes(name: str, sent: str) -> None:
    assert sent_name(name) == sent


def test_paths_that_go_up_stay_in_the_archive() -> None:
    assert resolved("annotations/../images/./1.png") == "images/1.png"
    assert resolved("../../1.png") == "1.png"


@pytest.mark.parametrize(
    "case", ["one base name", "one image", "one name of the pool", "below folders"]
)
def test_the_index_grows_with_names_and_images_not_with_their_pairs(case: str) -> None:
    def pages(count: int) -> tuple[int, object]:
        index = sqlite3.connect(":memory:", isolation_level=None)
        matches = Matches(index)
        folders = [f"d{number}" for number in range(count)]
        images = ["1.png"] if case == "one image" else [f"{one}/1.png" for one in folders]
        if case == "one name of the pool":
            images = ["1.png"] * count
        names = [f"x{one}/1.png" for one in folders]
        for row, folder in enumerate(folders):
            called = names[row] if case in ("one image", "one name of the pool") else "1.png"
            below = case == "below folders"
            matches.call(row, row if below else 0, folder, [Called(called)], below=below)
        matches.look_through(enumerate(images))
        found = matches.found(0)
        (used,) = index.execute("PRAGMA page_count").fetchone()
        index.close()
        return used, found

    small, _ = pages(200)
    large, found = pages(800)
    assert large <= 5 * small
    if case == "one image":
        assert isinstance(found, Unmatched)
        assert found.reason.startswith("the image 1.png could also be xd1/1.png, xd10/1.png")
    elif case == "below folders":
        assert found == Match(0, "")
    else:
        assert isinstance(found, Unmatched)
        assert found.reason.startswith("more than 3 images could be meant: ")


@pytest.mark.parametrize(
    ("images", "names", "folder", "expected"),
    [
        (["camA/1.png", "camB/1.png"], ["camB/1.png"], "camA", ["camB/1.png"]),
        (["camA/1.png", "camB/1.png"], ["camC/1.png"], "camA", [None]),
        (["camA/1.png"], ["camC/1.png"], "camA", [None]),
        (
            ["camA/1.png", "camB/1.png"],
            ["camA/1.png", "camB/1.png"],
            "camA",
            ["camA/1.png", "camB/1.png"],
        ),
        (["train/1.png", "val/1.png"], ["val/1.png"], "train", ["val/1.png"]),
        (["train/1.png", "val/1.png"], ["1.png"], "train", ["train/1.png"]),
        (["train/1.png"], ["/home/ada/train/1.png"], "train", ["train/1.png"]),
        (["train/images/1.png"], ["images/1.png"], "train", ["train/images/1.png"]),
        (["a/b/1.png", "a/c/1.png"], ["c/1.png"], "a/b", [None]),
        (["a/b/1.png", "a/c/1.png"], ["a/c/1.png"], "a/b", ["a/c/1.png"]),
    ],
)
def test_a_document_in_a_folder_names_other_folders_by_whole_paths(
    images: list[str], names: list[str], folder: str, expected: list[str | None]
) -> None:
    assert meant(images, [names], folder, below=True) == expected
