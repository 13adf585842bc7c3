"""What stands beside the images of an archive: Karat's own metadata, Label Studio's, COCO's."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote

from api.exports.part import Part
from api.exports.records import Imported, Prediction, Record
from api.exports.votes import Vote
from api.exports.xml import xml_attribute
from api.exports.zips import Spool
from core.states import Split, Verdict

_NOTE: Final = "note"
"""Label Studio's control that holds notes."""
OUR_CONTROLS: Final = frozenset({"boxes", "class", "verdict", "image", _NOTE})
"""What is called so in the interface, and can be nothing else there."""
_CONTROLS: Final = {Verdict.OOD: "OOD", Verdict.UNSURE: "unsure"}


class Document(Protocol):
    """Grows with every image."""

    @property
    def name(self) -> str:
        """Its path in the archive."""
        ...

    def begin(self) -> str:
        """What it begins with."""
        ...

    def add(self, record: Record, path: str) -> str:
        """What it says of an image, whose file is at ``path``, or of a text, which is ``path``."""
        ...

    def end(self) -> Iterator[bytes]:
        """What it ends with."""
        ...

    def close(self) -> None:
        """Remove what it kept."""
        ...


def dumped(value: Any) -> str:
    """``value`` as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class Metadata:
    """``metadata.jsonl``, as Hugging Face reads it beside folders of images."""

    name = "metadata.jsonl"

    def begin(self) -> str:
        return ""

    def add(self, record: Record, path: str) -> str:
        # As text: to Hugging Face a member is of one type in all lines, whoever has written it.
        stated = {**record.stated(), "meta": dumped(record.meta)}
        return dumped({"file_name": path, **stated}) + "\n"

    def end(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        """It kept nothing."""


class LabelStudio:
    """An array of tasks. A skip is ``was_cancelled``; OOD and unsure have a control of their own.

    A note is in a text area.

    Args:
        address: Where Label Studio finds an image, by its path in the archive.
        classes: Names of the project's classes by their ids.
        shows: What it shows: ``image``, or ``text``, which is in the task itself.
    """

    name = "label-studio.json"

    def __init__(
        self,
        address: Callable[[Record, str], str],
        classes: Mapping[int, str],
        shows: Literal["image", "text"] = "image",
    ) -> None:
        self._address = address
        self._classes = classes
        self._shows = shows
        self._is_first = True

    def begin(self) -> str:
        return "["

    def add(self, record: Record, path: str) -> str:
        comma, self._is_first = "" if self._is_first else ",", False
        return f"{comma}\n{dumped(self._task(record, path))}"

    def end(self) -> Iterator[bytes]:
        yield b"\n]\n"

    def close(self) -> None:
        """It kept nothing."""

    def _task(self, record: Record, path: str) -> dict[str, Any]:
        is_truth = record.split is Split.EVALUATION and record.class_name is not None
        predicted = record.prediction
        return {
            "id": record.example_id,
            "data": {
                self._shows: self._address(record, path),
                "name": record.name,
                "sha256": record.content_hash.hex(),
                "split": record.split.value,
                **record.provenance(),
            },
            "meta": record.meta,
            "annotations": [
                *([self._truth(record)] if is_truth else []),
                *(self._annotation(record, vote) for vote in record.votes),
            ],
            "predictions": [
                *([] if predicted is None else [self._predicted(predicted)]),
                *(
                    {"model_version": one.model, **self._imported(record, one)}
                    for one in record.imported
                ),
            ],
        }

    def _predicted(self, predicted: Prediction) -> dict[str, Any]:
        return {
            "model_version": predicted.model_version,
            "score": predicted.probability,
            "result": [self._choice("class", predicted.class_name)],
        }

    def _imported(self, record: Record, one: Imported) -> dict[str, Any]:  # noqa: ARG002
        """What a model predicts whose predictions were imported."""
        found = next((each for each in one.proposals if each["class_id"] in self._classes), None)
        if found is None:
            return {"result": []}
        choice = self._choice("class", self._classes[found["class_id"]])
        return {"score": found["score"], "result": [choice]}

    def _truth(self, record: Record) -> dict[str, Any]:
        return {
            "annotator": "evaluation",
            "result": [self._choice("class", record.class_name or "")],
            "was_cancelled": False,
            "ground_truth": True,
        }

    def _annotation(self, record: Record, vote: Vote) -> dict[str, Any]:
        is_skip = vote.verdict is Verdict.SKIP
        return {
            "id": vote.annotation_id,
            "annotator": vote.annotator,
            # Label Studio refuses authors that it does not know, so only people are named here.
            **({"completed_by": {"email": vote.email}} if vote.email else {}),
            "result": [
                *([] if is_skip else self._results(record, vote)),
                *([] if vote.note is None else [self._text(_NOTE, vote.note)]),
            ],
            "was_cancelled": is_skip,
            "ground_truth": False,
            "created_at": vote.created_at.isoformat(),
            "lead_time": vote.seconds,
        }

    def _results(self, record: Record, vote: Vote) -> list[dict[str, Any]]:  # noqa: ARG002
        """What somebody says who does not skip."""
        if vote.verdict is Verdict.LABEL:
            return [self._choice("class", vote.class_name or "")]
        return [self._choice("verdict", _CONTROLS.get(vote.verdict, ""))]

    def _choice(self, control: str, choice: str) -> dict[str, Any]:
        return {
            "from_name": control,
            "to_name": self._shows,
            "type": "choices",
            "value": {"choices": [choice]},
        }

    def _text(self, control: str, text: str) -> dict[str, Any]:
        return {
            "from_name": control,
            "to_name": self._shows,
            "type": "textarea",
            "value": {"text": [text]},
        }


def in_local_files(folder: str) -> Callable[[Record, str], str]:
    """Addresses of images that lie in ``folder`` below the root of Label Studio's local files."""
    return lambda _, path: f"/data/local-files/?d={quote(f'{folder}/{path}')}"


