"""What models predict comes in beside labels: stored by model, and nobody's label."""

import json
from typing import Any

import pytest
from sqlalchemy import select

from core.states import ExampleState, Split
from core.tables import Annotation, Example, Job, Prediction, ProjectClass
from tests.workers.box_files import BoxPool, coco, cvat, image, packed, rectangle, task
from tests.workers.import_files import Pool, jsonl, png, zipped

YAML = "names: [dog, cat]\n"
BOX: dict[str, Any] = {"bbox": [10, 20, 20, 24], "score": 0.75}
RESULT = {"image_id": 1, "category_id": 9, **BOX}


def stored(pool: Pool, names: dict[int, str]) -> dict[str, dict[str, list[Any]]]:
    """By name of the image and by model: class, sides if it has some, and score."""
    pool.session.expire_all()
    statement = (
        select(Example.name, Prediction.model, Prediction.proposals)
        .join(Prediction, Prediction.example_id == Example.id)
        .where(Prediction.project_id == pool.project_id)
        .order_by(Example.pool_index, Prediction.model)
    )
    found: dict[str, dict[str, list[Any]]] = {}
    for name, model, proposals in pool.session.execute(statement):
        found.setdefault(name, {})[model] = [
            (names[one["class_id"]], *(one[side] for side in "xywh" if side in one), one["score"])
            for one in proposals
        ]
    return found


def annotations(pool: Pool) -> int:
    mine = select(Annotation).where(Annotation.project_id == pool.project_id)
    return len(pool.session.scalars(mine).all())


def ls_task(**prediction: Any) -> str:
    """A task that somebody has annotated with nothing, and of which a model predicts a box."""
    (found,) = json.loads(task([]))
    region = {"id": "p", "type": "rectanglelabels", "original_width": 64, "original_height": 48}
    result = [{**region, **rectangle(15.625, 41.666666666666664, 31.25, 50)}]
    found["predictions"] = [{"model_version": "v7", "result": result, **prediction}]
    return json.dumps([found])


@pytest.mark.parametrize(
    ("files", "model", "score"),
    [
        ({"x.json": coco([{**BOX, "attributes": {"colour": "red"}, "track": 7}])}, "mine", 0.75),
        ({"x.json": coco([]), "preds.json": json.dumps([RESULT])}, "mine", 0.75),
        ({"images/a.jpg": "", "labels/a.txt": "1 .3125 .66666667 .3125 .5 .75", "d.yaml": YAML},
         "mine", 0.75),
        ({"t.json": ls_task(score=0.75)}, "mine", 0.75),
        ({"b.xml": cvat('<box label="cat" occluded="0" xtl="10" ytl="20" xbr="30" ybr="44"/>')},
         "mine", 1.0),
    ],
)  # fmt: skip
def test_every_format_of_boxes_brings_predictions(
    boxes: BoxPool, files: dict[str, str], model: str, score: float
) -> None:
    name = "images/a.jpg" if "images/a.jpg" in files else "a.jpg"
    result = boxes.send({**files, name: image(1)}, predictions=model)
    assert (result["added"], result["predictions"], result["annotations"]) == (1, 1, 0)
    ((cls, *sides, found),) = stored(boxes, boxes.names)[name][model]
    assert (cls, found) == ("cat", score)
    assert sides == pytest.approx([10, 20, 20, 24], abs=1e-6)
    ((predicted,),) = boxes.session.scalars(select(Prediction.proposals)).all()
    said = {"colour": "red", "track": 7} if "x.json" in files and len(files) == 1 else None
    assert predicted.get("attributes") == said
    (example,) = boxes.examples()
    assert (example.state, example.label, annotations(boxes)) == (ExampleState.UNLABELED, None, 0)


