"""The stop hint, on learning curves whose truth is known."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from api.rounds.outlook import Gain, expected_gain, outlook, worth
from api.rounds.schemas import Answered, OodLeft, RoundOut
from core.states import ExampleState, RoundState
from core.tables import Example
from tests.api.test_labeling import lease, send, verdict
from tests.api.test_pool_actions import act, ids_of
from tests.workers.loop import Loop
from tests.world import World


def round_of(number: int, accuracy: float | None, **fields: Any) -> RoundOut:
    inside, ood = fields.pop("inside", 50), fields.pop("ood", 10)
    answered = Answered(label=inside, no_objects=0, ood=ood, skip=0, unsure=0)
    values: dict[str, Any] = {
        "number": number, "state": RoundState.CLOSED, "strategy": "random", "budget": 60.0,
        "spent": 60.0, "seed": 0, "queries": 60,
        "answered": answered, "chosen": answered,
        "in_share": inside / (inside + ood), "accuracy": accuracy, "purity_auroc": None,
        "ood_left": None, "annotator_seconds": 0.0, "settings": {},
        "metrics": {"examples": 2000}, "notes": [], "seconds": {}, "opened_at": None,
        "closing_at": None, "closed_at": None, "job_id": None, "drawn": None,
    }  # fmt: skip
    values |= fields
    values["settings"] = {"budget": values["budget"], **values["settings"]}
    return RoundOut.model_validate(values)


def test_random_draws_judge_the_rounds_of_a_project_without_evaluation_images() -> None:
    def drawn(number: int, share: float) -> RoundOut:
        found = {"n": 400 + 20 * number, "share": share, "low": share - 0.05, "high": share + 0.05}
        return round_of(number, None, metrics={"audit": {"in": found}})

    rising = [drawn(number, 0.3 + 0.1 * number) for number in range(5)]
    found = {one.code: one.values for one in outlook(rising).reasons}
    assert found["draws"]["accuracy"] == pytest.approx(0.7)
    assert found["draws"]["examples"] == 400
    assert found["gain"]["gain"] > 0
    flat = outlook([drawn(number, 0.995) for number in range(5)])
    assert flat.advice == "stop"
    few = {"in": {"n": 3, "share": 0.5, "low": 0.0, "high": 1.0}}
    guessed = [round_of(number, None, metrics={"audit": few}) for number in range(5)]
    assert outlook(guessed).advice == "unknown"


def left(unlabeled: int, low: float) -> OodLeft:
    return OodLeft(
        unlabeled=unlabeled, count=low, low=low, high=unlabeled,
        agree=None, by_random=None, by_purity=None,
    )  # fmt: skip


def curve(n: Any, ceiling: float, scale: float, exponent: float) -> Any:
    return ceiling - scale * np.asarray(n, dtype=np.float64) ** -exponent


@pytest.mark.parametrize("exponent", [0.3, 0.6, 1.0])
def test_gain_of_a_power_law_is_foreseen(exponent: float) -> None:
    n = np.arange(1, 9) * 50.0
    scale = 0.4 / 50**-exponent
    truth = float(np.diff(curve([400, 450], 0.95, scale, exponent))[0])
    exact = expected_gain(n.tolist(), curve(n, 0.95, scale, exponent).tolist(), 5000, 50)
    assert exact.mean == pytest.approx(truth, rel=0.35)
    hits = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        noisy = rng.binomial(5000, curve(n, 0.95, scale, exponent)) / 5000
        found = expected_gain(n.tolist(), noisy.tolist(), 5000, 50)
        hits += abs(found.mean - truth) <= 1.96 * found.deviation
    assert hits >= 85


def test_a_flat_curve_says_stop_and_a_steep_one_go_on() -> None:
    flat = [round_of(k, 0.9 + 0.0005 * (k % 2)) for k in range(8)]
    steep = [round_of(k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4))) for k in range(5)]
    assert outlook(flat).advice == "stop"
    assert outlook(steep).advice == "go_on"
    # What is worth a round is for the caller to say.
    assert outlook(steep, least_gain=0.2).advice == "stop"


@pytest.mark.parametrize("strategy", ["audit", "certificate"])
def test_rounds_of_checks_say_nothing_of_the_next(strategy: str) -> None:
    rounds = [round_of(n, 0.5 + 0.08 * n) for n in range(5)]
    checks = round_of(5, None, strategy=strategy, budget=1e9)
    assert outlook([*rounds, checks]) == outlook(rounds)


def test_near_the_ceiling_no_curve_is_asked() -> None:
    """Of half a per cent that may be lacking no round gains enough, whatever the curve."""
    near = [round_of(k, [0.6, 0.85, 0.95, 0.998][k]) for k in range(4)]
    found = outlook(near)
    assert found.advice == "stop"
    assert [one.code for one in found.reasons] == ["ceiling", "evaluation", "in_share"]
    assert 0.002 < found.reasons[0].values["lacking"] < 0.005
    # To whom a twentieth of a per cent is worth a hundred verdicts, it is further away.
    assert outlook(near, least_gain=0.0005).advice != "stop"


@pytest.mark.parametrize(("examples", "first"), [(20, "gain"), (50, "gain"), (500, "ceiling")])
def test_few_images_that_are_all_right_are_no_ceiling(examples: int, first: str) -> None:
    sized = {"metrics": {"examples": examples}}
    found = outlook([round_of(k, [0.8, 0.9, 0.95, 1.0][k], **sized) for k in range(4)])
    assert found.reasons[0].code == first
    # A rise could not be seen on them, though.
    assert found.advice == ("stop" if first == "ceiling" else "unclear")
    assert found.reasons[0].values.get("gain", 0.0) == 0.0


def test_no_gain_is_larger_than_what_may_be_lacking() -> None:
    few = {"metrics": {"examples": 100}}
    unsteady = [round_of(k, [0.2, 0.9, 0.5, 0.98][k], **few) for k in range(4)]
    (gain, *_) = outlook(unsteady).reasons
    assert gain.code == "gain"
    assert gain.values["low"] <= gain.values["gain"] <= gain.values["high"]
    error = (3 / 102 * 99 / 102 / 100) ** 0.5
    # Of what may be lacking, no more than the steepest curve leaves behind: 200 labels, 50 more.
    most = (3 / 102 + 1.281552 * error) * (1 - (200 / 250) ** 2)
    assert gain.values["high"] == pytest.approx(most)


def test_a_round_without_an_answer_changes_nothing() -> None:
    rounds = [round_of(k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4))) for k in range(5)]
    nothing = Answered(label=0, no_objects=0, ood=0, skip=0, unsure=0)
    idle = round_of(5, rounds[-1].accuracy, answered=nothing, in_share=None)
    assert outlook([*rounds, idle]) == outlook(rounds)


def test_several_verdicts_on_an_image_are_one_label() -> None:
    def learned(overlap: int) -> dict[str, float]:
        verdicts = {"inside": 50 * overlap, "ood": 10 * overlap, "settings": {"overlap": overlap}}
        cost = {"budget": 60.0 * overlap, "spent": 60.0 * overlap, "ood_left": left(60, 20)}
        rounds = [
            round_of(k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4)), **verdicts, **cost)
            for k in range(5)
        ]
        return {one.code: one.values for one in outlook(rounds).reasons}["gain"]

    once, thrice = learned(1), learned(3)
    assert (once["labels"], once["more"], once["verdicts"]) == pytest.approx((250, 40, 60))
    assert thrice == pytest.approx({**once, "verdicts": 180, **{
        name: thrice[name] for name in ("least", "chance")
    }})  # fmt: skip


def test_a_round_that_was_closed_early_does_not_speak_for_a_whole_one() -> None:
    rounds = [round_of(k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4))) for k in range(5)]
    early = round_of(5, rounds[-1].accuracy, inside=4, ood=2, spent=6.0)
    (gain, *_) = outlook([*rounds, early]).reasons
    assert gain.values["more"] == pytest.approx(54 * 60 / 66)
    # The round that is open now may cost twice as much.
    now = round_of(6, None, inside=0, ood=1, spent=1.0, state=RoundState.OPEN, budget=120.0)
    (gain, *_) = outlook([*rounds, early, now]).reasons
    assert gain.values["more"] == pytest.approx(104 * 120 / 126)
    # What checks of a guarantee add to it, the next one has not.
    checked = now.model_copy(update={"budget": 140.0})
    assert outlook([*rounds, early, checked]) == outlook([*rounds, early, now])


def test_a_class_that_is_said_again_is_no_new_label(http: TestClient, world: World) -> None:
    loop, admin = Loop(world), world.caller()
    for number, accuracy in enumerate((0.5, 0.6, 0.65, 0.7)):
        if number > 0:
            loop.rounds()[-1].state = RoundState.CLOSED
            world.open_round(loop.project, 8, number)
        loop.answer(number, 5)
        round_ = loop.rounds()[-1]
        round_.accuracy, round_.metrics = accuracy, {"examples": 500}
        world.session.commit()
    ids = ids_of(world, loop.project)
    # One of a class, and one that is OOD so far; the answers count to the round that is open.
    act(http, loop.project, admin, "queue", ids=[ids[1], ids[0]])
    cat = loop.classes[0]
    for _ in range(2):
        query = lease(http, admin, loop.project, 1)["items"][0]["query_id"]
        send(http, admin, loop.project, verdict(query, "label", class_id=cat.id))
    loop.rounds()[-1].state = RoundState.CLOSED
    world.session.commit()
    path = f"/api/projects/{loop.project.id}"
    shown = http.get(f"{path}/rounds", headers=admin.headers).json()["items"]
    found = http.get(f"{path}/outlook", headers=admin.headers).json()
    statement = select(func.count()).where(
        Example.project_id == loop.project.id, Example.state == ExampleState.LABELED
    )
    labeled = world.session.scalars(statement).one()
    assert sum(one["answered"]["label"] for one in shown) == labeled + 1
    gain = next(one for one in found["reasons"] if one["code"] == "gain")
    assert gain["values"]["labels"] == labeled


def test_a_small_evaluation_split_is_not_sure() -> None:
    few = {"metrics": {"examples": 30}}
    rounds = [round_of(k, [0.6, 0.8, 0.7, 0.8, 0.77][k], **few) for k in range(5)]
    assert outlook(rounds).advice != "stop"


def test_what_is_missing_is_said() -> None:
    assert [one.code for one in outlook([]).reasons] == ["no_accuracy"]
    blind = outlook([round_of(k, None) for k in range(6)])
    assert blind.advice == "unknown"
    assert blind.reasons[0].code == "no_accuracy"
    few = outlook([round_of(k, 0.5 + k / 10) for k in range(3)])
    assert few.advice == "unknown"
    assert few.reasons[0].values == {"rounds": 3, "needed": 4}
    going_on = [round_of(0, 0.5), round_of(1, None, state=RoundState.OPEN)]
    assert outlook(going_on).reasons[0].values["rounds"] == 1


def test_an_empty_pool_says_stop_whatever_the_curve() -> None:
    steep = [round_of(k, 0.5 + k / 10) for k in range(5)]
    full = outlook([*steep[:-1], round_of(4, 0.9, ood_left=left(1000, 300.0))])
    pure = outlook([*steep[:-1], round_of(4, 0.9, ood_left=left(40, 39.5))])
    assert (full.advice, pure.advice) == ("go_on", "stop")
    assert next(one for one in full.reasons if one.code == "pool").values["inside"] == 700


def test_images_with_no_object_are_labels_that_may_be_left_too() -> None:
    answered = Answered(label=50, no_objects=40, ood=10, skip=0, unsure=0)
    rounds = [
        round_of(k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4)), answered=answered) for k in range(4)
    ]
    for unlabeled, more in ((600, 50), (30, 30)):
        last = rounds[3].model_copy(update={"ood_left": left(unlabeled, unlabeled - 20.0)})
        reasons = {one.code: one.values for one in outlook([*rounds[:3], last]).reasons}
        assert reasons["gain"]["more"] == pytest.approx(more)
        assert reasons["pool"]["inside"] == 20


def test_a_falling_share_of_in_is_a_reason() -> None:
    rounds = [round_of(0, 0.5), round_of(1, 0.6, inside=6, ood=54)]
    reason = next(one for one in outlook(rounds).reasons if one.code == "in_share")
    assert reason.points == "stop"
    values = {name: reason.values[name] for name in ("best", "last", "inside", "answers")}
    assert values == pytest.approx({"best": 50 / 60, "last": 0.1, "inside": 6, "answers": 60})
    assert reason.values["low"] < 0.1 < reason.values["high"]
    # What was checked beside it, the strategy has not chosen.
    itself = Answered(label=16, no_objects=0, ood=4, skip=0, unsure=0)
    checked = [rounds[0], round_of(1, 0.6, inside=16, ood=104, chosen=itself)]
    chosen = next(one for one in outlook(checked).reasons if one.code == "in_share")
    assert chosen.points == "neither"
    assert chosen.values["last"] == pytest.approx(0.8)


def test_a_share_of_few_answers_is_none() -> None:
    few = [round_of(0, 0.5), round_of(1, 0.6, inside=3, ood=16)]
    assert "in_share" not in [one.code for one in outlook(few).reasons]
    # Nor is what may be an accident a reason to stop: 5 of 20 may be half of 40 %.
    unsure = [round_of(0, 0.5, inside=11, ood=9), round_of(1, 0.6, inside=5, ood=15)]
    reason = next(one for one in outlook(unsure).reasons if one.code == "in_share")
    assert reason.points == "neither"


COURSES = st.lists(st.floats(0, 1), min_size=4, max_size=7).map(sorted)


@settings(deadline=None, max_examples=60)
@given(
    accuracies=COURSES,
    examples=st.integers(10, 5000),
    inside=st.integers(1, 95),
    least=st.sampled_from([0.001, 0.005, 0.02]),
)
def test_no_advice_says_more_than_its_interval(
    accuracies: list[float], examples: int, inside: int, least: float
) -> None:
    """Go on only where all of the interval is worth the verdicts, stop only where none is."""
    accuracies = [round(one * examples) / examples for one in accuracies]
    rounds = [
        round_of(
            number, accuracy, inside=inside, ood=100 - inside, budget=100.0, spent=100.0,
            metrics={"examples": examples},
        )
        for number, accuracy in enumerate(accuracies)
    ]  # fmt: skip
    found = outlook(rounds, least_gain=least)
    values = found.reasons[0].values
    lacking = (1 - accuracies[-1]) * examples
    if found.advice == "go_on":
        assert values["low"] >= values["least"] == least
        # Nobody is told to go on where everything is right already.
        assert lacking > 0.5
    if found.reasons[0].code == "gain":
        assert 0 <= values["low"] <= values["gain"] <= values["high"] <= 1
        stops = values["high"] < values["least"]
        assert (found.reasons[0].points == "stop") == stops
    if found.advice == "stop":
        assert found.reasons[0].code in {"ceiling", "few_labels"} or values["high"] < least
    # Whoever wants more of a round is not told sooner to go on.
    order = ["stop", "unclear", "go_on"]
    stricter = outlook(rounds, least_gain=2 * least)
    assert order.index(stricter.advice) <= order.index(found.advice)


@settings(deadline=None, max_examples=100)
@given(
    mean=st.floats(0, 0.5), spread=st.floats(0, 0.2), most=st.floats(0.001, 1),
    surely=st.floats(-0.1, 1), least=st.floats(0.0001, 0.1), better=st.floats(0, 0.2),
)  # fmt: skip
def test_a_surer_or_larger_gain_never_speaks_less_for_a_round(
    mean: float, spread: float, most: float, surely: float, least: float, better: float
) -> None:
    order = ["stop", "neither", "go_on"]
    limits = {"most": most, "surely": min(surely, most), "least": least}
    one = worth(Gain(mean, spread), **limits)
    assert 0 <= one.low <= one.mean <= one.high <= most
    larger = worth(Gain(mean + better, spread), **limits)
    assert order.index(larger.points) >= order.index(one.points)
    more = {**limits, "most": most + better, "surely": limits["surely"] + better}
    assert order.index(worth(Gain(mean, spread), **more).points) >= order.index(one.points)
    # What is less sure gives no clearer advice.
    vaguer = worth(Gain(mean, 2 * spread), **limits)
    assert one.points != "neither" or vaguer.points == "neither"


@pytest.mark.parametrize(
    ("accuracies", "examples", "inside"),
    [
        # 97 ± 3 %, and five of a hundred answers of a class.
        ([0.8, 0.9, 0.95, 0.97], 33, 5),
        ([0.5, 0.8, 0.93, 0.97], 33, 40),
        # A rise of 0.9 % that may be none.
        ([0.90, 0.915, 0.92, 0.929], 300, 50),
    ],
)
def test_what_may_be_nothing_is_no_reason_to_go_on(
    accuracies: list[float], examples: int, inside: int
) -> None:
    rounds = [
        round_of(
            number, accuracy, inside=inside, ood=100 - inside, budget=100.0, spent=100.0,
            metrics={"examples": examples},
        )
        for number, accuracy in enumerate(accuracies)
    ]  # fmt: skip
    assert outlook(rounds).advice in {"unclear", "stop"}


def test_a_long_round_has_to_gain_no_more_than_a_hundred_verdicts() -> None:
    def needed(budget: float) -> float:
        rounds = [
            round_of(
                k, float(curve(50 * (k + 1), 0.95, 2.0, 0.4)), inside=int(budget * 0.8),
                ood=int(budget * 0.2), budget=budget, spent=budget,
            )
            for k in range(5)
        ]  # fmt: skip
        return outlook(rounds).reasons[0].values["least"]

    assert needed(50) == pytest.approx(0.0025)
    assert needed(100) == needed(2000) == pytest.approx(0.005)
