from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from models.catalog.faults import message_of


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    price: float = Field(default=1.0, gt=0)


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1)
    count: int = 1
    mode: Literal["a", "b", "c"] = "a"
    switch: bool = False
    items: list[int] = Field(default=[1, 2], min_length=2)
    inner: Inner = Inner()

    @field_validator("name")
    @classmethod
    def _lower(cls, name: str) -> str:
        if not name.islower():
            raise ValueError("write it in small letters")
        return name


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "missing; add it"),
        ({"name": ""}, "must have at least 1 character"),
        ({"name": "X"}, "write it in small letters"),
        ({"name": "x", "count": "many"}, "must be a valid integer"),
        ({"name": "x", "count": 1.5}, "must be a valid integer"),
        ({"name": "x", "mode": "d"}, "must be 'a', 'b' or 'c'"),
        ({"name": "x", "switch": "perhaps"}, "must be a valid boolean"),
        ({"name": "x", "items": [1]}, "must have at least 2 items, not 1"),
        ({"name": "x", "inner": {"price": 0}}, "must be greater than 0"),
        ({"name": "x", "cuont": 3}, "there is no such name; the nearest is count"),
        ({"name": "x", "inner": {"prize": 3}}, "there is no such name; the nearest is price"),
        ({"name": "x", "inner": {"zzz": 3}}, "there is no such name; known: price"),
    ],
)
def test_a_fault_is_said_in_words(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(values)
    (fault,) = caught.value.errors()
    assert message_of(fault, Outer) == message


def test_without_a_schema_an_unknown_name_is_to_be_left_out() -> None:
    with pytest.raises(ValidationError) as caught:
        Inner.model_validate({"zzz": 3})
    (fault,) = caught.value.errors()
    assert message_of(fault) == "there is no such name; leave it out"
