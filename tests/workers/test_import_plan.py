"""The plan of an import: what it says is what the import then does, and it stores nothing."""

import json
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import func, select

from core.jobs.imports import ImportParams
from core.states import JobState, Split, Verdict
from core.tables import Artifact, Job
from tests.s3 import Bucket
from tests.workers.import_files import Pool, jsonl, parquet_of, png, zipped
from workers.imports.items import Item, Refused, Said, Source
from workers.imports.media.image import ImageReading
from workers.imports.plan import Plan
from workers.imports.reading import LabelReader
from workers.imports.values import Values

Files = list[tuple[str, bytes]]
SEEDS = iter(range(10_000))


def files(*names: str) -> Files:
    return [(name, png(next(SEEDS))) for name in names]


def planned(pool: Pool, content: bytes, filename: str = "pool.zip", **params: Any) -> Any:
    """The result of a dry run, after which the pool is as it was."""
    before = len(pool.examples())
    job = pool.add(content, filename, dry_run=True, **params)
    assert job.state is JobState.SUCCEEDED, job.error
    assert len(pool.examples()) == before
    assert pool.session.scalar(select(func.count()).select_from(Artifact)) == 0
    assert pool.storage.upload(job.params["upload"]).is_file()
    assert not pool.storage.work(job.id).exists()
    return job.result


