"""Labels from files become annotations, of new images and of those that are there."""

import csv
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import select

from core.jobs.messages import RunJob
from core.rounds import lock_unfinished
from core.states import ExampleState, JobState, ProjectState, RoundState, Source, Verdict
from core.tables import Annotation, Example, Project, Query, Round
from core.verdicts.consensus import lock_examples
from tests.processes import blocks, eventually
from tests.workers.import_files import Pool, parquet_of, png, reasons, zipped
from tests.world import World
from workers.execution.runner import run_job
from workers.imports import handler
from workers.imports.items import Refused
from workers.imports.stated import read_said_of
from workers.labels.snapshot import take


def annotations(world: World, project: Project) -> list[tuple[str, str, str | None, bool]]:
    """(image, verdict, class, whether it was corrected) of every annotation, oldest first."""
    names = {item.id: item.name for item in world.classes(project)}
    rows = world.session.scalars(
        select(Annotation).where(Annotation.project_id == project.id).order_by(Annotation.id)
    ).all()
    corrected = {row.supersedes_id for row in rows}
    return [
        (
            world.session.get_one(Example, row.example_id).name,
            row.verdict.value,
            names.get(row.class_id or 0),
            row.id in corrected,
        )
        for row in rows
    ]


def pool_of(world: World, project: Project) -> Pool:
    return Pool(world.session, world.storage, project)


def label(pool: Pool, table: str, *columns: str, **more: Any) -> dict[str, Any]:
    """Import a CSV; returns the job's result."""
    job = pool.add(table.encode(), "labels.csv", annotations=columns or ("label",), **more)
    assert job.result is not None, job.error
    return job.result


def states(pool: Pool) -> dict[str, str]:
    return {example.name: example.state.value for example in pool.examples()}


@pytest.mark.parametrize("name", ["labels.tsv", "LABELS.TSV"])
def test_a_table_may_be_divided_by_tabs(world: World, name: str) -> None:
    project = world.project(images=2)
    content = b"file\twhat, it is\n0.png\tcat\n1.png\tdog\n"
    job = pool_of(world, project).add(content, name, annotations=["what, it is"])
    assert job.result is not None, job.error
    assert [one[1:3] for one in annotations(world, project)] == [
        ("label", "cat"),
        ("label", "dog"),
    ]


def test_a_table_labels_images_that_are_there(world: World) -> None:
    project = world.project(images=5)
    pool = pool_of(world, project)

    result = label(pool, "file,label\n0.png,cat\n1.png,dog\n2.png,OOD\n3.png,unsure\n4.png,\n")

    assert states(pool) == {
        "0.png": "labeled",
        "1.png": "labeled",
        "2.png": "ood",
        "3.png": "unsure",
        "4.png": "unlabeled",
    }
    assert annotations(world, project) == [
        ("0.png", "label", "cat", False),
        ("1.png", "label", "dog", False),
        ("2.png", "ood", None, False),
        ("3.png", "unsure", None, False),
    ]
    assert (result["labeled"], result["annotations"], result["empty"]) == (4, 4, 1)
    assert (result["duplicates"], result["refused"]) == (0, 0)


def test_numbers_stand_for_the_classes_in_their_order(world: World) -> None:
    project = world.project(images=2)
    pool = pool_of(world, project)
    label(pool, "file,label\n0.png,1\n1.png,0\n")
    assert [row[2] for row in annotations(world, project)] == ["dog", "cat"]


def test_images_are_found_by_id_and_by_hash_too(world: World) -> None:
    project = world.project(images=3)
    pool = pool_of(world, project)
    first, second, third = pool.examples()
    label(pool, f"example_id,label\n{first.id},cat\n")
    label(pool, f"sha256,label\n{second.content_hash.hex().upper()},cat\n")
    label(pool, "picture,label\n2.png,dog\n", columns={"key": "picture"})
    assert set(states(pool).values()) == {"labeled"}
    assert third.name == "2.png"


