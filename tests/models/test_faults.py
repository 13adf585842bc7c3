from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from models.catalog import parse
from models.catalog.faults import InvalidParams, fault_of


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
        ({"name": "x", "switch": "perhaps"}, "must be true or false"),
        ({"name": "x", "items": [1]}, "must have at least 2 items, not 1"),
        ({"name": "x", "inner": {"price": 0}}, "must be greater than 0"),
        ({"name": "x", "inner": [1]}, "must be an object with names and values"),
        ({"name": "x", "cuont": 3}, "there is no such name; the nearest is count"),
        ({"name": "x", "inner": {"prize": 3}}, "there is no such name; the nearest is price"),
        ({"name": "x", "inner": {"zzz": 3}}, "there is no such name; known: price"),
    ],
)
def test_a_fault_is_said_in_words(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(values)
    (fault,) = caught.value.errors()
    assert fault_of(fault, Outer).message == message


def test_without_a_schema_an_unknown_name_is_to_be_left_out() -> None:
    with pytest.raises(ValidationError) as caught:
        Inner.model_validate({"zzz": 3})
    (fault,) = caught.value.errors()
    assert fault_of(fault).message == "there is no such name; leave it out"


@pytest.mark.parametrize(
    ("values", "kind", "ctx"),
    [
        ({}, "missing", {}),
        ({"name": ""}, "string_too_short", {"min_length": 1}),
        # The message is all that there is of it.
        ({"name": "X"}, "value_error", {}),
        ({"name": "x", "mode": "d"}, "literal_error", {"expected": "'a', 'b' or 'c'"}),
        ({"name": "x", "inner": {"price": 0}}, "greater_than", {"gt": 0.0}),
        ({"name": "x", "cuont": 3}, "extra_forbidden", {"nearest": "count"}),
        ({"name": "x", "inner": {"zzz": 3}}, "extra_forbidden", {"known": "price"}),
    ],
)
def test_a_fault_can_be_said_in_other_languages(
    values: dict[str, Any], kind: str, ctx: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(values)
    fault = fault_of(caught.value.errors()[0], Outer)
    assert (fault.type, fault.ctx) == (kind, ctx)


def test_each_fault_of_the_parameters_of_an_algorithm_is_told_by_its_place() -> None:
    with pytest.raises(InvalidParams) as caught:
        parse("purity", "clip", {"temperature": 0, "template": "plain"})
    assert {one.place: one.type for one in caught.value.faults} == {
        ("template",): "string_pattern_mismatch",
        ("temperature",): "greater_than_equal",
    }
    assert str(caught.value).startswith("Purity clip: template: must match pattern")


def test_stored_parameters_that_only_another_version_knows_name_the_remedy() -> None:
    with pytest.raises(InvalidParams) as caught:
        parse("strategy", "similar", {"function": "newest", "later": {"x": 1}, "eta": -1})
    said = caught.value.of_other_version
    assert said is not None
    assert said.startswith("Strategy similar has parameters that this version of Karat does not")
    assert said.endswith("same version, or start the job anew.")
    assert "another one has saved them: function, later." in said
    with pytest.raises(InvalidParams) as caught:
        parse("strategy", "similar", {"eta": -1})
    assert caught.value.of_other_version is None
