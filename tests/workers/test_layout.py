"""What folders and split columns mean: the rule over many layouts."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jobs.imports import FolderChoice
from core.states import Split
from workers.imports.layout import Folders, layout
from workers.imports.split_words import parse_split, row_split, split_text

POOL, TEST = Split.POOL, Split.EVALUATION
LEFT = "left out"
Place = tuple[Split | str | None, str | None]


def places(
    paths: Sequence[str], chosen: Mapping[str, FolderChoice] | None = None
) -> dict[str, Place]:
    """Split, or that it is left out, and class of each path."""
    folders = Folders()
    for path in paths:
        folders.add(path)
    found = layout(folders, chosen)
    placed = {path: found.place(path) for path in paths}
    return {path: (LEFT if one.unsure else one.meant, one.label) for path, one in placed.items()}


def listed(*folders: str) -> list[str]:
    return [f"{folder}/{index}.png" for index, folder in enumerate(folders)]


@pytest.mark.parametrize(
    ("folders", "right"),
    [
        (("train/cat", "test/cat", "samples"), [(POOL, "cat"), (TEST, "cat"), (LEFT, None)]),
        (("train/cat", "test/dog", "docs/x"), [(POOL, "cat"), (TEST, "dog"), (LEFT, "x")]),
        (("train/cat", "val/cat", "dev/cat"), [(POOL, "cat"), (TEST, "cat"), (TEST, "cat")]),
        (("train2017", "val2017"), [(POOL, None), (TEST, None)]),
        (("Training/cat", "Testing/cat"), [(POOL, "cat"), (TEST, "cat")]),
        (("TRAIN/cat", "held-out/cat"), [(POOL, "cat"), (TEST, "cat")]),
        (("train_images/a", "test_images/a"), [(POOL, "a"), (TEST, "a")]),
        (("train/a", "validation_set/a"), [(POOL, "a"), (TEST, "a")]),
        (("train", "test", "ood"), [(POOL, None), (TEST, None), (None, "ood")]),
        (("train/images/a", "valid/images/a"), [(POOL, "a"), (TEST, "a")]),
        (("cat/train", "cat/test", "dog/test"), [(POOL, "cat"), (TEST, "cat"), (TEST, "dog")]),
        (("cat", "cat/test", "dog"), [(None, "cat"), (TEST, "cat"), (None, "dog")]),
        (
            ("cat/train", "cat/test", "cat/samples", "dog/big"),
            [(POOL, "cat"), (TEST, "cat"), (LEFT, "cat"), (None, "dog")],
        ),
        (("cat/test", "cat/tabby", "dog"), [(LEFT, "cat"), (None, "cat"), (None, "dog")]),
        # One split among other folders: by the classes below, else never by a guess.
        (("test/cat", "cat", "dog"), [(TEST, "cat"), (None, "cat"), (None, "dog")]),
        (("test/cat", "images/cat"), [(TEST, "cat"), (LEFT, "cat")]),
        (("test", "cat", "dog"), [(LEFT, None), (None, "cat"), (None, "dog")]),
        (("train", "ship"), [(None, "train"), (None, "ship")]),
        (("valid", "invalid"), [(None, "valid"), (None, "invalid")]),
        (("evaluation/cat", "dog"), [(TEST, "cat"), (None, "dog")]),
        # A folder around everything is only that, unless it is called exactly like a split.
        (("my/data/cat", "my/data/dog"), [(None, "cat"), (None, "dog")]),
        (("dev/cat", "dev/dog"), [(None, "cat"), (None, "dog")]),
        (("test/cat", "test/dog"), [(TEST, "cat"), (TEST, "dog")]),
        (("test",), [(TEST, None)]),
        (("cat",), [(None, "cat")]),
        # Words of splits among others: pairs are sure, and the rest is left out.
        (("seg_train/a", "seg_test/a", "seg_pred/a"), [(POOL, "a"), (TEST, "a"), (LEFT, "a")]),
        (
            ("seg_train/seg_train/a", "seg_test/seg_test/a", "seg_pred/seg_pred"),
            [(POOL, "a"), (TEST, "a"), (LEFT, None)],
        ),
        (("trainA", "trainB", "testA"), [(POOL, None), (LEFT, None), (TEST, None)]),
        (("train_val/a", "test/a"), [(LEFT, "a"), (TEST, "a")]),
        (("trainval/a", "test/a"), [(LEFT, "a"), (TEST, "a")]),
        (("X_train/a", "Y_test/a"), [(LEFT, "a"), (LEFT, "a")]),
        (("X_train", "Y_test", "docs"), [(LEFT, None), (LEFT, None), (None, "docs")]),
        (("train", "test_final", "docs"), [(LEFT, None), (LEFT, None), (None, "docs")]),
        (("train", "test_final"), [(POOL, None), (LEFT, None)]),
        (("mnist_train/0", "fashion_train/0"), [(LEFT, "0"), (LEFT, "0")]),
        (("seg_test/cat", "cat", "dog"), [(LEFT, "cat"), (None, "cat"), (None, "dog")]),
        (("seg_train/cat", "cat", "dog"), [(LEFT, "cat"), (None, "cat"), (None, "dog")]),
        (("cat/x_train", "cat/x_test", "dog"), [(POOL, "cat"), (TEST, "cat"), (None, "dog")]),
        # Honest classes.
        (("train", "bus", "car"), [(None, "train"), (None, "bus"), (None, "car")]),
        (("bullet_train", "bus", "car"), [(None, "bullet_train"), (None, "bus"), (None, "car")]),
        (("test_tube", "beaker"), [(LEFT, None), (None, "beaker")]),
        (("swimming_pool", "lake"), [(None, "swimming_pool"), (None, "lake")]),
        (("train", "no_train"), [(None, "train"), (None, "no_train")]),
        (("valid_id", "invalid_id"), [(None, "valid_id"), (None, "invalid_id")]),
        (
            ("terrain", "contest", "strain"),
            [(None, "terrain"), (None, "contest"), (None, "strain")],
        ),
        (("train/train", "test/train"), [(POOL, "train"), (TEST, "train")]),
        (("train/train", "train/bus", "test/bus"), [(POOL, "train"), (POOL, "bus"), (TEST, "bus")]),
        (
            ("training_set/training_set/cat", "test_set/test_set/cat"),
            [(POOL, "cat"), (TEST, "cat")],
        ),
        (("train/train/images/a", "test/test/images/a"), [(POOL, "a"), (TEST, "a")]),
    ],
)
def test_folders_mean(folders: tuple[str, ...], right: list[Place]) -> None:
    assert list(places(listed(*folders)).values()) == right


@pytest.mark.parametrize(
    ("chosen", "right"),
    [
        ({"samples": FolderChoice.POOL}, [POOL, TEST, POOL]),
        ({"train": FolderChoice.LEAVE_OUT}, [POOL, TEST, LEFT]),
        ({"samples": FolderChoice.CLASS}, [POOL, TEST, None]),
    ],
)
def test_a_choice_is_for_one_folder_alone(
    chosen: dict[str, FolderChoice], right: list[Split | str | None]
) -> None:
    paths = listed("train/cat", "test/cat", "samples")
    folders = Folders()
    for path in paths:
        folders.add(path)
    found = layout(folders, chosen)
    got = [found.place(path) for path in paths]
    names = ["train", "test", "samples"]
    for one, name, wanted in zip(got, names, right, strict=True):
        assert (one.split, one.unsure is not None) == (
            None if wanted is None else name,
            wanted is LEFT,
        )


def test_a_class_may_be_chosen_for_what_is_called_like_a_split() -> None:
    found = places(listed("test", "cat"), {"test": FolderChoice.CLASS})
    assert list(found.values()) == [(None, "test"), (None, "cat")]


CLASSES = st.lists(st.sampled_from(["cat", "dog", "bird", "fish 1"]), min_size=1, unique=True)
TRAIN = st.sampled_from(["train", "Train", "training", "train2017", "train_images", "pool"])
TESTS = st.lists(
    st.sampled_from(["test", "VAL", "valid", "dev", "test-images", "val2017", "eval", "holdout"]),
    min_size=1,
    unique=True,
)
OTHERS = st.lists(st.sampled_from(["samples", "docs", "extra", "misc data"]), unique=True)
WRAPS = st.lists(st.sampled_from(["xray", "v1", "images", "data"]), max_size=4)


@given(CLASSES, TRAIN, TESTS, OTHERS, WRAPS, st.booleans(), st.randoms())
def test_train_beside_test_is_a_split_whatever_stands_beside_them(
    classes: list[str],
    train: str,
    tests: list[str],
    others: list[str],
    wraps: list[str],
    below: bool,
    random: Random,
) -> None:
    """In any order, below any folders around, and also where splits stand below the classes."""
    right: dict[str, Place] = {}
    for label in classes:
        for name in (train, *tests, *others):
            inner = f"{label}/{name}" if below else f"{name}/{label}"
            split = POOL if name == train else TEST if name in tests else LEFT
            right["/".join([*wraps, inner, f"{name}-{label}.png"])] = (split, label)
    # A single class around everything can not be told from a folder around everything.
    paths = list(right)
    random.shuffle(paths)
    found = places([*paths, "README.md", "labels/train/1.txt"])
    if below and len(classes) == 1:
        assert {path: found[path][0] for path in paths} == {p: right[p][0] for p in paths}
    else:
        assert {path: found[path] for path in paths} == {p: right[p] for p in paths}


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("seg_train", "seg_test"),
        ("trainA", "testA"),
        ("TrainSet", "TestSet"),
        ("mnistTrain", "mnistTest"),
        ("imagenet-train", "imagenet-val"),
        ("X_train", "X_test"),
        ("train_v2", "test_v1"),
        ("train.v2", "test.v2"),
        ("train (1)", "test (1)"),
        ("01_train", "02_test"),
        ("1.Training", "2.Validation"),
        ("[train] cats", "[valid] cats"),
        ("Kaggle Train Images", "Kaggle Held-Out Images"),
        ("학습", "검증"),
        ("학습용데이터", "검증용데이터"),
        ("1. 학습 데이터", "2. 시험 데이터"),
        ("차량_학습", "차량_테스트"),
        ("训练", "测试"),
        ("训练集", "验证集"),
        ("訓練データ", "テストデータ"),
        ("entraînement", "validation"),
        ("Trainingsdaten", "Testdaten"),
        ("entrenamiento", "prueba"),
    ],
)
@pytest.mark.parametrize("is_below", [False, True])
def test_names_that_hold_words_of_splits_are_splits_in_pairs(
    train: str, test: str, is_below: bool
) -> None:
    """In any order, decomposed or not, above the classes and below, with folders around."""
    for form in ("NFC", "NFD"):
        folders = {
            f"around/{label}/{name}" if is_below else f"around/{name}/{label}": (split, label)
            for label in ("cat", "dog")
            for name, split in ((normalize(form, train), POOL), (normalize(form, test), TEST))
        }
        right = {f"{folder}/1.png": place for folder, place in folders.items()}
        assert places(list(right)) == right
        assert places(list(reversed(right))) == right


AROUND = st.sampled_from(["seg", "x", "my data", "A", "고양이"])
JOINED = st.sampled_from(["{a}_{b}", "{b}-{a}", "{a} {b} (2)", "{b}.{a}.v3", "01 {a}, {b}"])
WORDS = [
    "train",
    "Training",
    "test",
    "val",
    "valid",
    "validation",
    "testing",
    "학습",
    "训练",
    "검증",
]


@given(
    st.lists(st.tuples(st.sampled_from(WORDS), AROUND, JOINED), min_size=2, unique=True),
    st.lists(st.sampled_from(["cat", "dog"]), unique=True),
    st.randoms(),
)
def test_what_may_be_of_tests_never_enters_the_pool_or_becomes_a_class(
    names: list[tuple[str, str, str]], others: list[str], random: Random
) -> None:
    tests = {
        joined.format(a=word, b=around): word not in ("train", "Training", "학습", "训练")
        for word, around, joined in names
    }
    paths = [f"{name}/1.png" for name in [*tests, *others]]
    found = places(paths)
    random.shuffle(paths)
    assert places(paths) == found
    if len(paths) == 1:
        return
    for name, is_test in tests.items():
        split, label = found[f"{name}/1.png"]
        if is_test:
            assert split in (TEST, LEFT)
            assert label is None
        elif not others or any(tests.values()):
            assert split in (POOL, LEFT)
            assert label is None


NAMES = st.sampled_from(
    ["train", "test", "val", "dev", "cat", "dog", "samples", "ood", "test_images", "x"]
)


@given(st.lists(st.lists(NAMES, max_size=4), min_size=1, max_size=12), st.randoms())
def test_the_order_changes_nothing_and_test_images_never_become_a_class(
    trees: list[list[str]],
    random: Random,
) -> None:
    paths = ["/".join([*tree, f"{index}.png"]) for index, tree in enumerate(trees)]
    found = places(paths)
    shuffled = list(paths)
    random.shuffle(shuffled)
    assert places(shuffled) == found
    beside = {tree[0] for tree in trees if tree}
    is_plain = len(beside) > 1
    for path, tree in zip(paths, trees, strict=True):
        if is_plain and tree and tree[0] in ("test", "val"):
            assert found[path][0] in (TEST, LEFT)


@pytest.mark.parametrize(
    ("column", "value", "right"),
    [
        ("split", "TRAIN", POOL),
        ("split", "Train ", POOL),
        ("split", "dev", TEST),
        ("split", "held-out", TEST),
        ("split", "validation", TEST),
        ("split", "auxiliary OOD", Split.AUXILIARY_OOD),
        ("is_test", True, TEST),
        ("is_test", False, POOL),
        ("is_test", 1, TEST),
        ("is_test", 0.0, POOL),
        ("is_train", "true", POOL),
        ("is_train", "False", TEST),
        ("Is_Validation", True, TEST),
        ("split", "01_train", POOL),
        ("split", "검증", TEST),
        ("split", "seg_train", None),
        ("split", "train_val", None),
        ("fold", 0, None),
        ("split", 2, None),
        ("split", True, None),
        ("split", "unsupervised", None),
    ],
)
def test_values_of_a_split_column_mean(column: str, value: object, right: Split | None) -> None:
    said = split_text(column, value)
    assert said is not None
    assert parse_split(said) is right


@pytest.mark.parametrize("value", [None, "", "  ", float("nan")])
def test_an_empty_value_says_no_split(value: object) -> None:
    assert split_text("split", value) is None


def test_of_several_flags_the_one_that_says_yes_holds() -> None:
    flags = ["is_train", "is_val", "is_test"]
    rows = [(True, False, False), (False, True, False), (False, False, True)]
    said = [row_split(dict(zip(flags, row, strict=True)), flags) for row in rows]
    assert said == ["is_train=true", "is_val=true", "is_test=true"]


@pytest.mark.parametrize(
    ("flags", "right"),
    [
        ({"is_train": True, "is_test": True}, None),
        ({"is_train": "yes", "is_val": 1, "is_test": False}, None),
        ({"is_val": True, "is_test": True, "is_train": False}, TEST),
        ({"is_val": False, "is_test": False}, POOL),
        # Whether it is for validation, no column says.
        ({"is_train": False, "is_test": False}, None),
        ({"is_train": False, "is_test": None}, TEST),
        ({"is_test": "perhaps", "is_val": False}, None),
        ({"is_test": "perhaps", "is_train": True}, POOL),
    ],
)
def test_flags_mean_the_same_in_any_order(flags: dict[str, Any], right: Split | None) -> None:
    said = {row_split(flags, order) for order in permutations(flags)}
    (one,) = said
    assert one is not None
    assert parse_split(one) is right
