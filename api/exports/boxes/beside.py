"""Archives where boxes lie beside images: a text or an XML for each, or one XML for all.

Each also has ``metadata.jsonl``, by which an import takes back who said what: none of these formats
can tell an image without an object from one that nobody has looked at, and none knows OOD.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from posixpath import splitext
from typing import ClassVar, Final

from api.exports.archives import Texts, Written
from api.exports.boxes.cvat import CvatBoxes, in_letters
from api.exports.boxes.placed import SPLITS, TRAIN, VAL, aside, boxes_of, split_of
from api.exports.documents import Metadata
from api.exports.folders import quoted
from api.exports.naming import Place, Scheme, below
from api.exports.records import Record
from api.exports.xml import xml_text
from api.exports.zips import Spool
from core.tasks.box_attributes import Value
from core.tasks.box_conventions import VOC, YOLO
from core.tasks.boxes import Box

_IMAGES: Final = "JPEGImages"
_SPLITS: Final = frozenset({TRAIN, VAL, "valid", "test"})
_POSE: Final = "pose"
_NO_POSE: Final = "Unspecified"
_SETS: Final = "ImageSets/Main"
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")


def _below_split(name: str) -> str:
    """What of a name comes after the folders of a data set of YOLO's, and of its splits."""
    # Readers look for labels by the last folder images, so there is to be no other.
    within = below("images", name)
    first, _, rest = within.partition("/")
    return rest if rest and first in _SPLITS else within


class Beside(Metadata, ABC):
    """Metadata, and texts on boxes that are kept on disk until the images have left."""

    scheme: ClassVar[Scheme]
    """What its images are called."""

    def __init__(self, classes: Mapping[int, str], place: Place) -> None:
        """Nothing yet; ``place`` says what files are called."""
        self._classes, self._place = classes, place
        self._kept = Spool()

    def place(self, record: Record) -> str:
        """Where an image goes: those without boxes that nobody has drawn are not among the others.

        Args:
            record: The image.
        """
        split = split_of(record)
        folder = aside(record) if split is None else self._folder(split)
        return self._place(record, folder, of_split=split is not None)

    def close(self) -> None:
        self._kept.close()

    @abstractmethod
    def texts(self, written: Written) -> Texts:
        """What follows the images."""

    @abstractmethod
    def _folder(self, split: str) -> str:
        """Of the images of a split."""


class FileEach(Beside):
    """A file for each image."""

    def add(self, record: Record, path: str) -> str:
        if split_of(record) is not None:
            line = json.dumps(self._file(record, path), ensure_ascii=False)
            self._kept.write(f"{line}\n".encode())
        return super().add(record, path)

    def texts(self, written: Written) -> Texts:
        """Those files."""
        del written
        rest = b""
        for piece in self._kept.unpacked():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                path, content = json.loads(line)
                yield path, content

    @abstractmethod
    def _file(self, record: Record, path: str) -> tuple[str, str]:
        """Path and content of the file of an image."""


class Yolo(FileEach):
    """``images/train`` and ``labels/train``, ``val`` likewise, and ``data.yaml``.

    The text of an image is empty where somebody looked and there is no object.
    """

    scheme = Scheme(_below_split, by_stem=True, by_split=True)

    def _folder(self, split: str) -> str:
        return f"images/{split}"

    def _file(self, record: Record, path: str) -> tuple[str, str]:
        numbers = {id_: number for number, id_ in enumerate(self._classes)}
        lines = [
            f"{numbers[box.class_id]} {' '.join(values)}\n"
            for box, _, values in boxes_of(record.label, record, YOLO, self._classes)
        ]
        return f"labels/{splitext(path.partition('/')[2])[0]}.txt", "".join(lines)

    def texts(self, written: Written) -> Texts:
        yield from super().texts(written)
        names = "".join(f"  {n}: {quoted(name)}\n" for n, name in enumerate(self._classes.values()))
        yield (
            "data.yaml",
            f"train: images/{TRAIN}\nval: images/{VAL}\nnc: {len(self._classes)}\n"
            f"names:{'' if names else ' {}'}\n{names}",
        )


