import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from models.catalog import Spec, parse, specs
from models.catalog.resolve import resolve
from models.errors import NotReady
from models.numerics import similarity
from models.protocols import Float32Array, PoolView
from models.ranking.candidates import NO_ANSWERS
from models.rounds.predictions import inside_of
from models.rounds.query import QuerySettings, Scored, score_of, score_pool
from tests.models.open_set import numbers, said

Bool = NDArray[np.bool_]
Exact = NDArray[np.float64]

SCORES = [spec for spec in specs() if spec.kind in {"purity", "informativeness"}]

every_score = pytest.mark.parametrize("spec", SCORES, ids=lambda spec: f"{spec.kind}-{spec.name}")


def score(kind: str, name: str, view: PoolView, **params: object) -> Float32Array:
    spec = next(spec for spec in SCORES if (spec.kind, spec.name) == (kind, name))
    result: Float32Array = resolve(spec)(view, parse(kind, name, params))
    return result


@pytest.fixture
def params(spec: Spec, request: pytest.FixtureRequest) -> dict[str, object]:
    """What an algorithm cannot do without."""
    if "weights" not in spec.needs:
        return {}
    weights: str = request.getfixturevalue("clip_weights")
    return {"classes": "cat, dog", "ood": "car", "weights": weights}


def finite_or_not_ready(spec: Spec, view: PoolView, params: dict[str, object]) -> None:
    """Either there are scores, or a reason and somebody who stands in."""
    try:
        result = score(spec.kind, spec.name, view, **params)
    except NotReady as error:
        reason = str(error)
    else:
        assert np.isfinite(result).all()
        return
    assert spec.fallback
    assert reason.endswith(".")


def _arrays(view: PoolView) -> dict[str, NDArray[np.generic]]:
    assert view.head is not None
    arrays = {name: value for name, value in vars(view).items() if isinstance(value, np.ndarray)}
    return arrays | {"weight": view.head.weight, "bias": view.head.bias}


def _with_verdicts(view: PoolView, keep: NDArray[np.bool_]) -> PoolView:
    assert view.labeled_contrastive is not None
    return replace(
        view,
        labels=view.labels[keep],
        labeled_logits=view.labeled_logits[keep],
        labeled_embeddings=view.labeled_embeddings[keep],
        labeled_contrastive=view.labeled_contrastive[keep],
    )


@every_score
def test_contract(spec: Spec, view: PoolView, params: dict[str, object]) -> None:
    before = {name: value.copy() for name, value in _arrays(view).items()}
    first = score(spec.kind, spec.name, view, **params)
    assert first.shape == (len(view.logits),)
    assert first.dtype == np.float32
    assert np.isfinite(first).all()
    assert_array_equal(score(spec.kind, spec.name, view, **params), first)
    first[:] = 0
    for name, value in _arrays(view).items():
        assert_array_equal(value, before[name])


@every_score
def test_an_example_is_scored_by_itself(
    spec: Spec, view: PoolView, params: dict[str, object]
) -> None:
    some = np.array([3, 150, 77])
    part = score(spec.kind, spec.name, view.take(some), **params)
    assert_allclose(part, score(spec.kind, spec.name, view, **params)[some], rtol=1e-5, atol=1e-5)


@every_score
@pytest.mark.parametrize("verdicts", ["none", "only OOD", "only IN", "one", "one of each class"])
def test_few_verdicts_give_scores_or_a_reason(
    spec: Spec, view: PoolView, params: dict[str, object], verdicts: str
) -> None:
    first_of_each = np.isin(np.arange(60), np.unique(numbers(view.labels), return_index=True)[1])
    keep = {
        "none": np.zeros(60, dtype=bool),
        "only OOD": view.is_ood,
        "only IN": ~view.is_ood,
        "one": np.arange(60) == 0,
        "one of each class": first_of_each & (~view.is_ood),
    }[verdicts]
    finite_or_not_ready(spec, _with_verdicts(view, keep), params)


@every_score
@pytest.mark.parametrize(
    "missing", ["head", "ood_logits", "predicted_losses", "contrastive", "model"]
)
def test_a_view_that_lacks_something_gives_scores_or_a_reason(
    spec: Spec, view: PoolView, params: dict[str, object], missing: str
) -> None:
    lacking = PoolView(**(vars(view) | {missing: None}))
    finite_or_not_ready(spec, lacking, params)