LAYOUTS = {
    "flat": files("1.png", "2.png"),
    "classes": files("cat/1.png", "dog/2.png", "dog/3.png"),
    "splits": files("train/cat/1.png", "train/dog/2.png", "test/cat/3.png", "test/dog/4.png"),
    "beside": files("x/train/cat/1.png", "x/test/dog/2.png", "x/samples/3.png", "x/docs/cat/4.png"),
    "below": files("cat/train/1.png", "cat/test/2.png", "dog/test/3.png", "dog/train/4.png"),
    "lone": files("test/1.png", "cat/2.png", "dog/3.png"),
    "years": files("coco/train2017/cat/1.png", "coco/val2017/cat/2.png"),
    "unknown class": files("train/cat/1.png", "test/frog/2.png"),
    "no label": files("train/1.png", "test/2.png"),
    "notes": [*files("cat/1.png"), ("cat/notes.txt", b"no image"), ("cat/2.unknown", png(20_000))],
    "metadata": [
        *files("1.png", "2.png", "3.png", "4.png"),
        (
            "metadata.csv",
            b"file_name,split,label\n1.png,TRAIN,cat\n2.png,held-out,dog\n3.png,fold 3,cat\n"
            b"5.png,test,cat\n",
        ),
    ],
    "flags": [
        *files("1.png", "2.png"),
        ("metadata.csv", b"file_name,is_test,label\n1.png,true,cat\n2.png,0,dog\n"),
    ],
    "stated": [
        *files("train/1.png", "test/2.png", "samples/3.png"),
        (
            "metadata.jsonl",
            b'{"file_name": "train/1.png", "verdict": "class", "class": "cat"}\n'
            b'{"file_name": "test/2.png", "verdict": "class", "class": "dog"}\n'
            b'{"file_name": "samples/3.png", "verdict": "ood"}\n',
        ),
    ],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_plan_says_what_the_import_then_does(pool: Pool, layout: str) -> None:
    content = zipped(LAYOUTS[layout])
    plan = planned(pool, content)
    result: Any = pool.add(content).result
    for part in ("total", "by_split", "left_out", "left_out_by_reason", "refused"):
        assert plan[part] == result[part], part
    grouped = sum(group["count"] for group in plan["groups"])
    assert grouped >= sum(plan["by_split"].values()) + plan["left_out"]


def test_a_name_that_folder_and_file_both_say_may_become_a_class(pool: Pool) -> None:
    """As in our exports by class: so they make a new project."""
    said = [
        {"file_name": "owl/1.png", "verdict": "class", "label": "owl"},
        {"file_name": "frog/2.png", "verdict": "class", "label": "newt"},
    ]
    (group,) = planned(
        pool, zipped([*files("owl/1.png", "frog/2.png"), ("metadata.jsonl", jsonl(*said))])
    )["groups"]
    assert group["labels"] == [{"name": "owl", "count": 1, "known": False}]


def test_a_folder_beside_train_and_test_is_left_out_by_name(pool: Pool) -> None:
    content = zipped(LAYOUTS["beside"])
    plan = planned(pool, content)
    shown = {group["name"]: (group["proposal"], group["count"]) for group in plan["groups"]}
    assert shown == {
        "train": ("pool", 1),
        "test": ("evaluation", 1),
        "samples": ("leave_out", 1),
        "docs": ("leave_out", 1),
    }
    (docs,) = (group for group in plan["groups"] if group["name"] == "docs")
    assert docs["reason"] == "docs/ stands beside test/, train/, and its name says no split"
    assert docs["may_be_class"]
    assert docs["labels"] == [{"name": "cat", "count": 1, "known": True}]
    assert docs["examples"] == ["x/docs/cat/4.png"]
    job = pool.add(content, folder_split={"samples": "pool", "docs": "evaluation"})
    assert job.result is not None, job.error
    assert job.result["by_split"] == {"pool": 2, "evaluation": 2, "auxiliary_ood": 0}
    assert "label" not in pool.examples()[2].meta


def test_what_is_left_out_is_in_the_report_with_its_reason(pool: Pool) -> None:
    job = pool.add(zipped(LAYOUTS["beside"]), folder_split={"docs": "leave_out"})
    report = pool.report(job)
    assert "x/docs/cat/4.png,left_out,docs was to be left out" in report
    assert 'x/samples/3.png,left_out,"samples/ stands beside' in report


def test_a_choice_for_no_folder_names_those_that_there_are(pool: Pool) -> None:
    job = pool.add(zipped(LAYOUTS["beside"]), folder_split={"sample": "pool"})
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "unknown_folder"
    assert "'sample'" in job.error["detail"]
    assert "samples" in job.error["detail"]


def images(count: int) -> list[bytes]:
    return [png(next(SEEDS)) for _ in range(count)]


SPLITS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, int], int]] = {
    "text": ({"split": ["TRAIN", "Train ", "dev", "held-out"]}, {}, {"pool": 2, "eval": 2}, 0),
    "dictionary": (
        {"split": pa.array(["train", "test", "test", None]).dictionary_encode()},
        {},
        {"pool": 2, "eval": 2},
        0,
    ),
    "flag": ({"is_test": [True, False, None, True]}, {}, {"pool": 2, "eval": 2}, 0),
    "named flag": (
        {"is_test": [1, 0, 0, 1]},
        {"columns": {"split": "is_test"}},
        {"pool": 2, "eval": 2},
        0,
    ),
    "fold": ({"fold": [0, 1, 2, 0]}, {"columns": {"split": "fold"}}, {}, 4),
    "chosen fold": (
        {"fold": [0, 1, 2, 0]},
        {
            "columns": {"split": "fold"},
            "folder_split": {"0": "evaluation", "1": "pool", "2": "leave_out"},
        },
        {"pool": 1, "eval": 2},
        0,
    ),
    "number": ({"split": [0, 1, 2, 0]}, {}, {}, 4),
}


@pytest.mark.parametrize("kind", SPLITS)
def test_split_columns_of_any_type(pool: Pool, kind: str) -> None:
    columns, params, counts, refused = SPLITS[kind]
    content = parquet_of({"image": images(4), "label": ["cat", "dog", "cat", "dog"], **columns})
    plan = planned(pool, content, "pool.parquet", **params)
    job = pool.add(content, "pool.parquet", **params)
    assert job.result is not None, job.error
    right = {"pool": counts.get("pool", 0), "evaluation": counts.get("eval", 0), "auxiliary_ood": 0}
    assert (job.result["by_split"], job.result["refused"]) == (right, refused)
    assert (plan["by_split"], plan["refused"]) == (right, refused)
    assert plan["left_out"] == job.result["left_out"]


