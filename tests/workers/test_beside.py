"""What stands beside an image says something of it, whichever format it has."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.box_files import labelme, voc, voc_object
from tests.workers.import_files import png, zipped
from workers.imports.formats.archives.zip_entries import ZipEntries
from workers.imports.formats.folder import FolderSource

LINE = b"0 .5 .5 .1 .1\n"
SHAPE = {"label": "cat", "points": [[1, 1], [5, 5]], "shape_type": "rectangle"}
ACCENT, LETTERS = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))


def spoken_of(folder: Path, files: dict[str, bytes], *, boxes: bool) -> list[str]:
    """The images of an archive of which it says something; everything else is an item too."""
    archive = folder / "a.zip"
    archive.write_bytes(zipped(files.items()))
    entries = ZipEntries(archive)
    with closing(FolderSource(entries, folder / "it", boxes=boxes, sidecars=not boxes)) as found:
        items = [*found.items(0)]
    assert len(items) == sum(name.lower().endswith((".jpg", ".png")) for name in files)
    return [one.name for one in items if one.said or one.meta or one.label == "cat"]


@pytest.mark.parametrize(
    "name", ["a.jpg", "a.JPG", "x/a.b.png", f"{ACCENT}.jpg", f"x/{LETTERS}/{LETTERS}.jpg"]
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("ending", [".txt", ".TXT", ".json", ".cls"])
def test_whatever_form_its_letters_have(
    tmp_path: Path, name: str, form: Literal["NFC", "NFD"], ending: str
) -> None:
    beside = unicodedata.normalize(form, name.rpartition(".")[0]) + ending
    content = {
        ".cls": b"cat",
        ".json": labelme([SHAPE], path="elsewhere.jpg").encode(),
    }.get(ending, LINE)
    # One that is called so in another folder is another.
    files = {name: png(1), f"other/{name}": png(2), beside: content, "data.yaml": b"names: [cat]"}
    if ending == ".cls":
        del files["data.yaml"]
    assert spoken_of(tmp_path, files, boxes=ending != ".cls") == [name]


@pytest.mark.parametrize("images", ["images", "Images", "IMAGES"])
@pytest.mark.parametrize("labels", ["labels", "Labels", "LABELS"])
@pytest.mark.parametrize("below", ["{}/train", "train/{}", "x/labels/{}"])
def test_whatever_letters_the_folders_of_yolo_have(
    tmp_path: Path, images: str, labels: str, below: str
) -> None:
    image = f"{below.format(images)}/a.jpg"
    files = {image: png(1), f"{below.format(labels)}/a.txt": LINE, "data.yaml": b"names: [cat]"}
    assert spoken_of(tmp_path, files, boxes=True) == [image]


def test_notes_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    notes = {f"{folder}/1.json": json.dumps({"of": folder}).encode() for folder in "ab"}
    files = {**notes, "a/1.jpg": png(1), "b/1.jpg": png(2), "c/1.jpg": png(3)}
    assert spoken_of(tmp_path, files, boxes=False) == ["a/1.jpg", "b/1.jpg"]


@pytest.mark.parametrize(("listed", "written"), [(ACCENT, LETTERS), (LETTERS, ACCENT)])
def test_lists_of_pascal_voc_name_images_in_either_form(
    tmp_path: Path, listed: str, written: str
) -> None:
    assert splits_of_voc(tmp_path, [written], {"val": [listed]}) == {written: "evaluation"}


def splits_of_voc(
    folder: Path, names: Sequence[str], lists: Mapping[str, Sequence[str]]
) -> dict[str, str | None]:
    """What a data set says of the split of each of its images."""
    archive = folder / "a.zip"
    drawn = voc(voc_object(1, 1, 5, 5), filename="").encode()
    files = {f"VOC/Annotations/{name}.xml": drawn for name in names}
    files |= {f"VOC/JPEGImages/{name}.jpg": png(1) for name in names}
    for name, lines in lists.items():
        files[f"VOC/ImageSets/Main/{name}.txt"] = "".join(f"{one}\n" for one in lines).encode()
    archive.write_bytes(zipped(files.items()))
    with closing(FolderSource(ZipEntries(archive), folder / "it", boxes=True)) as found:
        items = [*found.items(0)]
    assert all(one.said and one.refused is None for one in items)
    return {Path(one.name).stem: one.split for one in items}


NAMES_LIKE_FLAGS = ("img", "img 1", "img 0", "img -1", "img 1 1")


@settings(deadline=None)
@given(
    there=st.sets(st.sampled_from(NAMES_LIKE_FLAGS), min_size=1),
    splits=st.fixed_dictionaries(
        {name: st.sampled_from(["train", "val", None]) for name in NAMES_LIKE_FLAGS}
    ),
)
def test_a_name_in_a_list_of_pascal_voc_may_end_like_a_flag(
    tmp_path_factory: pytest.TempPathFactory, there: set[str], splits: dict[str, str | None]
) -> None:
    folder = tmp_path_factory.mktemp("voc")
    lists = {one: [name for name in there if splits[name] == one] for one in ("train", "val")}
    words = {"train": "pool", "val": "evaluation", None: None}
    expected = {name: words[splits[name]] for name in there}
    assert splits_of_voc(folder, sorted(there), lists) == expected


def test_flags_in_lists_of_pascal_voc_are_no_part_of_names(tmp_path: Path) -> None:
    lists = {"train": ["a  1", '"b c" -1'], "val": ["d  0"]}
    assert splits_of_voc(tmp_path, ["a", "b c", "d"], lists) == {
        "a": "pool", "b c": "pool", "d": "evaluation",
    }  # fmt: skip
