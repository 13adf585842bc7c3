"""Purity scores against slow transcriptions of their formulas, or against pytorch-ood."""

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from pytorch_ood.detector import Mahalanobis
from sklearn.linear_model import LogisticRegression
from torch.nn import functional

from models.catalog import find, parse, validate
from models.catalog.resolve import resolve
from models.errors import ModelError, NotReady
from models.heads.head import LogisticHead, Scaling
from models.media.images.networks.build import build_network
from models.media.images.store import PixelStore
from models.protocols import OOD, Float32Array, Indices, PoolView
from models.purity import blocks
from models.target.trained import HeadModel, NetworkModel
from tests.models.open_set import numbers, said


def purity(name: str, view: PoolView, **params: object) -> Float32Array:
    result: Float32Array = resolve(find("purity", name))(view, parse("purity", name, params))
    return result


@pytest.fixture(params=[16, 4_000_000], autouse=True)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one row, and one block."""
    monkeypatch.setattr(blocks, "_BLOCK_VALUES", request.param)


def _largest_probability(logits: NDArray[Any], temperature: float) -> float:
    weights = [math.exp(float(value) / temperature) for value in logits]
    return max(weights) / sum(weights)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1000.0])
def test_msp_equals_the_definition(view: PoolView, temperature: float) -> None:
    expected = [_largest_probability(row, temperature) for row in view.logits]
    assert_allclose(purity("msp", view, temperature=temperature), expected, rtol=1e-6)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 10.0])
def test_energy_equals_its_formula(view: PoolView, temperature: float) -> None:
    terms = np.exp(view.logits.astype(float) / temperature)
    expected = temperature * np.log(terms.sum(axis=1))
    assert_allclose(purity("energy", view, temperature=temperature), expected, rtol=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 1000.0])
def test_odin_of_a_head_equals_numerical_differentiation(
    view: PoolView, temperature: float
) -> None:
    assert view.head is not None
    part, epsilon = view.take(np.arange(8)), 0.3
    weight, bias = view.head.weight.astype(float), view.head.bias.astype(float)
    # The fixture's head scales by 0.5: the features have a root mean square of 2 / sqrt(D).
    step = epsilon * 2 / math.sqrt(12)
    expected = []
    for x in part.embeddings.astype(float):
        gradient = [
            _largest_probability((x + h) @ weight + bias, temperature)
            - _largest_probability((x - h) @ weight + bias, temperature)
            for h in 1e-4 * np.eye(12)
        ]
        moved = x + step * np.sign(gradient)
        expected.append(_largest_probability(moved @ weight + bias, temperature))
    result = purity("odin", part, temperature=temperature, epsilon=epsilon)
    assert_allclose(result, expected, rtol=1e-5)
    assert (result > purity("msp", part, temperature=temperature)).all()


def test_odin_leaves_out_classes_without_examples(view: PoolView, noise_store: PixelStore) -> None:
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((12, 3)).astype(np.float32)
    weight[:, 1] = 0
    head = LogisticHead(
        Scaling.fit(view.embeddings), weight, np.zeros(3, dtype=np.float32), np.array([4, 0, 4])
    )
    model = HeadModel(head, view.embeddings, noise_store, "patch_kmeans", {})
    rows = np.arange(50)
    moved = model.perturbed_logits(rows, temperature=1.0, epsilon=0.5)
    before, after = (_probabilities(logits) for logits in (model.infer(rows).logits, moved))
    assert_allclose(after[:, 1], 1 / 10, rtol=1e-4)
    assert (after[:, [0, 2]].max(axis=1) >= before[:, [0, 2]].max(axis=1)).all()


def _probabilities(logits: Float32Array) -> NDArray[np.float64]:
    weights = np.exp(logits.astype(float))
    result: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return result


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_odin_of_a_network_moves_pixels(
    digit_store: PixelStore, view: PoolView, precision: str
) -> None:
    params = validate("model", "cnn_tiny", {"precision": precision})
    network = build_network(
        "cnn_tiny", parse("model", "cnn_tiny", params), classes=4, store=digit_store, seed=0
    ).eval()
    rows: Indices = np.array([5, 900, 901, 1500])
    on_digits = replace(
        view,
        logits=np.zeros((4, 4), dtype=np.float32),
        indices=rows,
        model=NetworkModel(network, digit_store, "cnn_tiny", params),
    )
    expected = []
    for row in rows:
        x = torch.from_numpy(digit_store[[row]]).permute(0, 3, 1, 2) / 255
        x.requires_grad_()
        log_probability = functional.log_softmax(network(x)[0] / 10, dim=1).max()
        log_probability.backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        with torch.no_grad():
            logits = network(x + 0.01 * x.grad.sign())[0][0]
        expected.append(_largest_probability(logits.numpy(), 10))
    network.zero_grad()
    assert_allclose(purity("odin", on_digits, temperature=10, epsilon=0.01), expected, rtol=1e-5)
    assert all(parameter.grad is None for parameter in network.parameters())


@pytest.mark.parametrize("threshold_from", ["labeled", "pool"])
@pytest.mark.parametrize("percentile", [60.0, 90.0])
def test_react_equals_the_definition(
    view: PoolView, threshold_from: str, percentile: float
) -> None:
    assert view.head is not None
    measured = view.embeddings
    if threshold_from == "labeled":
        measured = view.labeled_embeddings[~view.is_ood]
    ordered = sorted(measured.reshape(-1).tolist())
    place = percentile / 100 * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    cut = below + (place - math.floor(place)) * (above - below)
    expected = []
    for x in view.embeddings:
        logits = [
            sum(min(value, cut) * w for value, w in zip(x.tolist(), column, strict=True)) + bias
            for column, bias in zip(view.head.weight.T.tolist(), view.head.bias, strict=True)
        ]
        expected.append(2 * math.log(sum(math.exp(value / 2) for value in logits)))
    result = purity(
        "react", view, threshold_from=threshold_from, percentile=percentile, temperature=2
    )
    assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_react_that_cuts_nothing_is_energy(view: PoolView) -> None:
    everything = purity("react", view, threshold_from="pool", percentile=100)
    assert_allclose(everything, purity("energy", view), rtol=1e-4, atol=1e-4)


def test_react_needs_a_last_layer_and_examples(view: PoolView) -> None:
    with pytest.raises(NotReady, match="ends in a linear layer"):
        purity("react", replace(view, head=None))
    only_ood = replace(view, labels=said([-1] * 60))
    with pytest.raises(NotReady, match="set threshold_from to pool"):
        purity("react", only_ood)
    assert np.isfinite(purity("react", only_ood, threshold_from="pool")).all()


def test_mahalanobis_equals_the_library_when_there_are_many_labels(view: PoolView) -> None:
    known = ~view.is_ood
    library = Mahalanobis(None).fit_features(
        torch.from_numpy(view.labeled_embeddings[known]),
        torch.from_numpy(view.labels.classes[known]),
    )
    # The library divides the distance by two, and not the covariance by the number of labels.
    expected = -2 * known.sum() * library.predict_features(torch.from_numpy(view.embeddings))
    assert_allclose(purity("mahalanobis", view, shrinkage=1e-6), expected.numpy(), rtol=1e-3)


@pytest.mark.parametrize("labels", ["two of a class", "nine", "all"])
def test_mahalanobis_equals_the_definition_with_few_labels(view: PoolView, labels: str) -> None:
    two = np.flatnonzero(numbers(view.labels) == 1)[:2]
    chosen = {"two of a class": two, "nine": np.arange(9), "all": np.arange(60)}[labels]
    few = replace(
        view, labels=view.labels[chosen], labeled_embeddings=view.labeled_embeddings[chosen]
    )
    known = ~few.is_ood
    x, y = few.labeled_embeddings[known].astype(float), few.labels.classes[known]
    means = {c: x[y == c].mean(axis=0) for c in set(y.tolist())}
    residuals = np.stack([row - means[c] for row, c in zip(x, y.tolist(), strict=True)])
    covariance = residuals.T @ residuals / len(residuals)
    squares, trace = float((covariance**2).sum()), float(np.trace(covariance))
    # Chen et al., equation 23, without the terms in 2 / D.
    share = min(1, (squares + trace**2) / ((len(residuals) + 1) * (squares - trace**2 / 12)))
    precision = np.linalg.inv((1 - share) * covariance + share * trace / 12 * np.eye(12))
    expected = [
        -min((row - mean) @ precision @ (row - mean) for mean in means.values())
        for row in view.embeddings.astype(float)
    ]
    assert_allclose(purity("mahalanobis", few), expected, rtol=1e-3)


def test_mahalanobis_does_not_depend_on_the_origin(view: PoolView) -> None:
    # All of these are exact in float32.
    pool, labeled = (
        (np.round(rows * 256) / 256).astype(np.float32)
        for rows in (view.embeddings, view.labeled_embeddings)
    )
    offset = np.float32(4096)
    near = replace(view, embeddings=pool, labeled_embeddings=labeled)
    far = replace(view, embeddings=pool + offset, labeled_embeddings=labeled + offset)
    assert_allclose(purity("mahalanobis", far), purity("mahalanobis", near), rtol=1e-2)


def test_mahalanobis_of_one_example_per_class_is_euclidean(view: PoolView) -> None:
    two = np.array([int(np.flatnonzero(numbers(view.labels) == c)[0]) for c in (0, 1)])
    pair = replace(view, labels=view.labels[two], labeled_embeddings=view.labeled_embeddings[two])
    expected = [
        -min(float((x - mean) @ (x - mean)) for mean in pair.labeled_embeddings.astype(float))
        for x in view.embeddings.astype(float)
    ]
    assert_allclose(purity("mahalanobis", pair), expected, rtol=1e-4)
    single = replace(
        pair, labels=pair.labels[np.array([0])], labeled_embeddings=pair.labeled_embeddings[:1]
    )
    with pytest.raises(NotReady, match="has 1; label more examples"):
        purity("mahalanobis", single)


def test_mahalanobis_of_repeated_examples_is_euclidean(view: PoolView) -> None:
    rows = view.labeled_embeddings[[0, 0, 0, 1, 1, 1]] / np.float32(3)
    same = replace(view, labels=said([0, 0, 0, 1, 1, 1]), labeled_embeddings=rows)
    expected = [
        -min(float((x - mean) @ (x - mean)) for mean in rows.astype(float))
        for x in view.embeddings.astype(float)
    ]
    assert_allclose(purity("mahalanobis", same), expected, rtol=1e-4)


def _cosines(view: PoolView, x: NDArray[Any], labels: set[int]) -> list[float]:
    assert view.labeled_contrastive is not None
    return [
        float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
        for y, label in zip(
            view.labeled_contrastive.astype(float), numbers(view.labels), strict=True
        )
        if int(label) in labels
    ]


def test_csi_equals_the_definition(view: PoolView) -> None:
    assert view.contrastive is not None
    features = view.contrastive.astype(float)
    nearest = np.array([max(_cosines(view, x, {0, 1, 2})) for x in features])
    lengths = np.array([math.sqrt(float(x @ x)) for x in features])
    assert_allclose(purity("csi", view), nearest, atol=1e-5)
    assert_allclose(purity("csi", view, times_norm=True), nearest * lengths, atol=1e-4)
    farthest = [1 - max(_cosines(view, x, {-1})) for x in features]
    assert_allclose(purity("csi_ood", view), farthest, atol=1e-5)


@pytest.mark.parametrize("name", ["csi", "csi_ood"])
def test_csi_waits_for_features_and_answers(view: PoolView, name: str) -> None:
    with pytest.raises(NotReady, match="start the job learn_features"):
        purity(name, replace(view, contrastive=None, labeled_contrastive=None))
    other = {"csi": -1, "csi_ood": 0}[name]
    with pytest.raises(NotReady, match="there are none"):
        purity(name, replace(view, labels=said([other] * 60)))


def test_odin_needs_a_model(view: PoolView) -> None:
    with pytest.raises(NotReady, match="score the pool again"):
        purity("odin", replace(view, model=None))


def test_clip_equals_one_image_at_a_time(view: PoolView, clip_weights: str) -> None:
    from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizer

    model = CLIPModel.from_pretrained(clip_weights, local_files_only=True).eval()
    tokenizer = CLIPTokenizer.from_pretrained(clip_weights, local_files_only=True)
    processor = CLIPImageProcessor.from_pretrained(clip_weights, local_files_only=True)
    part = view.take(np.array([0, 7, 199]))
    assert view.model is not None
    assert part.indices is not None
    cosines = []
    for image in view.model.pixels(part.indices):
        tokens = tokenizer(["my cat", "my dog", "my car"], padding=True, return_tensors="pt")
        pixels = processor(images=image, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**tokens, **pixels).logits_per_image[0] / model.logit_scale.exp()
        cosines.append(logits.numpy())
    settings = {"classes": "cat,  dog,", "template": "my {}", "weights": clip_weights}
    sums = [sum(_probability(row / 0.01)[:2]) for row in cosines]
    assert_allclose(purity("clip", part, **settings, ood="car"), sums, rtol=1e-3)
    largest = [_largest_probability(row[:2], 1.0) for row in cosines]
    assert_allclose(purity("clip", part, **settings), largest, rtol=1e-4)


def _probability(row: NDArray[Any]) -> list[float]:
    weights = [math.exp(float(value) - float(row.max())) for value in row]
    return [weight / sum(weights) for weight in weights]


def test_clip_says_what_is_missing(view: PoolView, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotReady, match="set its parameter classes"):
        purity("clip", view)
    with pytest.raises(NotReady, match="what else the pool shows"):
        purity("clip", view, classes="cat")
    with pytest.raises(NotReady, match="hf download nobody/nothing"):
        purity("clip", view, classes="cat, dog", weights="nobody/nothing")
    with pytest.raises(NotReady, match="score the pool again"):
        purity("clip", replace(view, model=None), classes="cat, dog")
    with pytest.raises(ModelError, match="weights"):
        validate("purity", "clip", {"weights": "../secrets"})
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(NotReady, match=r"install karat\[clip\]"):
        purity("clip", view, classes="cat, dog")


def test_k_plus_1_equals_the_library(view: PoolView) -> None:
    scaling = Scaling.fit(view.labeled_embeddings)
    outputs = view.labels.outputs(view.classes)
    reference = LogisticRegression(C=1 / 0.5, tol=1e-8, max_iter=5000).fit(
        scaling.apply(view.labeled_embeddings), outputs
    )
    expected = 1 - reference.predict_proba(scaling.apply(view.embeddings))[:, -1]
    assert_allclose(purity("k_plus_1", replace(view, ood_logits=None)), expected, atol=1e-3)


def test_k_plus_1_of_an_example_hangs_on_no_other(view: PoolView) -> None:
    view = replace(view, ood_logits=None)
    some = np.array([3, 50])
    expected = purity("k_plus_1", view)[some]
    assert_allclose(purity("k_plus_1", view.take(some)), expected, rtol=1e-5)


def test_k_plus_1_takes_the_output_of_the_model(view: PoolView) -> None:
    ood = np.linspace(-3, 3, len(view.logits)).astype(np.float32)
    mine = replace(view, ood_logits=ood, labels=said([0] * len(view.labels)))
    expected = [
        sum(math.exp(f) for f in row) / (sum(math.exp(f) for f in row) + math.exp(o))
        for row, o in zip(view.logits.tolist(), ood.tolist(), strict=True)
    ]
    assert_allclose(purity("k_plus_1", mine), expected, rtol=1e-5)


@pytest.mark.parametrize("labels", ["all in", "all ood"])
def test_k_plus_1_waits_for_answers_of_both_kinds(view: PoolView, labels: str) -> None:
    one = said([0 if labels == "all in" else OOD] * len(view.labels))
    with pytest.raises(NotReady, match="k_plus_1"):
        purity("k_plus_1", replace(view, ood_logits=None, labels=one))