def test_what_cannot_be_a_label_is_refused_with_the_reason_and_the_rest_goes_in(
    world: World,
) -> None:
    project = world.project(images=2, evaluation=1)
    pool = pool_of(world, project)
    result = label(
        pool, "file,label\n0.png,horse\n0.png,2\nno.png,cat\n2.png,cat\n,cat\n1.png,dog\n"
    )
    assert result["refused"] == 5
    said = [one["reason"] for one in result["refused_examples"] if one["name"] == "0.png"]
    assert "neither a class of the project, nor the number of one (0 to 1)" in said[0]
    assert "there are not only numbers in it ('horse')" in said[1]
    assert reasons(result)["no.png"].startswith("no image of the project has this name;")
    assert "split evaluation" in reasons(result)["2.png"]
    assert [row[:3] for row in annotations(world, project)] == [("1.png", "label", "dog")]


@pytest.mark.parametrize(
    ("table", "columns", "code"),
    [
        (b"file,label\n0.png,cat\n", ("worse",), "invalid_column"),
        (b"picture,label\n0.png,cat\n", ("label",), "invalid_column"),
        (b"file,label\n\xff\xfe,cat\n", ("label",), "invalid_archive"),
        (b"file,label,label\n0.png,cat,dog\n", ("label",), "invalid_column"),
        (b"file,label\n0.png,cat\n", (), "no_annotation_column"),
        (b'file,label\n"0.png,cat\n1.png,dog\n', ("label",), "invalid_archive"),
        (b"\xef\xbb\xbf", ("label",), "invalid_archive"),
        (b"\n", (), "invalid_archive"),
    ],
)
def test_a_table_that_cannot_be_read_fails_as_a_whole(
    world: World, table: bytes, columns: tuple[str, ...], code: str
) -> None:
    project = world.project(images=1)
    job = pool_of(world, project).add(table, "labels.csv", annotations=columns)
    assert job.error is not None
    assert job.error["code"] == code
    if code == "no_annotation_column":
        assert job.error["detail"].endswith("It has: file, label.")
    assert annotations(world, project) == []


@pytest.mark.parametrize("columns", [(), ("label",)])
def test_a_table_of_web_addresses_is_told_that_nothing_is_fetched(
    world: World, columns: tuple[str, ...]
) -> None:
    table = b"url,label\nhttps://example.org/0.png,cat\n"
    job = pool_of(world, world.project(images=1)).add(table, "urls.csv", annotations=columns)
    assert job.error is not None
    assert "from the addresses in 'url'" in job.error["detail"]


def test_an_empty_table_is_told_what_it_needs(world: World) -> None:
    pool = pool_of(world, world.project(images=1))
    for name, needs in (
        ("labels.csv", "labels.csv is empty. It needs a header, such as file,label,"),
        ("labels.jsonl", 'labels.jsonl is empty. It needs a line for each image, such as {"file"'),
    ):
        job = pool.add(b"\n", name, annotations=["label"])
        assert job.error is not None
        assert job.error["detail"].startswith(needs)