def test_files_that_tell_the_two_apart_bring_both(boxes: BoxPool) -> None:
    # An annotation without a result says that there is nothing; the prediction is another's.
    result = boxes.send({"t.json": ls_task(score=0.5), "a.jpg": image(1)})
    assert (result["predictions"], result["annotations"]) == (1, 1)
    assert boxes.sides() == {"a.jpg": []}
    document = {"x.json": coco([{"bbox": [1, 2, 3, 4]}]), "preds.json": json.dumps([RESULT])}
    result = boxes.send({**document, "a.jpg": image(1)})
    assert (result["predictions"], result["annotations"]) == (1, 1)
    assert set(stored(boxes, boxes.names)["a.jpg"]) == {"v7", "preds"}
    # Told that all of it is a model's, the document only says what its numbers stand for.
    images: list[dict[str, Any]] = [
        {"id": number, "file_name": f"{letter}.jpg", "width": 64, "height": 48}
        for number, letter in enumerate("ab", 1)
    ]
    drawn: list[dict[str, Any]] = [
        {"bbox": [1, 2, 3, 4]},
        {"bbox": [1, 2, 3, 4], "image_id": 2},
    ]
    files = {"x.json": coco(drawn, images), "r.json": json.dumps([RESULT])}
    result = boxes.send({**files, "b.jpg": image(2)}, predictions="mine")
    assert (result["added"], result["predictions"], result["annotations"]) == (1, 1, 0)
    assert "b.jpg" not in stored(boxes, boxes.names)


MASK = {"id": "m", "type": "brushlabels", "value": {"format": "rle", "brushlabels": ["cat"]}}


@pytest.mark.parametrize(
    "files",
    [
        {"t.json": ls_task(result=[MASK])},
        {"x.json": coco([{"bbox": BOX["bbox"]}]), "r.json": json.dumps([{**RESULT, "bbox": [1]}])},
    ],
)
def test_a_prediction_that_cannot_be_read_costs_no_label(
    boxes: BoxPool, files: dict[str, str]
) -> None:
    result = boxes.send({**files, "a.jpg": image(1)})
    assert (result["added"], result["predictions"], result["annotations"]) == (1, 0, 1)
    (noted,) = result["noted"]
    assert noted.startswith("a prediction is left aside: ")


@pytest.mark.parametrize("alone", [False, True])
def test_what_people_answered_in_a_task_is_no_models(boxes: BoxPool, alone: bool) -> None:
    answered = task([rectangle(15.625, 41.666666666666664, 31.25, 50)])
    if alone:
        boxes.send({"a.jpg": image(1)})
        result = boxes.result(boxes.add(answered.encode(), "t.json", predictions="mine"))
    else:
        result = boxes.send({"t.json": answered, "a.jpg": image(1)}, predictions="mine")
    assert (result["predictions"], result["annotations"], result["refused"]) == (0, 0, 0)


def test_one_of_several_predictions_under_one_name_is_taken(boxes: BoxPool) -> None:
    (found,) = json.loads(ls_task(score=0.75))
    found["predictions"].append({**found["predictions"][0], "model_version": "v8", "score": 0.5})
    sent: dict[str, bytes | str] = {"t.json": json.dumps([found]), "a.jpg": image(1)}
    result = boxes.send(sent, predictions="mine")
    another = "a prediction is left aside: another of the same image and model comes before it"
    assert (result["predictions"], result["noted"]) == (1, {another: 1})
    ((*_, score),) = stored(boxes, boxes.names)["a.jpg"]["mine"]
    assert score == 0.75
    job = boxes.add(packed(sent), "pool.zip", predictions="mine", dry_run=True)
    (told,) = boxes.result(job)["predictions"]
    assert (told["readable"], told["left_aside"]) == (1, {another: 1})


def test_predictions_of_images_that_are_there_replace_those_before(boxes: BoxPool) -> None:
    boxes.send({"a.jpg": image(1), "b.jpg": image(2)})
    sent = {"x.json": coco([BOX, {**BOX, "bbox": [1, 1, 5, 5], "score": 0.9}])}
    first = boxes.send(sent, predictions="mine")
    assert (first["predicted"], first["predictions"], first["added"]) == (1, 1, 0)
    assert [one[-1] for one in stored(boxes, boxes.names)["a.jpg"]["mine"]] == [0.9, 0.75]
    again = boxes.send(sent, predictions="mine")
    assert (again["predicted"], again["predictions"], again["unchanged"]) == (0, 0, 1)
    boxes.send({"x.json": coco([BOX])}, predictions="mine")
    assert [one[-1] for one in stored(boxes, boxes.names)["a.jpg"]["mine"]] == [0.75]


