"""Parquet files, plain and as Hugging Face writes them."""

from typing import Any

import pyarrow as pa
import pytest

from core.states import Split
from tests.workers.import_files import Pool, parquet_of, png, reasons
from workers.imports.formats.parquet.columns import find_columns


def images(n: int) -> list[bytes]:
    return [png(seed) for seed in range(n)]


def test_reads_bytes_labels_splits_and_names(pool: Pool) -> None:
    content = parquet_of(
        {
            "image": images(5),
            "label": [4, 4, 1, 1, 0],
            "class_name": pa.array(["dog", "dog", "cat", "cat", "frog"]).dictionary_encode(),
            "split": ["train", "test", "validation", None, "elsewhere"],
            "file": [f"{index}.png" for index in range(5)],
            "score": [0.5, float("nan"), 1.5, 2.5, 3.5],
            "counts": [[1, 2]] * 5,
        },
        2,
    )
    job = pool.add(content, "pool.parquet")
    assert job.result is not None, job.error
    assert job.result["by_split"] == {"pool": 2, "evaluation": 2, "auxiliary_ood": 0}
    assert reasons(job.result) == {
        "4.png": "unknown split 'elsewhere'; say what it is with folder_split elsewhere=SPLIT"
    }
    found = pool.examples()
    assert [one.name for one in found] == ["0.png", "1.png", "2.png", "3.png"]
    assert [one.split for one in found] == [
        Split.POOL, Split.EVALUATION, Split.EVALUATION, Split.POOL,
    ]  # fmt: skip
    assert [one.label_class_id is not None for one in found] == [False, True, True, False]
    assert [one.meta for one in found] == [
        {"score": 0.5, "label": "dog"},
        {},
        {"score": 1.5},
        {"score": 2.5, "label": "cat"},
    ]


def test_reads_hugging_face_structs_and_class_labels(pool: Pool) -> None:
    rows: list[dict[str, Any]] = [
        {"bytes": content, "path": f"{index}.png"} for index, content in enumerate(images(3))
    ]
    rows.append({"bytes": None, "path": "elsewhere.png"})
    columns = {"img": rows, "label": [1, 0, 7, 1]}
    job = pool.add(parquet_of(columns, label=["cat", "dog"]), "hf.parquet", split=Split.EVALUATION)
    assert job.result is not None, job.error
    assert reasons(job.result) == {
        "2.png": "label '7 (not one of the 2 numbers declared)' is not a class of the project",
        "elsewhere.png": "the row holds no image bytes",
    }
    assert [one.name for one in pool.examples()] == ["0.png", "1.png"]


def test_rows_without_a_name_are_numbered_over_row_groups(pool: Pool) -> None:
    job = pool.add(parquet_of({"image": images(5)}, 2), "pool.parquet")
    assert job.result is not None, job.error
    assert [one.name for one in pool.examples()] == [f"pool.parquet#{n}" for n in range(5)]


def test_columns_can_be_named(pool: Pool) -> None:
    content = parquet_of(
        {
            "image": ["not", "this"],
            "thumbnail": images(2),
            "kind": ["cat", "dog"],
            "use": ["evaluation", "pool"],
        }
    )
    columns = {"image": "thumbnail", "label": "kind", "split": "use"}
    job = pool.add(content, "pool.parquet", columns=columns)
    assert job.result is not None, job.error
    assert job.result["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}


@pytest.mark.parametrize("columns", [{"image": "missing"}, {"label": "missing"}, {"image": "text"}])
def test_a_wrong_column_fails_the_import(pool: Pool, columns: dict[str, str]) -> None:
    content = parquet_of({"image": images(1), "text": ["x"]})
    job = pool.add(content, "pool.parquet", columns=columns)
    assert job.error is not None
    assert job.error["code"] == "invalid_column"
    assert repr(next(iter(columns.values()))) in job.error["detail"]


def test_a_file_without_images_or_damaged_fails_the_import(pool: Pool) -> None:
    whole = parquet_of({"image": images(3)})
    for content, code in (
        (parquet_of({"text": ["x"]}), "invalid_column"),
        (whole[:-20], "invalid_archive"),
        (b"PAR1", "invalid_archive"),
        (whole[:4] + bytes(200) + whole[204:], "invalid_archive"),
    ):
        job = pool.add(content, "pool.parquet")
        assert job.error is not None
        assert job.error["code"] == code
    assert pool.examples() == []


def test_the_first_column_of_bytes_is_the_image() -> None:
    schema = pa.schema([("id", pa.int64()), ("png", pa.large_binary()), ("jpg", pa.binary())])
    assert find_columns(schema, {}).content == "png"
