"""Parameter schemas of the catalog. Torch-free: the API validates settings with them."""

from pydantic import BaseModel, ConfigDict
from pydantic.fields import ComputedFieldInfo, FieldInfo


def _title(name: str, _: FieldInfo | ComputedFieldInfo) -> str:
    """`learning_rate` → `Learning rate`."""
    return name.replace("_", " ").capitalize()


class Params(BaseModel):
    """Base of all parameter schemas: unknown fields are refused, values never change."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, field_title_generator=_title
    )


class NoParams(Params):
    """An algorithm without parameters."""