@every_score
def test_extreme_logits_and_empty_pool(
    spec: Spec, view: PoolView, params: dict[str, object]
) -> None:
    extreme = replace(view, logits=np.sign(view.logits) * np.float32(1e4))
    assert np.isfinite(score(spec.kind, spec.name, extreme, **params)).all()
    empty = view.take(np.empty(0, dtype=np.int64))
    assert score(spec.kind, spec.name, empty, **params).shape == (0,)


def _probabilities(row: Float32Array) -> list[float]:
    weights = [math.exp(value - float(max(row))) for value in row.tolist()]
    return [weight / sum(weights) for weight in weights]


def test_informativeness_equals_the_definitions(view: PoolView) -> None:
    rows = [sorted(_probabilities(row), reverse=True) for row in view.logits]
    assert_allclose(score("informativeness", "conf", view), [1 - p[0] for p in rows], atol=1e-6)
    assert_allclose(
        score("informativeness", "margin", view), [1 - (p[0] - p[1]) for p in rows], atol=1e-6
    )
    entropies = [-sum(q * math.log(q) for q in p if q > 0) for p in rows]
    assert_allclose(score("informativeness", "entropy", view), entropies, atol=1e-5)


def test_one_class_carries_no_information(view: PoolView) -> None:
    single = replace(view, logits=view.logits[:, :1])
    for name in ("conf", "margin", "entropy"):
        assert_allclose(score("informativeness", name, single), 0, atol=1e-7)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 10.0])
def test_energy_equals_the_definition(view: PoolView, temperature: float) -> None:
    expected = [
        temperature * math.log(sum(math.exp(value / temperature) for value in row.tolist()))
        for row in view.logits
    ]
    assert_allclose(
        score("purity", "energy", view, temperature=temperature), expected, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("neighbours", [1, 3, 1000])
@pytest.mark.parametrize("block", [100, 8_000_000])
def test_knn_equals_the_plain_loop(
    view: PoolView, neighbours: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similarity, "_BLOCK_VALUES", block)
    expected = []
    for x in view.embeddings.astype(float):
        similarities = sorted(
            (
                float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
                for y, label in zip(
                    view.labeled_embeddings.astype(float), numbers(view.labels), strict=True
                )
                if label >= 0
            ),
            reverse=True,
        )
        expected.append(similarities[min(neighbours, len(similarities)) - 1])
    assert_allclose(score("purity", "knn", view, neighbours=neighbours), expected, atol=1e-5)


def _xor_view(seed: int, verdicts: int) -> tuple[PoolView, NDArray[np.bool_]]:
    """IN and OOD are two clusters each, placed so that no hyperplane separates them."""
    rng = np.random.default_rng(seed)
    corners = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    which = rng.integers(0, 4, 600)
    plane = corners[which] + 0.4 * rng.standard_normal((600, 2))
    embeddings = np.hstack([plane, 0.2 * rng.standard_normal((600, 6))]).astype(np.float32)
    labels = np.where(which < 2, which, -1)
    logits = np.zeros((600, 2), dtype=np.float32)
    cut = slice(verdicts, None)
    view = PoolView(
        logits[cut], embeddings[cut], logits[:verdicts], embeddings[:verdicts],
        said(labels[:verdicts]), 2, seed=0,
    )  # fmt: skip
    return view, which[cut] < 2


@pytest.mark.parametrize("landmarks", [2048, 40])
def test_probe_learns_what_no_hyperplane_separates(landmarks: int) -> None:
    view, known = _xor_view(0, verdicts=100)
    probability = score("purity", "probe", view, landmarks=landmarks)
    assert roc_auc_score(known, probability) > 0.95
    assert roc_auc_score(known, probability) > roc_auc_score(known, score("purity", "knn", view))


def test_probe_is_calibrated() -> None:
    view, known = _xor_view(1, verdicts=300)
    probability = score("purity", "probe", view)
    assert ((probability >= 0) & (probability <= 1)).all()
    assert abs(probability.mean() - known.mean()) < 0.06
    for low, high in ((0.0, 0.3), (0.7, 1.0)):
        inside = (probability >= low) & (probability <= high)
        assert abs(probability[inside].mean() - known[inside].mean()) < 0.1


@pytest.mark.parametrize("name", ["msp", "odin"])
def test_a_softmax_says_nothing_of_one_class(view: PoolView, name: str) -> None:
    one = replace(view, classes=1, logits=view.logits[:, :1], indices=np.arange(len(view.logits)))
    found = score_of("purity", name, {}, one)
    assert found.by == "energy"
    assert "there is one" in found.notes[0]
    assert len(np.unique(found.values)) > 1


def test_a_score_that_is_not_ready_hands_over_and_says_so(view: PoolView) -> None:
    ood = int((view.is_ood).sum())

    def scored(least_ood: int) -> Scored:
        assert view.model is not None
        settings = QuerySettings(purity="probe", purity_params={"least_ood": least_ood})
        return score_pool(
            view.model, np.arange(200), np.arange(200, 260), view.labels, settings, seed=0
        )

    waiting, ready = scored(ood + 1), scored(ood)
    assert waiting.notes == (
        f"Purity probe learns from {ood + 1} OOD answers or more and has {ood}; it starts with the "
        "next ones. Purity knn stands in.",
    )
    assert_array_equal(waiting.scores.purity, score("purity", "knn", view))
    assert ready.notes == ()
    assert not np.array_equal(ready.scores.purity, waiting.scores.purity)


@pytest.mark.parametrize(
    ("params", "is_probability"),
    [({}, False), ({"ood": " , "}, False), ({"ood": "car"}, True),
     ({"ood": "car", "temperature": 1}, False)],
)  # fmt: skip
def test_likeness_to_names_of_classes_alone_is_no_probability(
    view: PoolView, clip_weights: str, params: dict[str, object], is_probability: bool
) -> None:
    assert view.model is not None
    named = {"classes": "cat, dog, horse, sheep", "weights": clip_weights, **params}
    settings = QuerySettings(purity="clip", purity_params=named)
    found = score_pool(
        view.model, np.arange(5), np.arange(200, 260), view.labels, settings, seed=0
    ).scores
    assert found.purity_by == "clip"
    assert (inside_of(found, NO_ANSWERS) is not None) is is_probability
    # Of four names each is about a quarter: read as a probability, every image would be OOD.
    assert params or (found.purity < 0.5).all()


def test_ll_is_the_predicted_loss(view: PoolView) -> None:
    assert view.predicted_losses is not None
    assert_array_equal(score("informativeness", "ll", view), view.predicted_losses)
    with pytest.raises(NotReady, match="parameter loss_prediction"):
        score("informativeness", "ll", replace(view, predicted_losses=None))


def _verdicts(view: PoolView) -> tuple[Exact, Exact, Exact]:
    """Verdicts and candidates, centred and of length 1, and +-1: IN, and each class."""
    center = view.labeled_embeddings.mean(axis=0)
    rows = [part.astype(float) - center for part in (view.labeled_embeddings, view.embeddings)]
    verdicts, pool = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in rows)
    wanted = [~view.is_ood, *(numbers(view.labels) == one for one in range(view.classes))]
    return verdicts, pool, np.where(np.array(wanted).T, 1.0, -1.0)