def labeling_config(
    class_names: Sequence[str],
    shows: Literal["image", "text"] = "image",
    *,
    boxes: bool = False,
    of_regions: Mapping[str, str] | None = None,
) -> str:
    """The labeling interface that the tasks are for.

    Args:
        class_names: Of the project.
        shows: As for ``LabelStudio``.
        boxes: Whether labels are boxes.
        of_regions: What else is asked of each box: kinds of controls by their names.
    """
    names = map(xml_attribute, class_names)
    choice = "Label" if boxes else "Choice"
    choices = "".join(f"    <{choice} value={name}/>\n" for name in names)
    control = (
        f'  <RectangleLabels name="boxes" toName="{shows}">\n{choices}  </RectangleLabels>\n'
        if boxes
        else f'  <Choices name="class" toName="{shows}" choice="single">\n{choices}  </Choices>\n'
    )
    verdicts = "".join(f'    <Choice value="{name}"/>\n' for name in _CONTROLS.values())
    return (
        f'<View>\n  <{shows.capitalize()} name="{shows}" value="${shows}"/>\n'
        f"{control}"
        f'  <Choices name="verdict" toName="{shows}" choice="single">\n{verdicts}  </Choices>\n'
        f'  <TextArea name="{_NOTE}" toName="{shows}" maxSubmissions="1"/>\n'
        f"{''.join(_of_region(*one) for one in (of_regions or {}).items())}"
        "</View>\n"
    )


def _of_region(name: str, kind: str) -> str:
    named = xml_attribute(name)
    of_each = f'name={named} toName="image" perRegion="true"'
    if kind == "choices":
        choices = "".join(f'    <Choice value="{one}"/>\n' for one in ("true", "false"))
        return f"  <Choices {of_each}>\n{choices}  </Choices>\n"
    return f"  <Number {of_each}/>\n" if kind == "number" else f"  <TextArea {of_each}/>\n"


class Doccano:
    """A line of JSON for each text, as doccano reads it; OOD and unsure stand among the labels."""

    name = "doccano.jsonl"

    def begin(self) -> str:
        return ""

    def add(self, record: Record, path: str) -> str:
        label = record.class_name or _CONTROLS.get(record.verdict or Verdict.SKIP)
        said = {
            "id": record.example_id,
            "text": path,
            "label": [] if label is None else [label],
            "name": record.name,
            "split": record.split.value,
            **record.provenance(),
            "meta": record.meta,
        }
        return dumped(said) + "\n"

    def end(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        """It kept nothing."""


class CocoTables(ABC):
    """COCO's tables. Lists follow the images, each kept on disk until those have left.

    Args:
        classes: Names of the categories, which are numbered from 1.
        lists: Names of the lists.
        part: What the images are of; None if they are all.
    """

    name = "annotations.json"

    def __init__(
        self, classes: Iterable[str], lists: Sequence[str], part: Part | None = None
    ) -> None:
        """Nothing yet."""
        self._part = part
        self._categories = list(classes)
        self._lists = {name: Spool() for name in lists}
        self._is_first = True

    def begin(self) -> str:
        """Everything before the images."""
        categories = [
            {"id": number, "name": name, "supercategory": ""}
            for number, name in enumerate(self._categories, 1)
        ]
        info: dict[str, Any] = {"description": "Exported from Karat", "version": "1.0"}
        if self._part is not None:
            info["filters"] = dict(self._part.filters)
        return (
            f'{{"info": {dumped(info)}, "licenses": [],\n'
            f'"categories": {dumped(categories)},\n"images": ['
        )

    @abstractmethod
    def add(self, record: Record, path: str) -> str:
        """An image, as text or in one of the lists."""

    def end(self) -> Iterator[bytes]:
        """The lists."""
        for name, spool in self._lists.items():
            yield f'\n],\n"{name}": ['.encode()
            yield from spool.unpacked()
        yield b"\n]}\n"

    def close(self) -> None:
        """Remove the lists."""
        for spool in self._lists.values():
            spool.close()

    def _list(self, name: str, text: str) -> None:
        spool = self._lists[name]
        spool.write(f"{',' if spool.size else ''}\n{text}".encode())

    def _among_images(self, image: str) -> str:
        comma, self._is_first = "" if self._is_first else ",", False
        return f"{comma}\n{image}"

    @staticmethod
    def _image(record: Record, path: str) -> str:
        return dumped(
            {
                "id": record.example_id,
                "file_name": path,
                "width": record.width,
                "height": record.height,
                **record.stated(),
            }
        )


class Coco(CocoTables):
    """Of classes. An OOD image is one without annotations: it shows none of the categories.

    What is neither labeled nor OOD would look the same, so it stands in a table of its own.
    """

    def __init__(self, class_names: Sequence[str], part: Part | None = None) -> None:
        super().__init__(class_names, ("annotations", "undecided"), part)
        self._ids = {name: number for number, name in enumerate(class_names, 1)}

    def add(self, record: Record, path: str) -> str:
        image = self._image(record, path)
        category = self._ids.get(record.class_name or "")
        is_ood = record.verdict is Verdict.OOD or record.split is Split.AUXILIARY_OOD
        if category is None and not is_ood:
            self._list("undecided", image)
            return ""
        if category is not None:
            note = dumped(
                {
                    "id": record.example_id,
                    "image_id": record.example_id,
                    "category_id": category,
                    "bbox": [0, 0, record.width, record.height],
                    "area": (record.width or 0) * (record.height or 0),
                    "iscrowd": 0,
                    "segmentation": [],
                }
            )
            self._list("annotations", note)
        return self._among_images(image)
