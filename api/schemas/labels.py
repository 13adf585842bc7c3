"""Labels in requests: by their task type, or as a mere class, as clients of classification send."""

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from core.tasks.classification import class_label
from core.tasks.registry import AnyLabel, class_of

ClassId = Annotated[int, Field(ge=1, lt=2**63)]


class Labeled(BaseModel):
    """What may come with a label: `class_id` alone is short for one of classification.

    Both are filled afterwards, as far as the label is one class.
    """

    class_id: ClassId | None = None
    label: AnyLabel | None = None

    @model_validator(mode="after")
    def _one_label(self) -> Self:
        if self.label is None and self.class_id is not None:
            self.label = class_label(self.class_id)
        elif self.label is not None:
            class_id = class_of(self.label)
            if self.class_id not in (None, class_id):
                raise ValueError("class_id and label name different classes; send one of them")
            self.class_id = class_id
        return self