def test_declared_names_of_a_split_column_are_read(pool: Pool) -> None:
    names = {"split": ["train", "validation"], "label": ["cat", "dog"]}
    content = parquet_of({"image": images(3), "split": [0, 1, 1], "label": [0, 1, 0]}, **names)
    plan = planned(pool, content, "pool.parquet")
    assert plan["by_split"] == {"pool": 1, "evaluation": 2, "auxiliary_ood": 0}
    assert plan["columns"] == {"image": "image", "label": "label", "split": "split"}
    assert pool.add(content, "pool.parquet").result["by_split"] == plan["by_split"]  # type: ignore[index]


def test_unknown_values_cost_their_rows_alone(pool: Pool) -> None:
    content = parquet_of(
        {"image": images(3), "split": ["train", "x", "test"], "label": ["cat"] * 3}
    )
    plan = planned(pool, content, "pool.parquet")
    (group,) = (one for one in plan["groups"] if one["name"] == "x")
    assert group["proposal"] == "leave_out"
    assert group["reason"] == "unknown split 'x'"
    result: Any = pool.add(content, "pool.parquet").result
    assert result["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    (reason,) = result["refused_by_reason"]
    assert reason == f"{group['reason']}; say what it is with folder_split x=SPLIT"
    assert (plan["refused_by_reason"], plan["bad_by_reason"]) == ({reason: 1}, {})


def shown(plan: dict[str, Any]) -> dict[str, int]:
    """How many images go where, as the page adds it up from the groups."""
    sums: Counter[str] = Counter()
    for group in plan["groups"]:
        sums[group["fixed"] or group["proposal"]] += group["count"]
    return sums


def sent(plan: dict[str, Any]) -> dict[str, str]:
    """What the page sends of it, as nobody chooses anything."""
    unsure = (one for one in plan["groups"] if one["reason"] and not one["may_be_class"])
    return {one["name"]: one["proposal"] for one in unsure if one["fixed"] is None}


def test_of_more_values_than_are_shown_the_page_tells_what_becomes(pool: Pool) -> None:
    words = [f"x{number}" for number in range(110)]
    splits = [*words, "train", "Train", "TEST", "out", "out", "long" * 200, None, "x1", "…"]
    columns = {"image": images(len(splits)), "split": splits, "label": ["cat"] * len(splits)}
    content, chosen = parquet_of(columns), {"out": "leave_out"}
    plan = planned(pool, content, "pool.parquet", folder_split=chosen)
    assert len(plan["groups"]) == 105
    more = {one["fixed"]: one["count"] for one in plan["groups"] if one["fixed"]}
    assert more == {"refused": 12, "pool": 2, "evaluation": 1, "left_out": 2}
    sums = shown(plan)
    assert sums == {"leave_out": 101, "refused": 12, "pool": 3, "evaluation": 1, "left_out": 2}
    choices = {**chosen, **sent(plan)}
    result: Any = pool.add(content, "pool.parquet", folder_split=choices).result
    assert result["by_split"] == {"pool": 3, "evaluation": 1, "auxiliary_ood": 0}
    assert (result["left_out"], result["refused"]) == (103, 12)


def test_a_table_of_images_alone_is_planned_without_reading_them(pool: Pool) -> None:
    plan = planned(pool, parquet_of({"image": images(3)}), "pool.parquet")
    assert plan["by_split"] == {"pool": 3, "evaluation": 0, "auxiliary_ood": 0}


def test_columns_that_may_be_labels_are_counted(pool: Pool) -> None:
    content = parquet_of(
        {
            "image": images(4),
            "given": ["cat", "dog", "ood", "frog"],
            "weight": [0.5, 0.25, 0.125, 0.75],
        }
    )
    plan = planned(pool, content, "pool.parquet", annotations=["given"])
    labels = {one["column"]: one for one in plan["labels"]}
    assert labels["given"]["chosen"]
    assert (labels["given"]["readable"], labels["given"]["unreadable"]) == (3, 1)
    assert not labels["weight"]["chosen"]


def test_rows_about_images_that_are_there_are_counted(pool: Pool) -> None:
    content = b"file,label\n1.png,cat\n2.png,\n3.png,frog\n"
    plan = planned(pool, content, "labels.csv", annotations=["label"])
    assert (plan["total"], plan["rows"], plan["groups"]) == (3, 3, [])
    (column,) = plan["labels"]
    assert (column["readable"], column["unreadable"]) == (1, 1)


def test_documents_of_other_tools_are_named(pool: Pool) -> None:
    said = (
        b'{"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 5, "name": "cat"}],'
        b' "annotations": [{"id": 1, "image_id": 1, "category_id": 5}]}'
    )
    plan = planned(pool, zipped([*files("images/a.png"), ("instances.json", said)]))
    assert plan["documents"] == [{"name": "instances.json", "format": "COCO"}]
    (column,) = plan["labels"]
    assert (column["column"], column["readable"], column["stated"]) == ("COCO", 1, True)


def test_what_stays_in_a_bucket_is_planned_without_being_read(bucket: Bucket, pool: Pool) -> None:
    bucket.put(dict(LAYOUTS["beside"]))
    bucket.put({"x/table.csv": b"key,split,label\ntrain/cat/1.png,dev,cat\nnone.png,train,cat\n"})
    plan = result(pool.bucket(f"{bucket.url}/x", dry_run=True))
    found = result(pool.bucket(f"{bucket.url}/x"))
    assert plan["by_split"] == found["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    assert plan["left_out"] == found["left_out"] == 2
    table = {"table": f"{bucket.url}/x/table.csv", "filename": "table.csv"}
    rows = result(pool.bucket(f"{bucket.url}/x", dry_run=True, **table))
    # That an object is missing shows when it is looked up.
    assert rows["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}


def result(job: Job) -> dict[str, Any]:
    assert job.result is not None, job.error
    return job.result


LONG = "a" * 60_000
FIELDS_OF_ITEMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "labels": lambda n: {"label": f"{LONG}{n}"},
    "labels that differ early": lambda n: {"label": f"{n}{LONG}"},
    "short labels": lambda n: {"label": f"label {n}"},
    "values of a split": lambda n: {"split": f"{n}{LONG[:3000]}", "label": f"{n}"},
    "folders": lambda n: {"split": f"{n}{LONG[:3000]}", "unsure": f"{LONG}{n} may be a split"},
    "columns": lambda n: {"annotations": ((f"column {n}", f"{n}{LONG}"), ("one", LONG))},
    "extras": lambda n: {"meta": {f"column {n % 60}": f"{n}" * 300}},
    "people": lambda n: {"said": (Said(f"{n}", Verdict.LABEL, f"{n}{LONG}"),)},
    "refusals": lambda n: {"refused": Refused(f"{n}{LONG}")},
}


@pytest.mark.parametrize("kind", FIELDS_OF_ITEMS)
def test_a_plan_is_short_whatever_it_is_of(kind: str) -> None:
    params = ImportParams(filename="x.zip", split=Split.POOL)
    plan = Plan(params, LabelReader({"cat": 1}, {}), ImageReading())
    splits = ("train", "test", "val", *(f"fold {number}" for number in range(120)))
    tracemalloc.start()
    try:
        for number in range(6000):
            item = {"name": f"{number}.png", "split": splits[number % len(splits)]}
            item |= FIELDS_OF_ITEMS[kind](number)
            plan.add(Item(read=lambda: b"", **item))  # type: ignore[arg-type]
        said = plan.to_json(Nothing())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert said["total"] == 6000
    assert len(json.dumps(said)) < 4 << 20
    assert peak < 64 << 20


def test_of_a_long_label_a_plan_shows_the_beginning() -> None:
    params = ImportParams(filename="x.zip", split=Split.POOL)
    plan = Plan(params, LabelReader({"cat": 1}, {}), ImageReading())
    for label in (LONG, LONG, "cat", "b" * 200):
        plan.add(Item(name="1.png", read=lambda: b"", label=label))
    (group,) = plan.to_json(Nothing())["groups"]
    assert group["labels"] == [
        {"name": f"{'a' * 199}…", "count": 2, "known": False},
        {"name": "b" * 200, "count": 1, "known": False},
        {"name": "cat", "count": 1, "known": True},
    ]


class Nothing(Source):
    """A source that has nothing to say beside its items."""

    total = 0
    values: Mapping[str, Values] = {}

    def items(self, start: int) -> Iterator[Item]:
        return iter([][start:])

    def close(self) -> None:
        pass