class Voc(FileEach):
    """``JPEGImages``, ``Annotations`` and ``ImageSets``; pixels are counted from 1."""

    scheme = Scheme(partial(below, _IMAGES), by_stem=True)

    def __init__(self, classes: Mapping[int, str], place: Place) -> None:
        super().__init__(classes, place)
        self._sets = {split: Spool() for split in SPLITS}

    def close(self) -> None:
        super().close()
        for spool in self._sets.values():
            spool.close()

    def _folder(self, split: str) -> str:
        del split  # a list says it
        return _IMAGES

    def _file(self, record: Record, path: str) -> tuple[str, str]:
        name = path.partition("/")[2]
        stem = splitext(name)[0]
        self._sets[split_of(record) or TRAIN].write(f"{stem}\n".encode())
        objects = "".join(
            f"  <object>\n    <name>{xml_text(class_name)}</name>\n"
            f"    <pose>{xml_text(_pose(box) or _NO_POSE)}</pose>\n"
            f"    <truncated>{int(box.truncated)}</truncated>\n"
            f"    <occluded>{int(box.occluded)}</occluded>\n"
            f"    <difficult>{int(box.difficult)}</difficult>\n    <bndbox>\n"
            + "".join(
                f"      <{side}>{value}</{side}>\n"
                for side, value in zip(_SIDES, values, strict=True)
            )
            + f"    </bndbox>\n{_attributes(box)}  </object>\n"
            for box, class_name, values in boxes_of(record.label, record, VOC, self._classes)
        )
        content = (
            f"<annotation>\n  <folder>{_IMAGES}</folder>\n"
            f"  <filename>{xml_text(name)}</filename>\n"
            "  <source>\n    <database>Karat</database>\n  </source>\n  <size>\n"
            f"    <width>{record.width}</width>\n    <height>{record.height}</height>\n"
            f"    <depth>3</depth>\n  </size>\n  <segmented>0</segmented>\n{objects}</annotation>\n"
        )
        return f"Annotations/{stem}.xml", content

    def texts(self, written: Written) -> Texts:
        yield from super().texts(written)
        for split, spool in self._sets.items():
            yield f"{_SETS}/{split}.txt", spool.unpacked()


class Cvat(Beside):
    """``images`` and one ``annotations.xml``."""

    scheme = Scheme()

    def __init__(self, classes: Mapping[int, str], place: Place) -> None:
        super().__init__(classes, place)
        self._document = CvatBoxes(classes)

    def close(self) -> None:
        super().close()
        self._document.close()

    def _folder(self, split: str) -> str:
        del split  # CVAT's document knows none
        return "images"

    def add(self, record: Record, path: str) -> str:
        self._document.add(record, path)
        return Metadata.add(self, record, path)

    def texts(self, written: Written) -> Texts:
        del written
        yield self._document.name, self._document.pieces()


def _pose(box: Box) -> str | None:
    """How it stands, if that was said in a word."""
    said = box.attributes.get(_POSE)
    is_word = isinstance(said, str) and said == said.strip()
    return str(said) if is_word and str(said).lower() not in ("", _NO_POSE.lower()) else None


def _attributes(box: Box) -> str:
    """As CVAT and Datumaro write what Pascal VOC has no element for."""
    said: dict[str, Value] = {"crowd": True} if box.crowd else {}
    said |= box.attributes
    if _pose(box):
        said.pop(_POSE)
    found = "".join(
        f"      <attribute>\n        <name>{xml_text(name)}</name>\n"
        f"        <value>{xml_text(in_letters(value))}</value>\n      </attribute>\n"
        for name, value in said.items()
    )
    return f"    <attributes>\n{found}    </attributes>\n" if found else ""