def test_a_row_without_an_image_is_told_what_names_look_like(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    assert reasons(label(pool, "file,label\na.png,cat\n")) == {
        "a.png": "the project has no such image; import it first"
    }
    pool.zip({"cat/a.png": png(0), "dog/b.png": png(1)})
    # The same for all rows, so that the report counts them together.
    result = label(pool, "file,label\na.png,cat\ncat/a.png,cat\nb.png,dog\n")
    assert result["refused_by_reason"] == {
        "no image of the project has this name; write the whole path that it was imported with, "
        "such as cat/a.png": 2
    }
    assert reasons(label(pool, f"sha256,label\n{'0' * 64},cat\n")) == {
        "0" * 64: "no image of the project has this sha256"
    }
    assert reasons(label(pool, "example_id,label\n1000000,cat\n")) == {
        "1000000": "no image of the project has this example_id"
    }


def test_several_columns_are_several_votes(world: World) -> None:
    project = world.project(images=2)
    pool = pool_of(world, project)
    label(pool, "file,a,b,c\n0.png,dog,cat,cat\n1.png,ood,cat,\n", "a", "b", "c")
    snapshot = take(world.session, project.id, None)
    # Two of three say cat; of the tie the first column decides.
    assert snapshot.labels.outputs(-1).tolist() == [0, -1]
    assert states(pool) == {"0.png": "labeled", "1.png": "ood"}
    first = pool.examples()[0]
    assert first.label_class_id == world.classes(project)[0].id


def test_the_same_again_adds_nothing_and_a_change_corrects(world: World) -> None:
    project = world.project(images=2)
    pool = pool_of(world, project)
    label(pool, "file,label\n0.png,cat\n1.png,cat\n")
    again = label(pool, "file,label\n0.png,cat\n1.png,dog\n")
    assert (again["labeled"], again["unchanged"], again["annotations"]) == (1, 1, 1)
    assert annotations(world, project) == [
        ("0.png", "label", "cat", False),
        ("1.png", "label", "cat", True),
        ("1.png", "label", "dog", False),
    ]
    assert take(world.session, project.id, None).labels.classes.tolist() == [0, 1]


OUTCOMES = ("added", "labeled", "unchanged", "empty", "duplicates", "refused")


def test_each_row_ends_in_one_count(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project(images=3)
    pool = pool_of(world, project)
    label(pool, "file,label\n0.png,cat\n")
    table = "0.png,cat\n1.png,dog\n1.png,dog\n1.png,cat\n2.png,\n2.png,horse\n0.png, \n"

    job = pool.add(f"file,label\n{table}".encode(), "labels.csv", annotations=["label"])

    assert job.result is not None, job.error
    counts = {name: job.result[name] for name in OUTCOMES}
    assert counts == {
        "added": 0, "labeled": 2, "unchanged": 2, "empty": 2, "duplicates": 0, "refused": 1,
    }  # fmt: skip
    assert job.result["total"] == sum(counts.values())
    report = csv.reader(pool.report(job).splitlines()[1:])
    assert [line[:2] for line in report] == [
        ["0.png", "unchanged"],
        ["1.png", "labeled"],
        ["1.png", "unchanged"],
        ["1.png", "labeled"],
        ["2.png", "empty"],
        ["2.png", "refused"],
        ["0.png", "empty"],
    ]
    # The same file is counted alike wherever its batches end.
    other = world.project(images=3)
    monkeypatch.setattr("workers.imports.batch._MOST_ITEMS", 1)
    label(pool_of(world, other), "file,label\n0.png,cat\n")
    alone = label(pool_of(world, other), f"file,label\n{table}")
    assert {name: alone[name] for name in OUTCOMES} == counts


def test_an_image_that_comes_again_with_labels_that_are_known_is_there_already(
    world: World,
) -> None:
    project = world.project()
    pool = pool_of(world, project)
    rows = [{"image": png(seed), "worse": "cat"} for seed in range(2)]
    pool.add(parquet_of(rows), "pool.parquet", annotations=["worse"])
    rows[1]["worse"] = "dog"
    again = pool.add(parquet_of(rows), "pool.parquet", annotations=["worse"])
    assert again.result is not None, again.error
    assert (again.result["duplicates"], again.result["labeled"], again.result["total"]) == (1, 1, 2)


def test_images_come_with_their_labels(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    rows = [
        {"image": png(0), "class_name": "cat", "label": 0, "worse": 1, "file": "a.png"},
        {"image": png(1), "class_name": "dog", "label": 1, "worse": 1, "file": "b.png"},
        {"image": png(0), "class_name": "cat", "label": 0, "worse": 0, "file": "twin.png"},
    ]
    job = pool.add(parquet_of(rows), "pool.parquet", annotations=["worse"])
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["labeled"]) == (2, 1)
    # The twin is the same image, and what is said of it later holds.
    assert [example.label_class_id for example in pool.examples()] == [
        item.id for item in world.classes(project)
    ]
    # What they came with is the truth, and nobody's verdict.
    assert [example.meta["label"] for example in pool.examples()] == ["cat", "dog"]


def test_a_parquet_file_without_images_labels_those_that_are_there(world: World) -> None:
    project = world.project(images=4)
    pool = pool_of(world, project)
    table = {
        "file": [*(f"{index}.png" for index in range(4)), "no.png"],
        # The file names the numbers of one column, and the other has gaps.
        "worse": [1, 0, 1, 0, 1],
        "expert": pa.array(["cat", None, "ood", "cat", "cat"]).dictionary_encode(),
        "score": [0.5] * 5,
    }
    content = parquet_of(table, 2, worse=["cat", "dog"])

    job = pool.add(content, "labels.parquet", annotations=["worse", "expert"])

    assert job.result is not None, job.error
    counts = {key: job.result[key] for key in ("added", "labeled", "annotations", "refused")}
    assert counts == {"added": 0, "labeled": 4, "annotations": 7, "refused": 1}
    assert reasons(job.result).keys() == {"no.png"}
    said = select(Annotation).where(Annotation.project_id == project.id).order_by(Annotation.id)
    by_column = {
        (pool.examples().index(world.session.get_one(Example, one.example_id)), one.source_name): (
            one.class_id
        )
        for one in world.session.scalars(said)
    }
    cat, dog = (one.id for one in world.classes(project))
    assert by_column == {
        (0, "worse"): dog, (1, "worse"): cat, (2, "worse"): dog, (3, "worse"): cat,
        (0, "expert"): cat, (2, "expert"): None, (3, "expert"): cat,
    }  # fmt: skip
    # Of two that contradict each other the first column decides.
    assert take(world.session, project.id, None).labels.classes.tolist() == [1, 0, 1, 0]
    # The same again, with one change, is one correction.
    again = pool.add(
        parquet_of([{"file": "0.png", "worse": "dog", "expert": "dog"}]),
        "labels.parquet",
        annotations=["worse", "expert"],
    )
    assert again.result is not None, again.error
    assert again.result["annotations"] == 1


def test_folders_may_be_labels(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    archive = zipped([("cat/a.png", png(0)), ("dog/b.png", png(1))])
    job = pool.add(archive, annotations=["label"])
    assert job.result is not None, job.error
    assert [row[2] for row in annotations(world, project)] == ["cat", "dog"]
    assert all("label" not in example.meta for example in pool.examples())


def test_a_column_that_no_metadata_has_is_refused(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    table = b"file_name,crowd\na.png,cat\nb.png,\n"
    for name in ("crow", "noisy"):
        archive = zipped([("a.png", png(0)), ("b.png", png(1)), ("metadata.csv", table)])
        job = pool.add(archive, annotations=["crowd", name])
        assert job.error is not None
        assert job.error["code"] == "invalid_column"
        assert job.error["detail"].endswith(f"column {name!r}. It has: label, crowd.")
    assert pool.examples() == []
    job = pool.add(zipped([("a.png", png(0))]), annotations=["crowd"])
    assert job.error is not None
    assert "It has: label." in job.error["detail"]


def test_a_label_takes_its_image_out_of_the_queue_and_an_empty_queue_closes_the_round(
    world: World,
) -> None:
    project = world.project(images=3, state=ProjectState.RUNNING)
    pool = pool_of(world, project)
    round_ = world.open_round(project, 2)

    label(pool, "file,label\n0.png,cat\n")
    world.session.expire_all()
    done = world.session.scalars(select(Query.done).order_by(Query.rank)).all()
    assert done == [True, False]
    assert world.session.get_one(Round, round_.id).state is RoundState.OPEN

    label(pool, "file,label\n1.png,dog\n")
    world.session.expire_all()
    closed = world.session.get_one(Round, round_.id)
    assert closed.state is RoundState.CLOSING
    assert closed.job_id is not None
    # Imported labels cost nothing.
    assert closed.spent == 0


def test_provenance_is_kept(world: World) -> None:
    project = world.project(images=1)
    pool = pool_of(world, project)
    job = pool.add(b"file,crowd\n0.png,cat\n", "labels.csv", annotations=["crowd"])
    (row,) = world.session.scalars(select(Annotation)).all()
    assert (row.source, row.source_name, row.job_id) == (Source.IMPORT, "crowd", job.id)
    assert (row.annotator_id, row.query_id, row.round_id) == (None, None, None)
    assert row.verdict is Verdict.LABEL
    assert pool.examples()[0].state is ExampleState.LABELED


def test_numbers_with_a_point_are_numbers_and_absurd_ones_are_refused(world: World) -> None:
    project = world.project(images=3)
    pool = pool_of(world, project)
    table = f"file,label\n0.png,1.0\n1.png,0.5\n2.png,{'9' * 5000}\n"
    assert label(pool, table)["refused"] == 3
    assert label(pool, table, count_from=0)["refused"] == 2
    assert [row[2] for row in annotations(world, project)] == ["dog"]
    label(pool, "file,label\n1.png,1.0\n2.png,0.0\n")
    assert [row[2] for row in annotations(world, project)] == ["dog", "dog", "cat"]


def test_where_classes_are_named_by_numbers_a_number_is_a_name(world: World) -> None:
    project = world.project(images=2, classes=("1", "2"))
    pool = pool_of(world, project)
    result = label(pool, "file,label\n0.png,1\n1.png,0\n")
    assert [row[2] for row in annotations(world, project)] == ["1"]
    assert "neither a class" in reasons(result)["1.png"]


def test_gaps_in_a_column_of_floats_say_nothing(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    content = parquet_of({"image": [png(0), png(1)], "worse": pa.array([0.0, float("nan")])})
    job = pool.add(content, "pool.parquet", annotations=["worse"])
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"]) == (2, 1)
    assert [row[2] for row in annotations(world, project)] == ["cat"]


def test_images_are_no_labels(world: World) -> None:
    project = world.project()
    rows = [{"image": png(0), "label": "cat"}]
    job = pool_of(world, project).add(parquet_of(rows), "pool.parquet", annotations=["image"])
    assert job.error is not None
    assert job.error["code"] == "invalid_column"


def test_evaluation_images_beside_the_pool_keep_their_labels(world: World) -> None:
    project = world.project()
    pool = pool_of(world, project)
    archive = zipped([("train/cat/a.png", png(0)), ("test/dog/b.png", png(1))])
    job = pool.add(archive, annotations=["label"])
    assert job.result is not None, job.error
    assert job.result["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    assert [row[:3] for row in annotations(world, project)] == [("train/cat/a.png", "label", "cat")]


def test_lost_originals_that_come_back_with_labels_wait_for_answers(world: World) -> None:
    project, session = world.project(), world.session
    pool = pool_of(world, project)
    archive = zipped([("cat/a.png", png(0))])
    pool.add(archive)
    world.open_round(project, 1)
    (example,) = pool.examples()
    pool.storage.image(example.content_hash).unlink()
    job = pool.queue(archive, annotations=["label"])
    message = RunJob.of(job)
    # As answers do: the round, and then the image.
    session.execute(lock_unfinished(project.id))
    with ThreadPoolExecutor(1) as threads:
        imported = threads.submit(run_job, message, handler)
        eventually(lambda: blocks(session), "the import waits for the answer")
        session.execute(lock_examples(Example.project_id == project.id))
        session.commit()
        imported.result()
    session.refresh(job)
    assert (job.state, job.error) == (JobState.SUCCEEDED, None)
    assert [row[2] for row in annotations(world, project)] == ["cat"]


def test_what_a_model_has_labeled_does_not_come_back_as_a_vote(world: World) -> None:
    project = world.project(images=3)
    pool = pool_of(world, project)
    votes = [{"annotator": who, "verdict": "class", "class": "cat"} for who in ("model", "Ada")]
    given: list[tuple[dict[str, Any], list[str]]] = [
        ({"label_source": "model", "verdict": "class", "votes": votes}, ["Ada"]),
        # Whoever else is called so is somebody.
        ({"label_source": "person", "votes": votes}, ["model", "Ada"]),
        ({"label_source": "model", "verdict": "class", "class": "cat"}, []),
    ]
    for fields, authors in given:
        said = read_said_of(fields)
        assert not isinstance(said, Refused)
        assert [one.source_name for one in said] == authors
    table = "file,verdict,class,source,annotator\n"
    rows = "0.png,class,cat,model,model\n1.png,class,cat,annotator,Ada\n2.png,ood,,import,model\n"
    job = pool.add((table + rows).encode(), "labels.csv")
    assert job.error is None
    assert annotations(world, project) == [
        ("1.png", "label", "cat", False),
        ("2.png", "ood", None, False),
    ]
