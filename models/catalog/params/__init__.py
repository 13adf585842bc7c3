"""Parameter schemas of the catalog. Torch-free: the API validates settings with them."""

from collections.abc import Mapping
from typing import Any, Final, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import ComputedFieldInfo, FieldInfo

from models.catalog.faults import InvalidParams, fault_of

_ACRONYMS: Final = frozenset({"lr", "oat", "ood", "taufe"})


def _title(name: str, _: FieldInfo | ComputedFieldInfo) -> str:
    """`learning_rate` → `Learning rate`, `attack_ood` → `Attack OOD`."""
    first, *others = name.split("_")
    words = [first.capitalize(), *others]
    return " ".join(word.upper() if word.lower() in _ACRONYMS else word for word in words)


class HasParams(Protocol):
    """What works on a job of the catalog."""

    @property
    def params(self) -> Mapping[str, Any]:
        """As the API has validated and stored them."""
        ...


class Params(BaseModel):
    """Base of all parameter schemas: unknown fields are refused, values never change."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, field_title_generator=_title
    )

    @classmethod
    def of(cls, job: HasParams) -> Self:
        """The parameters of a job of the catalog.

        Raises:
            InvalidParams: It is of another kind, or a later version has made it.
        """
        try:
            return cls.model_validate(job.params)
        except ValidationError as error:
            faults = [fault_of(one, cls) for one in error.errors(include_url=False)]
            raise InvalidParams("The job", faults) from error


class NoParams(Params):
    """An algorithm without parameters."""
