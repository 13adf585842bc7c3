"""What a round had to do without is in its notes, for as long as it is missing."""

from typing import Any

import pytest

from core.states import Verdict
from models.strategies import eaoa, expected_value, similar
from tests.workers.loop import Loop
from tests.world import World

FROZEN: dict[str, Any] = {
    "model": {"name": "patch_kmeans", "params": {}},
    "strategy": {"name": "margin"},
    "purity": {"name": "knn"},
}


def test_a_round_that_measures_no_accuracy_says_why(world: World) -> None:
    measured, blind = Loop(world, **FROZEN), Loop(world, evaluation=0, **FROZEN)
    for loop in (measured, blind):
        loop.advance(0)
    first = measured.rounds()[0]
    assert (first.accuracy is not None, first.notes) == (True, [])
    first = blind.rounds()[0]
    assert first.accuracy is None
    assert first.notes == [
        "Accuracy was not measured, as there is no evaluation image; import labeled images into "
        "the split evaluation."
    ]
    assert "notes" not in first.metrics


def test_a_model_that_hardly_tells_classes_apart_is_doubted(world: World) -> None:
    # No response of a patch is as large, so that all images have the same features.
    model = {"name": "patch_kmeans", "params": {"threshold": 10}}
    loop = Loop(world, evaluation=60, **FROZEN | {"model": model})
    loop.advance(0)
    (note,) = loop.rounds()[0].notes
    assert note.startswith("The model is right for 50.0 % of 60 evaluation images")
    assert "notes" not in loop.rounds()[0].metrics


def test_classes_without_a_label_are_named(world: World) -> None:
    loop = Loop(world, classes=("cat", "dog", "emu"), **FROZEN)
    loop.advance(0)
    note = "Classes without a label to train on (1): emu; the model cannot predict them."
    assert loop.rounds()[0].notes == [note]
    loop.classes = [loop.classes[2]] * 2
    loop.advance(1)
    assert loop.rounds()[1].notes == []


@pytest.mark.parametrize(
    ("strategy", "params", "note"),
    [
        ("similar", {"function": "flcmi"}, similar.NO_OOD_NOTE),
        ("similar", {"function": "logdetcmi"}, similar.NO_OOD_NOTE),
        ("eaoa", {}, eaoa.NO_OOD_NOTE),
        ("expected_value", {"balance": 1}, expected_value.UNCALIBRATED_NOTE),
        ("expected_value", {"balance": 0}, expected_value.UNCALIBRATED_NOTE),
    ],
)
def test_a_strategy_says_what_it_lacks_until_there_are_ood_answers(
    world: World, strategy: str, params: dict[str, Any], note: str
) -> None:
    loop = Loop(world, **FROZEN | {"strategy": {"name": strategy, "params": params}})
    loop.advance(0, verdict=Verdict.LABEL)
    assert loop.rounds()[1].notes == [note]
    loop.advance(1)
    assert loop.rounds()[2].notes == []


def test_a_purity_that_is_a_probability_needs_no_calibration(world: World) -> None:
    probe = {"name": "probe", "params": {"least_ood": 1}}
    strategy = {"name": "expected_value"}
    loop = Loop(world, **FROZEN | {"purity": probe, "strategy": strategy})
    loop.advance(0)
    assert loop.rounds()[1].notes == []
