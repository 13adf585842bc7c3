"""Whatever the catalog says serves texts works on a pool of texts; the rest is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from models.catalog import (
    DEFAULT_MODEL,
    Spec,
    find,
    networks_of,
    parse,
    require_served,
    specs,
    suited,
    validate,
)
from models.catalog.params.prune import PruneParams
from models.errors import Cancelled, ModelError
from models.features.chosen import chosen_features, embed_rows
from models.features.duplicates import groups_of, nearest_files, nearest_rows, outlines
from models.features.embed import embed_pool
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore
from models.protocols import OOD, TargetModel
from models.pruning.frozen_warm_up import FrozenWarmUp
from models.pruning.run import prune
from models.pruning.view import PruningView
from models.relabeling.frozen import judge_labels
from models.rounds.query import QuerySettings, score_pool, select
from models.target.train import load_target, train_target
from models.target.trained import HeadModel
from tests.models.open_set import said
from tests.texts import mailbox

COUNT, LABELED = 180, np.arange(0, 180, 3)
POOL = np.setdiff1d(np.arange(COUNT), LABELED)
SMALL: dict[str, Any] = {"dimension": 16, "ood_class": True, "loss_prediction": True}


def serving(*kinds: str) -> Callable[..., Any]:
    chosen = [spec for spec in specs() if spec.kind in kinds and spec.serves("text")]
    return pytest.mark.parametrize("spec", chosen, ids=lambda spec: f"{spec.kind}-{spec.name}")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return mailbox(COUNT)[0]


@pytest.fixture(scope="module")
def kinds() -> NDArray[np.int64]:
    return mailbox(COUNT)[1]


@pytest.fixture(scope="module")
def store(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> TextStore:
    folder = tmp_path_factory.mktemp("texts")
    with TextStore.writer(folder) as writer:
        writer.write(0, texts)
    return TextStore.open(folder, COUNT)


@pytest.fixture(scope="module")
def embeddings(store: TextStore) -> NDArray[np.float32]:
    out = store.folder / "embeddings.npy"
    embed_pool(store, "hashed_ngrams", SMALL, out=out, seed=0)
    found: NDArray[np.float32] = np.load(out)
    return found


@pytest.fixture(scope="module")
def model(
    store: TextStore, embeddings: NDArray[np.float32], kinds: NDArray[np.int64]
) -> TargetModel:
    inside = LABELED[kinds[LABELED] != OOD]
    return train_target(
        store,
        inside,
        kinds[inside],
        classes=2,
        name="hashed_ngrams",
        params=SMALL,
        seed=0,
        ood_indices=LABELED[kinds[LABELED] == OOD],
        embeddings=embeddings,
    )


def round_of(model: TargetModel, kinds: NDArray[np.int64], **chosen: Any) -> NDArray[np.int64]:
    """The first twelve queries by some choices."""
    settings = QuerySettings(**{"strategy": "p_plus_i", "purity": "knn", **chosen})
    scored = score_pool(model, POOL, LABELED, said(kinds[LABELED]), settings, seed=0)
    assert not [note for note in scored.notes if "stands in" in note]
    order = select(scored, POOL, 12, settings, mqnet=None, had_ood=True).order
    assert set(order.tolist()) <= set(POOL.tolist())
    assert len(set(order.tolist())) == 12
    return order


@serving("strategy")
def test_every_strategy_asks(spec: Spec, model: TargetModel, kinds: NDArray[np.int64]) -> None:
    assert_array_equal(
        round_of(model, kinds, strategy=spec.name), round_of(model, kinds, strategy=spec.name)
    )


@serving("purity", "informativeness")
def test_every_score_scores(spec: Spec, model: TargetModel, kinds: NDArray[np.int64]) -> None:
    round_of(model, kinds, **{spec.kind: spec.name})


def test_a_model_of_texts_knows_its_classes_and_is_kept(
    model: TargetModel,
    store: TextStore,
    embeddings: NDArray[np.float32],
    kinds: NDArray[np.int64],
    tmp_path: Path,
) -> None:
    inside = POOL[kinds[POOL] != OOD]
    said = model.infer(inside)
    assert (said.logits.argmax(axis=1) == kinds[inside]).mean() > 0.9
    model.save(tmp_path / "model.safetensors")
    again = load_target(tmp_path / "model.safetensors", store, embeddings=embeddings)
    assert isinstance(again, HeadModel)
    assert_allclose(again.infer(inside).logits, said.logits)
    with pytest.raises(ModelError, match="works on images, and the pool holds texts"):
        model.pixels(inside)


@pytest.fixture(scope="module")
def noisy(kinds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Texts of the classes, and labels of which every tenth is wrong."""
    indices = np.flatnonzero(kinds != OOD)
    labels = kinds[indices].copy()
    labels[::10] = 1 - labels[::10]
    return indices, labels


def warm_up(
    store: TextStore, noisy: tuple[NDArray[np.int64], NDArray[np.int64]], work: Path
) -> FrozenWarmUp:
    params = PruneParams(network="hashed_ngrams", epochs=3, models=2, batch_size=16)
    return FrozenWarmUp(store, *noisy, classes=2, params=params, seed=0, work=work)


@pytest.fixture(scope="module")
def view(
    store: TextStore,
    noisy: tuple[NDArray[np.int64], NDArray[np.int64]],
    tmp_path_factory: pytest.TempPathFactory,
) -> PruningView:
    heads = warm_up(store, noisy, tmp_path_factory.mktemp("warm-up"))
    heads.train()
    return heads.look()