def test_what_cannot_be_suggested_is_left_aside_alone(boxes: BoxPool) -> None:
    wrong: list[dict[str, Any]] = [
        {**BOX, "category_id": 11},
        {**BOX, "score": 87},
        {**BOX, "bbox": [70, 2, 3, 4]},
        {**BOX, "bbox": [1, 2, 0, 4]},
    ]
    categories = [{"id": 9, "name": "cat"}, {"id": 11, "name": "zebra"}]
    document = coco([*wrong, BOX], categories=categories)
    result = boxes.send({"x.json": document, "a.jpg": image(1)}, predictions="mine")
    assert result["predictions"] == 1
    assert len(stored(boxes, boxes.names)["a.jpg"]["mine"]) == 1
    said = "\n".join(result["noted"])
    for reason in ("is of 'zebra'", "has a score of '87'", "lies outside", "has no width"):
        assert f"a prediction is left aside: it {reason}" in said
    nothing = boxes.send({"x.json": coco(wrong[:1], categories=categories)}, predictions="mine")
    assert (nothing["refused"], nothing["predictions"]) == (1, 0)


def test_boxes_in_a_cell_are_of_the_image_beside_them(boxes: BoxPool) -> None:
    sides = {"class": "cat", "x": 1, "y": 2, "w": 3, "h": 4, "score": 0.5}
    row = {"file_name": "a.jpg", "found": json.dumps([sides, {**sides, "x": 64}])}
    files: dict[str, bytes | str] = {"metadata.jsonl": json.dumps(row), "a.jpg": image(1)}
    result = boxes.send(files, predictions="mine", annotations=["found"])
    assert result["predictions"] == 1
    assert stored(boxes, boxes.names)["a.jpg"]["mine"] == [("cat", 1, 2, 3, 4, 0.5)]


def test_scores_are_no_labels_without_a_model(boxes: BoxPool) -> None:
    result = boxes.send({"x.json": coco([BOX]), "a.jpg": image(1)})
    assert (result["predictions"], result["annotations"]) == (0, 0)
    assert "Import the file as predictions of that model" in boxes.why()["a.jpg"]
    alone = boxes.add(json.dumps([RESULT]).encode(), "r.json", predictions="mine")
    assert alone.error is not None
    assert "send it in a zip with the one document" in alone.error["detail"]


def test_a_prediction_is_no_truth(boxes: BoxPool) -> None:
    result = boxes.send(
        {"x.json": coco([BOX]), "a.jpg": image(1)}, predictions="mine", split=Split.EVALUATION
    )
    assert (result["added"], result["refused"], result["predictions"]) == (0, 1, 0)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "metadata"])