def _chance(left_out: Exact, margins: Exact, known: Bool) -> Exact:
    """What margins say of IN, by what those of verdicts that were left out did."""

    def evidence(of: Exact) -> Exact:
        pairs = [sorted(one[1:])[::-1][:2] for one in of]
        return np.array([[one[0], pair[0], pair[-1]] for one, pair in zip(of, pairs, strict=True)])

    weighed = np.array([1.0, 0.0, 0.0])
    if len(known) >= 100:
        weighed = LogisticRegression().fit(evidence(left_out), known).coef_[0]
        assert (weighed[:2] > 0).all()
    platt = _platt(evidence(left_out) @ weighed, known)
    chance: Exact = platt.predict_proba((evidence(margins) @ weighed)[:, None])[:, 1]
    return chance


def _platt(margins: Exact, known: Bool) -> LogisticRegression:
    """Each verdict counts on both sides, on its own by (n + 1) / (n + 2)."""
    inside, ood = known.sum(), (~known).sum()
    target = np.where(known, (inside + 1) / (inside + 2), 1 / (ood + 2))
    sides = np.repeat([1, 0], len(known))
    return LogisticRegression(C=1e6, tol=1e-10).fit(
        np.tile(margins, 2)[:, None], sides, sample_weight=np.concatenate([target, 1 - target])
    )


@pytest.mark.parametrize("classes", [1, 2, 5])
@pytest.mark.parametrize(
    ("l2", "width", "count"), [(0.2, 1.0, 120), (2.0, 0.3, 120), (1.0, 1.0, 50)]
)
def test_probe_is_calibrated_kernel_ridge_regression(
    l2: float, width: float, count: int, classes: int
) -> None:
    view, _ = _xor_view(3, verdicts=count)
    view = replace(
        view, labels=said(np.minimum(numbers(view.labels), classes - 1)), classes=classes
    )
    verdicts, pool, wanted = _verdicts(view)
    offset = wanted.mean(axis=0)
    ridge = KernelRidge(alpha=l2, kernel="rbf", gamma=1 / width)
    left_out = cross_val_predict(ridge, verdicts, wanted - offset, cv=LeaveOneOut()) + offset
    margins = ridge.fit(verdicts, wanted - offset).predict(pool) + offset
    expected = _chance(left_out, margins, ~view.is_ood)
    assert np.ptp(expected) > 0.5
    assert_allclose(score("purity", "probe", view, l2=l2, width=width), expected, atol=2e-3)


