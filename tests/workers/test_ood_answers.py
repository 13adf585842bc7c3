"""OOD answers reach the target model where its parameters ask for them, and notes say if not."""

from typing import Any

import pytest
from sqlalchemy import select

from core.states import Verdict
from core.tables import Artifact
from models.files import tensorfile
from tests.workers.loop import Loop
from tests.world import World

CNN = {"steps": 6, "augment": False}
NO_OUTPUT = "No OOD answer yet: the model was trained without an output for OOD."
NO_TAUFE = "No OOD image to learn from yet: the model was trained without TAUFE."


def played(world: World, name: str, **params: Any) -> Loop:
    """Two rounds; the first has no OOD answer, the second some."""
    shared = CNN if name == "cnn_tiny" else {}
    loop = Loop(world, model={"name": name, "params": shared | params}, purity={"name": "knn"})
    loop.advance(0, verdict=Verdict.LABEL)
    loop.advance(1)
    return loop


def has_output_for_ood(loop: Loop, number: int) -> bool:
    """Whether the model that a round trained has one beside those of the two classes."""
    key = f"{loop.project.id}/rounds/{number}/model.safetensors"
    statement = select(Artifact).where(Artifact.storage_key.endswith(key))
    artifact = loop.session.scalars(statement).one()
    tensors, _ = tensorfile.read(loop.world.storage.artifact(artifact.storage_key))
    return "ood_bias" in tensors or len(tensors.get("head.bias", ())) == 3


@pytest.mark.parametrize("name", ["cnn_tiny", "patch_kmeans"])
def test_the_output_for_ood_comes_with_the_first_ood_answers(world: World, name: str) -> None:
    loop = played(world, name, ood_class=True)
    assert [has_output_for_ood(loop, number) for number in (0, 1)] == [False, True]
    first, second, _ = loop.rounds()
    # Only a network has to be asked for it, so only there somebody misses it.
    assert (NO_OUTPUT in first.notes) is (name == "cnn_tiny")
    assert NO_OUTPUT not in second.notes


def test_taufe_learns_from_the_pixels_of_ood_answers(world: World) -> None:
    with_taufe, without = played(world, "cnn_tiny", taufe=1.0), played(world, "cnn_tiny")
    model = "rounds/{}/model.safetensors".format
    # Until there are OOD answers it changes nothing, so both ask and learn the same.
    assert with_taufe.files()[model(0)] == without.files()[model(0)]
    assert with_taufe.queue(1) == without.queue(1)
    assert with_taufe.files()[model(1)] != without.files()[model(1)]
    first, second, _ = with_taufe.rounds()
    assert NO_TAUFE in first.notes
    assert NO_TAUFE not in second.notes
    assert NO_TAUFE not in without.rounds()[0].notes


def test_a_plain_model_has_no_output_for_ood_and_no_note(world: World) -> None:
    loop = played(world, "cnn_tiny")
    assert not has_output_for_ood(loop, 1)
    assert [note for one in loop.rounds() for note in one.notes if "without" in note] == []


def test_a_purity_by_outputs_is_judged_by_models_that_have_not_seen_the_verdicts(
    world: World,
) -> None:
    loop = Loop(
        world, purity={"name": "k_plus_1"}, budget=36, strategy={"name": "random"},
        model={"name": "patch_kmeans", "params": {"ood_class": True, "l2": 1e-6}},
    )  # fmt: skip
    loop.advance(0, 12)
    loop.advance(1, 36)
    # Which images are OOD has nothing to do with what they show.
    left_out = loop.rounds()[1].metrics["purity_left_out"]
    assert left_out["inside"] + left_out["ood"] == 48
    assert left_out["auroc"] < 0.8


def test_what_is_left_is_not_told_by_answers_that_another_purity_has_chosen(world: World) -> None:
    loop = Loop(
        world, purity={"name": "probe", "params": {"least_ood": 2}}, budget=12,
        model={"name": "patch_kmeans"}, strategy={"name": "random"},
    )  # fmt: skip
    # Until somebody has said OOD, knn stands in.
    loop.advance(0, 12, Verdict.LABEL)
    loop.advance(1, 12)
    loop.advance(2, 12)
    metrics = [one.metrics for one in loop.rounds()[1:3]]
    assert all("purity_auroc" in one for one in metrics)
    told = [one["ood_left"]["by_purity"] is not None for one in metrics]
    assert told == [False, True]
