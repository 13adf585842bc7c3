"""Folders for names: accepted by every system, no two of them alike, and the names come back."""

import ntpath
import os
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.folder_names import LITTER, folders_of, from_folder, to_folder, to_path

# What databases hold, with what breaks systems far more often than chance would have it.
NASTY = st.text(
    st.one_of(
        st.sampled_from("/\\:*?\"<>|$`'![]{}%~-. \t\n\r\x7f\x85\u2028\u202eaAcCoOnNuUxXlLpPtT1¹ß"),
        st.sampled_from("éÉ\u0301가\u1100\u1161\u0131Ii\U0001d49c🐈\ufeff"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    min_size=1,
    max_size=100,
)
RESERVED = st.builds(
    lambda stem, ending: stem + ending,
    st.sampled_from(
        [
            "CON",
            "con",
            "Prn",
            "AUX",
            "nul",
            "COM1",
            "com¹",
            "LPT9",
            "lpt³",
            "COM0",
            "..",
            ".",
            "-rf",
        ]
    ),
    st.sampled_from(["", ".txt", " .x", ".", " ", "%", "ed"]),
)
NAMES = NASTY | RESERVED | st.sampled_from(sorted(LITTER))
FORBIDDEN = set("/\\:*?\"<>|$`'![]") | {chr(code) for code in (*range(32), *range(127, 160))}
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{p}{d}" for p in ("COM", "LPT") for d in "123456789¹²³")}


def fits(name: str) -> bool:
    """Whether a folder of this name can hold all of it."""
    # As the end of a name that is too long; every other % is followed by digits.
    return "%~" not in to_folder(name)


@given(NAMES)
def test_every_system_takes_the_folder(name: str) -> None:
    folder = to_folder(name)
    assert not FORBIDDEN & set(folder)
    assert folder == folder.strip()
    assert not folder.startswith(("-", "~", "."))
    assert not folder.endswith(".")
    assert folder.partition(".")[0].strip().upper() not in DEVICES
    assert folder.lower() not in LITTER
    assert 0 < len(folder.encode()) <= 200
    if sys.version_info >= (3, 13):
        assert not ntpath.isreserved(folder)


@given(NAMES.filter(fits))
def test_the_name_comes_back(name: str) -> None:
    assert from_folder(to_folder(name)) == name


@given(st.lists(NAMES, unique=True, max_size=8))
def test_no_two_classes_share_a_folder_where_capitals_and_normal_forms_count_for_nothing(
    names: list[str],
) -> None:
    some = [*names, *(name.swapcase() for name in names)]
    some += [unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")]
    found = folders_of(dict.fromkeys(some))
    for key in (
        str.lower,
        str.upper,
        str.casefold,
        lambda text: unicodedata.normalize("NFC", text).casefold(),
        lambda text: unicodedata.normalize("NFD", text).lower(),
    ):
        assert len({key(folder) for folder in found.values()}) == len(found)
    assert all(from_folder(found[name]) == name for name in found if fits(name * 3))


@given(NAMES)
def test_what_no_name_becomes_is_taken_as_it_is(folder: str) -> None:
    name = from_folder(folder)
    assert name == folder or "%" in folder
    assert from_folder(to_folder(name)) == name or not fits(name)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("golden retriever", "golden retriever"),
        ("crane (bird)", "crane (bird)"),
        ("고양이", "고양이"),
        ("=1+1", "=1+1"),
        ("CON", "%43ON"),
        ("nul.txt", "%6Eul.txt"),
        ("com¹", "%63om¹"),
        ("CONE", "CONE"),
        ("a/b", "a%2Fb"),
        ("50%", "50%25"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("-rf", "%2Drf"),
        ("St. ", "St.%20"),
        ("etc.", "etc%2E"),
        ("thumbs.db", "%74humbs.db"),
    ],
)
def test_names_are_changed_no_more_than_has_to_be(name: str, folder: str) -> None:
    assert to_folder(name) == folder
    assert from_folder(folder) == name


@pytest.mark.parametrize("folder", ["%41", "50%", "%zz", "100%25%", "S%C3%A3o", "%C3", "a%2fb"])
def test_folders_of_others_keep_their_names(folder: str) -> None:
    assert from_folder(folder) == (folder if folder != "%41" else "A")


def test_long_names_that_begin_alike_keep_folders_of_their_own() -> None:
    names = ["가" * 99 + "나", "가" * 99 + "다", "/" * 100]
    found = folders_of(names)
    assert len(set(found.values())) == 3
    assert all(len(folder.encode()) <= 200 for folder in found.values())
    assert [from_folder(found[name]) for name in names] == [found[name] for name in names]


@given(st.lists(NAMES, unique=True, min_size=1, max_size=4))
def test_a_file_system_makes_them(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    root: Path = tmp_path_factory.mktemp("folders")
    for name, folder in folders_of(names).items():
        (root / folder).mkdir()
        (root / folder / to_path(re.sub(r"[/\\]", "_", name)[:40], ".png")).touch()
    assert sorted(os.listdir(root)) == sorted(folders_of(names).values())
