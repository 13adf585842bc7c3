"""Several labels of one image: what they say together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.relabeling.frozen import NoiseRate
from models.relabeling.several import together


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 5))
def test_a_label_given_twice_is_two_labels(seed: int, classes: int, images: int) -> None:
    random = np.random.default_rng(seed)
    image = np.concatenate([np.arange(images), random.integers(0, images, 2 * images)])
    # The opinion on an image is the same for all of its labels.
    opinions = random.dirichlet(np.ones(classes), images).astype(np.float32)[image]
    judged = random.dirichlet(np.ones(classes), len(image)).astype(np.float32)
    times = random.integers(1, 4, len(image))
    repeated = np.repeat(np.arange(len(image)), times)
    found = together(judged, opinions, image, times)
    expected = together(
        judged[repeated], opinions[repeated], image[repeated], np.ones_like(repeated)
    )
    np.testing.assert_allclose(found, expected, atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)


@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(0, 60))
def test_no_fewer_are_wrong_than_is_certain(seed: int, count: int, certain: int) -> None:
    random = np.random.default_rng(seed)
    fold = np.arange(count) % 2
    certain = min(certain, count)
    found = NoiseRate.of(random.random(count), random.random(count) < 0.5, fold, certain)
    assert certain / count <= found.low <= found.rate <= found.high <= 1
