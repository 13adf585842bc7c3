"""One class of the project for each example."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field

from core.names import composed
from core.tasks.spec import Label, TaskType, refused


class ClassificationLabel(Label):
    """The one class that an example is of."""

    type: Literal["classification"]
    class_id: Annotated[int, Field(ge=1, lt=2**63)]


@lru_cache(maxsize=1 << 16)
def class_label(class_id: int) -> ClassificationLabel:
    """The label of a class."""
    return ClassificationLabel(type="classification", class_id=class_id)


def stored_class(class_id: int | None) -> dict[str, Any] | None:
    """The label of a class as a row holds it; None for none."""
    return None if class_id is None else class_label(class_id).model_dump(mode="json")


class Classification(TaskType[ClassificationLabel]):
    """An example is of one class, or of none (OOD)."""

    name = "classification"
    label = ClassificationLabel
    media = frozenset({"image", "text"})
    fewest_classes = 1
    noun = "a class of the project"
    names_one_class = True
    learner = "models.tasks.classification:LEARNER"

    def parse(self, stored: Mapping[str, Any]) -> ClassificationLabel:
        """The label of a row; those of one class are one object, as there are millions of rows."""
        class_id = stored.get("class_id")
        is_plain = len(stored) == 2 and stored.get("type") == self.name and type(class_id) is int
        return class_label(class_id) if is_plain else super().parse(stored)

    def check(self, label: ClassificationLabel, classes: Collection[int]) -> None:
        """Look whether the project has the class."""
        if label.class_id not in classes:
            raise refused("unknown_class", "The project has no such class.")

    def distance(self, one: ClassificationLabel, other: ClassificationLabel) -> float:
        """0 for the same class, 1 for another."""
        return float(one.class_id != other.class_id)

    def agree(self, labels: Sequence[ClassificationLabel]) -> ClassificationLabel:
        """The class that all of them name."""
        return labels[0]

    def class_of(self, label: ClassificationLabel) -> int:
        """The class."""
        return label.class_id

    def read(self, text: str, classes: Mapping[str, int]) -> ClassificationLabel | None:
        """The class of this name, letter by letter; the number of a class is for its column."""
        name = composed(text)
        class_id = classes.get(name, classes.get(name.strip()))
        return None if class_id is None else class_label(class_id)

    def write(self, label: ClassificationLabel, classes: Mapping[int, str]) -> str | None:
        """The name of the class."""
        return classes.get(label.class_id)


CLASSIFICATION = Classification()