def test_beyond_its_landmarks_probe_is_nystroms_approximation() -> None:
    """Coefficients c of a sample Z: least |y - K(X, Z) c|^2 + l2 c' K(Z, Z) c.

    What is left out is left out of Z as well.
    """
    view, _ = _xor_view(4, verdicts=120)
    verdicts, pool, wanted = _verdicts(view)
    chosen = np.sort(np.random.default_rng(view.seed).permutation(120)[:20])
    offset = wanted.mean(axis=0)

    def margins(rows: Exact, out: int | None = None) -> Exact:
        landmarks = verdicts[chosen[chosen != out]]
        known = np.arange(120) != out
        root = np.linalg.cholesky(rbf_kernel(landmarks, gamma=1)).T
        design = np.concatenate([rbf_kernel(verdicts[known], landmarks, gamma=1), root * 0.5**0.5])
        nothing = np.zeros((len(landmarks), wanted.shape[1]))
        target = np.concatenate([wanted[known] - offset, nothing])
        coefficients = np.linalg.lstsq(design, target)[0]
        result: Exact = rbf_kernel(rows, landmarks, gamma=1) @ coefficients + offset
        return result

    left_out = np.concatenate([margins(verdicts[[out]], out) for out in range(120)])
    expected = _chance(left_out, margins(pool), ~view.is_ood)
    assert_allclose(score("purity", "probe", view, l2=0.5, landmarks=20), expected, atol=2e-3)


def test_probe_holds_what_resembles_two_classes_for_less_pure() -> None:
    """Images of no class lie between two; no verdict on one says so more than those on classes."""
    rng = np.random.default_rng(5)
    corners = np.eye(6)[:4]
    which = rng.integers(0, 4, 400)
    between = rng.random(400) < 0.3
    second = (which + rng.integers(1, 4, 400)) % 4
    spots = np.where(between[:, None], (corners[which] + corners[second]) / 2, corners[which])
    embeddings = (spots + 0.25 * rng.standard_normal((400, 6))).astype(np.float32)
    labels = np.where(between, -1, which)
    logits = np.zeros((400, 4), dtype=np.float32)
    view = PoolView(
        logits[120:],
        embeddings[120:],
        logits[:120],
        embeddings[:120],
        said(labels[:120]),
        4,
        seed=0,
    )
    blind = replace(view, labels=said(np.minimum(numbers(view.labels), 0)), classes=1)
    with_classes, without = (
        roc_auc_score(~between[120:], score("purity", "probe", one)) for one in (view, blind)
    )
    assert with_classes > without + 0.02


@pytest.mark.parametrize("width", [1.0, 1000.0])
def test_probe_needs_no_penalty(width: float) -> None:
    view, known = _xor_view(6, verdicts=300)
    twice = np.concatenate([view.labeled_embeddings[:150]] * 2)
    view = replace(view, labeled_embeddings=twice, labels=view.labels[np.tile(np.arange(150), 2)])
    probability = score("purity", "probe", view, l2=1e-9, width=width)
    assert roc_auc_score(known, probability) > 0.8


@pytest.mark.parametrize("verdicts", [12, 20, 40, 120])
def test_probe_does_not_turn_round_on_a_weak_signal(verdicts: int) -> None:
    """Classes that say nothing: with few verdicts chance would have them speak for OOD."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        count = verdicts + 300
        known = np.arange(count) % 5 < 3
        embeddings = rng.standard_normal((count, 64)).astype(np.float32)
        embeddings[:, 0] += np.where(known, 2, -2)
        labels = np.where(known, rng.integers(0, 4, count), -1)
        cut, logits = slice(verdicts, None), np.zeros((count, 4), dtype=np.float32)
        view = PoolView(
            logits[cut], embeddings[cut], logits[:verdicts], embeddings[:verdicts],
            said(labels[:verdicts]), 4, seed=0,
        )  # fmt: skip
        found.append(roc_auc_score(known[cut], score("purity", "probe", view, least_ood=1)))
    assert np.mean(found) > 0.6
    assert np.min(found) > 0.45
