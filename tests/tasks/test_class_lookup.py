"""Names in files mean classes however a file writes them, and never one of two."""

import pytest

from core.tasks.class_lookup import ClassLookup


@pytest.mark.parametrize(
    "written",
    [
        "insect or spider",
        "insect_or_spider",
        "Insect-Or-Spider",
        "INSECT  OR\u00a0SPIDER",
        "insect__or--spider ",
        "\uff49nsect\u2011or_spider",
    ],
)
def test_a_class_is_found_however_a_file_writes_its_name(written: str) -> None:
    classes = ClassLookup({"dog": 1, "insect or spider": 2})
    assert classes[written] == 2
    assert classes.name_of(written) == "insect or spider"


@pytest.mark.parametrize(
    "written", ["insectorspider", "insect", "", "_", "insect or spider?", "in_sect or spider"]
)
def test_other_names_are_not(written: str) -> None:
    classes = ClassLookup({"insect or spider": 2})
    assert written not in classes
    assert classes.rivals(written) == ""


def test_forms_of_unicode_are_one_name() -> None:
    classes = ClassLookup({"Cafe\u0301": 1, "Stra\u00dfe": 2, "\ud55c\uad6d \uac1c": 3})
    assert classes["caf\u00e9"] == 1
    assert classes["STRASSE"] == 2
    assert classes["\u1112\u1161\u11ab\u1100\u116e\u11a8_\uac1c"] == 3


@pytest.mark.parametrize(
    "name",
    [
        "\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e",
        "\u0e17\u0e35\u0e48 \u0e14\u0e35",
        "a 1",
        "\u00e9 e",
    ],
)
def test_words_may_end_in_marks_and_numbers(name: str) -> None:
    classes = ClassLookup({name: 1, "other": 2})
    assert [classes.get(name.replace(" ", one)) for one in ("_", "-", "  ")] == [1, 1, 1]


def test_the_exact_name_comes_before_all_that_are_alike() -> None:
    classes = ClassLookup({"ice cream": 1, "ice-cream": 2})
    assert (classes["ice cream"], classes[" ice-cream "]) == (1, 2)
    assert classes.get("Ice_Cream") is None
    assert classes.rivals("Ice_Cream") == "'ice cream', 'ice-cream'"
    assert list(classes) == ["ice cream", "ice-cream"]


def test_signs_at_an_end_tell_names_apart() -> None:
    classes = ClassLookup({"A": 1, "A-": 2, "-1": 3, "C++": 4})
    assert [classes.get(name) for name in ("a", "a-", "-1", "1", "c++", "C", "B-")] == [
        1, 2, 3, None, 4, None, None,
    ]  # fmt: skip


def test_what_means_something_else_is_a_class_only_letter_by_letter() -> None:
    classes = ClassLookup({"None": 1, "Skip": 2}, lambda text: text in ("none", "skip"))
    assert [classes.get(name) for name in ("None", "none", "Skip", "skip", "SKIP")] == [
        1, None, 2, None, 2,
    ]  # fmt: skip