def test_classes_come_from_a_column(pool: Pool, kind: str) -> None:
    pool.zip({f"{letter}.png": png(seed) for seed, letter in enumerate("abcd")})
    rows: list[dict[str, Any]] = [
        {"file_name": "a.png", "predicted": "cat", "sure": 0.9},
        {"file_name": "b.png", "predicted": "dog", "sure": None},
        {"file_name": "c.png", "predicted": "ood", "sure": 0.5},
        {"file_name": "d.png", "predicted": "cat", "sure": 93},
    ]
    content, filename = jsonl(*rows), f"p.{kind}"
    if kind == "csv":
        lines = [",".join("" if v is None else str(v) for v in row.values()) for row in rows]
        content = "\n".join(["file_name,predicted,sure", *lines]).encode()
    if kind == "metadata":
        images = ((f"{letter}.png", png(seed)) for seed, letter in enumerate("abcd"))
        content, filename = zipped([("metadata.jsonl", content), *images]), "p.zip"
    params: dict[str, Any] = {
        "predictions": "m",
        "annotations": ["predicted"],
        "columns": {"probability": "sure"},
    }
    plan = planned(pool, content, filename, **params)
    job = pool.add(content, filename, **params)
    assert job.result is not None, job.error
    names = {one: name for name, one in classes(pool).items()}
    expected = {"a.png": {"m": [("cat", 0.9)]}, "b.png": {"m": [("dog", None)]}}
    assert stored(pool, names) == expected
    assert (job.result["predictions"], job.result["annotations"], annotations(pool)) == (2, 0, 0)
    (told,) = plan["predictions"]
    assert (told["model"], told["readable"], plan["predictions_of"]) == ("m", 2, "m")
    assert sum(told["left_aside"].values()) == 2
    assert plan["labels"] == [] or not any(one["readable"] for one in plan["labels"])


def planned(pool: Pool, content: bytes, filename: str, **params: Any) -> dict[str, Any]:
    result = pool.add(content, filename, **params, dry_run=True).result
    assert result is not None
    return result


def classes(pool: Pool) -> dict[str, int]:
    mine = select(ProjectClass.name, ProjectClass.id).where(
        ProjectClass.project_id == pool.project_id
    )
    return dict(pool.session.execute(mine).all())


def test_classes_of_texts_come_with_them(texts: Pool) -> None:
    rows = [{"text": "It purrs.", "llm": "cat", "p": "0.8"}, {"text": "It barks.", "llm": "dog"}]
    job: Job = texts.add(
        jsonl(*rows),
        "t.jsonl",
        predictions="llm-1",
        annotations=["llm"],
        columns={"probability": "p"},
    )
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["predictions"], annotations(texts)) == (2, 2, 0)
    names = {one: name for name, one in classes(texts).items()}
    found = [one["llm-1"] for one in stored(texts, names).values()]
    assert found == [[("cat", 0.8)], [("dog", None)]]


def test_a_predicted_column_is_no_truth_and_no_verdict_beside_it(texts: Pool) -> None:
    rows = [
        {"text": "It purrs.", "label": "cat", "split": "evaluation"},
        {"text": "It barks.", "label": None, "verdict": "class", "class": "dog"},
    ]
    params: dict[str, Any] = {"predictions": "llm-1", "annotations": ["label"]}
    job = texts.add(jsonl(*rows), "t.jsonl", **params)
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["refused"], job.result["predictions"]) == (1, 1, 0)
    (example,) = texts.examples()
    assert (example.label, example.split, annotations(texts)) == (None, Split.POOL, 0)


def choice(*names: str) -> list[dict[str, Any]]:
    value = {"choices": [*names]}
    return [{"type": "choices", "from_name": "verdict", "to_name": "text", "value": value}]


def test_what_a_task_predicts_that_is_no_class_is_told(texts: Pool) -> None:
    said = [{"result": choice("dog"), "completed_by": 3}]
    tasks = [
        {
            "data": {"text": f"It purrs {number}."},
            "annotations": said,
            "predictions": [{"model_version": "v7", "result": result}],
        }
        for number, result in enumerate([choice("cat", "dog"), choice("ood"), []])
    ]
    job = texts.add(json.dumps(tasks).encode(), "t.json")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["annotations"], job.result["predictions"]) == (3, 3, 0)
    assert job.result["noted"] == {
        "a prediction is left aside: an annotation has several choices (cat, dog); a text has one "
        "class": 1,
        "a prediction is left aside: v7 says ood, and only classes are suggested": 1,
    }


def test_what_people_answered_about_a_text_is_no_models(texts: Pool) -> None:
    tasks = [{"data": {"text": "It purrs."}, "annotations": [{"result": choice("cat")}]}]
    job = texts.add(json.dumps(tasks).encode(), "t.json", predictions="mine")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["predictions"], annotations(texts)) == (1, 0, 0)