@serving("pruning")
def test_every_method_prunes_by_heads_on_frozen_features(spec: Spec, view: PruningView) -> None:
    pruned = prune(spec.name, view, 40, {})
    assert len(set(pruned.order.tolist())) == 40


def test_a_warm_up_of_heads_tells_wrong_labels_and_is_the_same_after_a_restart(
    view: PruningView,
    store: TextStore,
    noisy: tuple[NDArray[np.int64], NDArray[np.int64]],
    kinds: NDArray[np.int64],
    tmp_path: Path,
) -> None:
    indices, labels = noisy
    wrong = labels != kinds[indices]
    losses, correct = view.given("losses"), view.given("correct")
    assert losses[wrong].mean() > 3 * losses[~wrong].mean()
    assert correct.shape == (3, len(labels))
    assert correct[-1][~wrong].mean() > 0.9
    assert not np.array_equal(*view.given("gradient_norms"))
    assert_array_equal(view.given("self_supervised"), view.given("embeddings"))

    def kill(step: int, steps: int) -> None:
        del step, steps
        raise Cancelled

    killed = warm_up(store, noisy, tmp_path)
    with pytest.raises(Cancelled):
        killed.train(kill)
    killed.train()
    again = killed.look()
    for name in ("embeddings", "logits", "losses", "correct", "gradient_norms"):
        assert_array_equal(again.given(name), view.given(name))


@serving("learner")
def test_every_learner_finds_wrong_labels_as_a_head(
    spec: Spec,
    store: TextStore,
    noisy: tuple[NDArray[np.int64], NDArray[np.int64]],
    kinds: NDArray[np.int64],
    tmp_path: Path,
) -> None:
    indices, labels = noisy
    out = tmp_path / "features.npy"
    embed_rows(store, indices, "hashed_ngrams", {}, seed=0, out=out)
    features = chosen_features(
        np.load(out), labels, "hashed_ngrams", classes=2, image_size=store.size, seed=0
    )
    found = judge_labels(features.embeddings, labels, classes=2, seed=0, learner=spec.name)
    wrong = labels != kinds[indices]
    assert found.wrong[wrong].mean() > 0.7
    assert found.wrong[~wrong].mean() < 0.2


def test_texts_that_differ_by_little_are_duplicates(texts: list[str], tmp_path: Path) -> None:
    # One of each sentence: those of the same differ by a word and a number alone.
    different = list({text[:9]: text for text in texts}.values())
    count = len(different)
    changed = [
        different[3].upper(),
        different[7].replace(".", " !"),
        "  " + different[11].replace(" ", "  "),
    ]
    with TextStore.writer(tmp_path) as writer:
        writer.write(0, different + changed)
    pool = TextStore.open(tmp_path, count + 3)
    embed_pool(pool, "hashed_ngrams", {}, out=tmp_path / "x.npy", seed=0)
    features = np.load(tmp_path / "x.npy")
    nearest_rows(features, features.shape[1], out=tmp_path / "nearest")
    rows, cosines = (np.load(path) for path in nearest_files(tmp_path / "nearest"))
    compare = find("job", "compare")
    params = parse("job", "compare", suited(compare, {}, without_gpu=False, medium="text"))
    group = groups_of(
        rows,
        cosines,
        *outlines(pool),
        similarity=params.similarity,
        correlation=params.correlation,
    )
    expected = np.full(count + 3, -1)
    for place, original in enumerate((3, 7, 11)):
        expected[[original, count + place]] = original
    assert_array_equal(group, expected)


@pytest.mark.parametrize("medium", ["image", "text"])
def test_what_serves_another_medium_is_refused_with_what_serves_this(
    medium: str, store: TextStore, noise_store: PixelStore, tmp_path: Path
) -> None:
    for spec in specs():
        if spec.serves(medium):
            require_served(spec, medium)
            continue
        other = "texts" if medium == "image" else "images"
        with pytest.raises(ModelError, match=f"serves {other}, and this project holds {medium}s"):
            require_served(spec, medium)
        if spec.kind == "model" and "embeddings" in spec.needs:
            pool = store if medium == "text" else noise_store
            with pytest.raises(ModelError, match=f"choose one of .*{DEFAULT_MODEL[medium]}"):
                embed_pool(pool, spec.name, {}, out=tmp_path / "x.npy", seed=0)
    assert find("model", DEFAULT_MODEL[medium]).serves(medium)


def test_a_network_for_images_trains_on_no_text(store: TextStore) -> None:
    with pytest.raises(ModelError, match="works on images, and the pool holds texts"):
        train_target(
            store, np.arange(4), np.arange(4) % 2, classes=2, name="cnn_tiny", params={}, seed=0
        )


@serving("job")
def test_a_job_begins_with_what_serves_texts(spec: Spec) -> None:
    params = validate("job", spec.name, suited(spec, {}, without_gpu=True, medium="text"))
    require_served(spec, "text", params)
    if "network" in params:
        offered = networks_of(spec, "text")
        assert [name for name in offered if name != "auto_text"] == ["minilm", "hashed_ngrams"]
        with pytest.raises(
            ModelError, match=r"model cnn_tiny serves images.*choose one of .*minilm"
        ):
            require_served(spec, "text", {**params, "network": "cnn_tiny"})
        with pytest.raises(ModelError, match="serves texts, and this project holds images"):
            require_served(spec, "image", params)
