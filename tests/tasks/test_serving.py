"""Each entry of the catalog with each task type and medium: it works, or settings say why not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from api.projects.settings import KINDS, checked
from core.errors import Invalid
from core.states import Medium
from core.tasks import registry
from models.catalog import Spec, find, parse, specs
from models.catalog.resolve import resolve
from models.errors import NotReady
from models.protocols import LinearHead, OpenSetLabels, PoolView
from models.ranking.candidates import Candidates
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores
from tests.tasks.number import NUMBER

COUNT, VERDICTS = 60, 40
# Of boxes there are images only; a number, as of a package, can be of either.
SERVED = [
    ("classification", Medium.IMAGE),
    ("classification", Medium.TEXT),
    ("boxes", Medium.IMAGE),
    ("number", Medium.IMAGE),
    ("number", Medium.TEXT),
]
TASKS = sorted({task for task, _ in SERVED})


@pytest.fixture(autouse=True)
def number() -> Iterator[None]:
    with registry.registered(NUMBER):
        yield


def of(*kinds: str) -> Callable[..., Any]:
    found = [one for one in specs() if one.kind in kinds]
    return pytest.mark.parametrize("spec", found, ids=lambda one: f"{one.kind}-{one.name}")


def view_of(task: str) -> PoolView:
    """What rounds of such labels show: classes, or one output beside OOD; of boxes detections."""
    rng = np.random.default_rng(4)
    classes = 1 if task == "number" else 3
    weight = rng.standard_normal((8, classes)).astype(np.float32)
    rows = rng.standard_normal((COUNT + VERDICTS, 8)).astype(np.float32)
    logits = rows @ weight
    corners = np.sort(rng.random((COUNT, 5, 2, 2)), axis=2).reshape(COUNT, 5, 4)
    scores = -np.sort(-rng.random((COUNT, 5, 1)), axis=1)
    found = [corners, scores, rng.integers(0, classes, (COUNT, 5, 1))]
    return PoolView(
        logits[:COUNT], rows[:COUNT], logits[COUNT:], rows[COUNT:],
        OpenSetLabels.of(np.arange(VERDICTS) % classes, np.arange(VERDICTS) % 3 == 0), classes, 0,
        head=LinearHead(weight, np.zeros(classes, dtype=np.float32)),
        indices=np.arange(COUNT), contrastive=rows[:COUNT], labeled_contrastive=rows[COUNT:],
        predicted_losses=logits[:COUNT].sum(axis=1), ood_logits=rows[:COUNT, 0],
        detections=np.concatenate(found, axis=2).astype(np.float32) if task == "boxes" else None,
    )  # fmt: skip


@of(*KINDS)
@pytest.mark.parametrize(("task", "medium"), SERVED)
def test_settings_take_what_serves_and_refuse_the_rest_by_name(
    spec: Spec, task: str, medium: Medium
) -> None:
    changes: dict[str, Any] = {spec.kind: {"name": spec.name}}
    if spec.serves(medium) and spec.serves_task(task):
        try:
            settings = checked(changes, medium=medium, task=task)
        except Invalid as error:
            # What it lacks can be given to it: weights, or a model that is trained for it.
            assert error.field is not None  # noqa: PT017
            assert "params" in error.field or "needs a model" in str(error)  # noqa: PT017
        else:
            assert getattr(settings, spec.kind).name == spec.name
        return
    with pytest.raises(Invalid) as refused:
        checked(changes, medium=medium, task=task)
    assert refused.value.field == f"settings.{spec.kind}.name"
    reason = str(refused.value)
    if spec.serves(medium):
        others = reason.removesuffix(".").partition("choose one of ")[2].split(", ")
        assert all(find(spec.kind, one).serves_task(task) for one in others)
    else:
        assert medium.value in reason


def made_or_handed_over(spec: Spec, *given: Any) -> Any:
    """What an algorithm makes; None where it says why it cannot, and somebody stands in."""
    try:
        return resolve(spec)(*given, parse(spec.kind, spec.name, {}))
    except NotReady as reason:
        assert spec.fallback
        assert str(reason).endswith(".")  # noqa: PT017
        return None


@of("purity", "informativeness")
@pytest.mark.parametrize("task", TASKS)
def test_scores_are_finite_for_every_task_that_they_serve(spec: Spec, task: str) -> None:
    if not spec.serves_task(task) or {"weights", "predicted_losses"} & spec.needs:
        pytest.skip("settings refuse it, or it needs what is tested with weights and networks")
    view = view_of(task)
    values = made_or_handed_over(spec, view)
    if values is None:
        return
    assert (values.shape, values.dtype) == ((COUNT,), np.float32)
    assert np.isfinite(values).all()


@of("strategy")
@pytest.mark.parametrize("task", TASKS)
def test_strategies_rank_for_every_task_that_they_serve(spec: Spec, task: str) -> None:
    if not spec.serves_task(task):
        pytest.skip("settings refuse it")
    torch.manual_seed(0)
    view = view_of(task)
    rng = np.random.default_rng(5)
    purity, informativeness = rng.random((2, COUNT)).astype(np.float32)
    scores = PoolScores(
        np.arange(COUNT), view.logits, purity, informativeness, detections=view.detections
    )
    candidates = Candidates(scores, replace(view, indices=scores.indices), mqnet=MQNet())
    ranking = made_or_handed_over(spec, candidates, 7)
    if ranking is None:
        return
    assert len(set(ranking.order.tolist())) == 7
