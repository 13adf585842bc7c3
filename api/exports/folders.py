"""Folders for classes, and what an archive says of their numbers.

Readers of folders number the classes of a split by the names of the folders in it, in order. So a
split that lacked the folder of a class would number those behind it anew, and nobody would notice.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from api.exports.archives import Texts, Written
from api.exports.naming import Place
from api.exports.records import Record
from core.files.folder_names import folders_of
from core.states import Split, Verdict

CLASSES: Final = "CLASSES.txt"
TRAIN, VAL = "train", "val"
_NOT_IN_YAML: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_CALLED: Final = {TRAIN: "labeled image", VAL: "evaluation image"}


class ClassFolders:
    """``class/file`` for images of the pool that are labeled with a class."""

    splits: Sequence[str] = ()

    def __init__(self, class_names: Sequence[str], place: Place) -> None:
        """Find a folder for each class; ``place`` says what files are called."""
        self._place = place
        self._class_names = class_names
        self._folders = folders_of(class_names)

    def place(self, record: Record) -> str | None:
        """Where an image goes, if it does."""
        if record.verdict is not Verdict.LABEL or record.class_name is None:
            return None
        # What is labeled is of the pool.
        return self._place(record, self._folders[record.class_name], of_split=True)

    def kept(self) -> list[str]:
        """The folders that are there although no image may be in them."""
        return []

    def texts(self, written: Written) -> Texts:
        """What goes along, given the images that do."""
        there = [one for one in self._ordered() if written.by_folder[self._folders[one]]]
        lacking = [one for one in self._class_names if one not in there]
        lines = [
            "Readers number these classes by the names of their folders, in order, which is not",
            "the order that they have in Karat. A class without a labeled image has no folder:",
            "once it has one, later exports number those behind it anew. Go by names, or take",
            "yolo or parquet, whose numbers stay.",
            *_lacking("labeled image", lacking),
            *_passed_by(written),
            *self._table(there),
        ]
        return [(CLASSES, "\n".join(lines) + "\n")]

    def _ordered(self) -> list[str]:
        """The classes, as readers of folders number them."""
        return sorted(self._class_names, key=self._folders.__getitem__)

    def _table(self, classes: Sequence[str]) -> Iterator[str]:
        yield from ("", "number\tfolder\tclass")
        for number, name in enumerate(classes):
            yield f"{number}\t{self._folders[name]}\t{quoted(name)}"


class SplitFolders(ClassFolders):
    """``train/class/file`` and ``val/class/file``; what has no class stands beside them.

    A trainer takes every folder in ``train`` for a class, so OOD must not be one of them. Both have
    a folder for every class of the project.
    """

    splits = (TRAIN, VAL)

    def place(self, record: Record) -> str:
        if record.class_name is not None:
            split = VAL if record.split is Split.EVALUATION else TRAIN
            folder = f"{split}/{self._folders[record.class_name]}"
            return self._place(record, folder, of_split=True)
        if record.split is Split.AUXILIARY_OOD:
            return self._place(record, Split.AUXILIARY_OOD)
        return self._place(record, record.verdict or "unlabeled")

    def kept(self) -> list[str]:
        return [f"{split}/{self._folders[one]}" for split in self.splits for one in self._ordered()]

    def texts(self, written: Written) -> Texts:
        lacking = {
            split: [
                name
                for name in self._class_names
                if not written.by_folder[f"{split}/{self._folders[name]}"]
            ]
            for split in self.splits
        }
        lines = [
            "train and val have a folder for every class, also where it is empty, so that both",
            "give each class the same number: keep them. Ultralytics reads them so; torchvision",
            "refuses them unless it is told: ImageFolder(path, allow_empty=True). Numbers go by",
            "the names of the folders, in order, which is not the order of the classes in Karat.",
            *(line for split in self.splits for line in _lacking(_CALLED[split], lacking[split])),
            *_passed_by(written),
            *self._table(self._ordered()),
        ]
        return [(CLASSES, "\n".join(lines) + "\n"), ("data.yaml", self._yaml())]

    def _yaml(self) -> str:
        # JSON's strings are YAML's too.
        names = "".join(f"  {n}: {quoted(name)}\n" for n, name in enumerate(self._ordered()))
        return (
            f"train: {TRAIN}\nval: {VAL}\nnc: {len(self._class_names)}\n"
            f"names:{'' if names else ' {}'}\n{names}"
        )


def _lacking(image: str, class_names: Sequence[str]) -> Iterator[str]:
    if class_names:
        yield from ("", f"No {image} shows: {', '.join(map(quoted, class_names))}")


def _passed_by(written: Written) -> Iterator[str]:
    gifs = written.by_ending["gif"]
    if gifs:
        yield from ("", f"Images that are GIFs, which such readers pass by: {gifs:,}")


def quoted(name: str) -> str:
    text = json.dumps(name, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
