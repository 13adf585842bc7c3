"""Features of words and pieces of words, learned on the pool."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import hstack
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from models.catalog.params.networks import HashedNgramsParams
from models.errors import Cancelled, ModelError
from models.features.embed import embed_pool, restore_extractor
from models.media import embedding_files
from models.media.texts import store as text_store
from models.media.texts.hashed_ngrams import HashedNgrams
from models.media.texts.store import TextStore
from tests.texts import mailbox

PARAMS = HashedNgramsParams(dimension=12)


def store_of(texts: list[str], folder: Path) -> TextStore:
    with TextStore.writer(folder) as writer:
        writer.write(0, texts)
    return TextStore.open(folder, len(texts))


def test_it_is_latent_semantic_analysis_of_hashed_counts(tmp_path: Path) -> None:
    texts, _ = mailbox(90)
    found = HashedNgrams.fit(store_of(texts, tmp_path), PARAMS, seed=0).extract(texts)
    counts = hstack(
        [
            HashingVectorizer(
                analyzer=analyzer, ngram_range=lengths, alternate_sign=False, norm=None
            ).transform(texts)
            for analyzer, lengths in (("word", (1, 2)), ("char_wb", (3, 5)))
        ],
        format="csr",
    )
    counts = counts[:, np.flatnonzero((counts > 0).sum(axis=0) >= 2)]
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    rows = normalize(TruncatedSVD(12, algorithm="arpack", random_state=0).fit_transform(weighted))
    # Directions are as the other's but for their signs, so what is compared are the cosines.
    assert_allclose(found @ found.T, rows @ rows.T, atol=0.03)


def test_texts_of_a_kind_lie_together(tmp_path: Path) -> None:
    texts, kinds = mailbox(150)
    x = HashedNgrams.fit(store_of(texts, tmp_path), PARAMS, seed=0).extract(texts)
    alike = x @ x.T - 2 * np.eye(len(x))
    assert (kinds[alike.argmax(axis=1)] == kinds).mean() > 0.9


def test_letters_are_the_same_however_they_are_composed(tmp_path: Path) -> None:
    texts = [f"{text} Größe {number} 고양이" for number, text in enumerate(mailbox(40)[0])]
    apart = [unicodedata.normalize("NFD", text) for text in texts]
    learned = HashedNgrams.fit(store_of(texts, tmp_path / "texts"), PARAMS, seed=0)
    found = learned.extract(texts)
    assert_array_equal(learned.extract(apart), found)
    other = HashedNgrams.fit(store_of(apart, tmp_path / "apart"), PARAMS, seed=0)
    assert_array_equal(other.extract(texts), found)
    # What an earlier version has learned goes on as it was.
    tensors = {name: one for name, one in learned.tensors.items() if name != "composed"}
    assert not np.array_equal(HashedNgrams(tensors, PARAMS).extract(apart), found)


def test_it_is_the_same_each_time_and_after_a_restart(tmp_path: Path) -> None:
    texts, _ = mailbox(80)
    store, out = store_of(texts, tmp_path / "store"), tmp_path / "x.npy"
    params = {"dimension": 12, "kept": 500}
    embed_pool(store, "hashed_ngrams", params, out=out, seed=3)
    embed_pool(store, "hashed_ngrams", params, out=tmp_path / "again.npy", seed=3)
    x = np.load(out)
    assert_array_equal(np.load(tmp_path / "again.npy"), x)
    assert_array_equal(restore_extractor(out).extract(texts[:5]), x[:5])
    assert out.with_suffix(".extractor.safetensors").stat().st_size < 50_000


def test_a_killed_embedding_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, _ = mailbox(90)
    store, out = store_of(texts, tmp_path / "store"), tmp_path / "x.npy"
    monkeypatch.setattr(text_store, "_MOST_TEXTS", 10)
    monkeypatch.setattr(embedding_files, "_BLOCKS_PER_SAVE", 2)
    embed_pool(store, "hashed_ngrams", {"dimension": 8}, out=tmp_path / "whole.npy", seed=0)
    seen: list[str] = []
    extract = HashedNgrams.extract

    def watched(self: HashedNgrams, texts: list[str]) -> object:
        seen.extend(texts)
        return extract(self, texts)

    def kill(step: int, steps: int) -> None:  # noqa: ARG001
        if seen and step == 40:
            raise Cancelled

    monkeypatch.setattr(HashedNgrams, "extract", watched)
    with pytest.raises(Cancelled):
        embed_pool(store, "hashed_ngrams", {"dimension": 8}, out=out, seed=0, progress=kill)
    embed_pool(store, "hashed_ngrams", {"dimension": 8}, out=out, seed=0)
    assert seen == texts
    assert_array_equal(np.load(out), np.load(tmp_path / "whole.npy"))


@pytest.mark.parametrize("texts", [[""], ["!"], ["one text"], ["", "  ", "?"], ["ab", "cd"]])
def test_a_pool_in_which_nothing_is_in_common_is_embedded(texts: list[str], tmp_path: Path) -> None:
    out = tmp_path / "x.npy"
    embed_pool(store_of(texts, tmp_path / "store"), "hashed_ngrams", {}, out=out, seed=0)
    assert np.load(out).shape[0] == len(texts)
    assert np.isfinite(np.load(out)).all()


def test_a_text_is_read_up_to_a_limit_and_an_empty_pool_refused(tmp_path: Path) -> None:
    texts, _ = mailbox(60)
    params = HashedNgramsParams(dimension=8, characters=100)
    fitted = HashedNgrams.fit(store_of(texts, tmp_path / "store"), params, seed=0)
    long = "invoice for the lamp " * 10
    assert_array_equal(fitted.extract([long]), fitted.extract([long[:100] + " parcel" * 9]))
    with pytest.raises(ModelError, match="no text to learn features from"):
        HashedNgrams.fit(store_of([], tmp_path / "none"), params, seed=0)
