"""Topics of instruction rows: large groups that are found again, and named by their own words."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from models.tasks.instructions.topics import MOST, topics_of, words_of


def test_topics_are_groups_of_like_rows_the_largest_first() -> None:
    random = np.random.default_rng(0)
    centres = np.eye(4, 16, dtype=np.float32)
    true = np.repeat(np.arange(4), (70, 20, 90, 20))
    rows = centres[true] + 0.05 * random.standard_normal((200, 16)).astype(np.float32)
    topics = topics_of(rows, seed=3)
    assert (topics_of(rows, seed=3) == topics).all()
    sizes = np.bincount(topics)
    assert 2 <= len(sizes) <= MOST
    assert (np.diff(sizes) <= 0).all()
    # A topic holds rows of one group, as there may be more topics than groups.
    finest = np.array([np.bincount(true[topics == one]).argmax() for one in range(len(sizes))])
    assert adjusted_rand_score(true, finest[topics]) == 1
    assert topics_of(rows[:40], seed=3).max() == 0


def test_topics_are_named_by_words_that_others_have_not() -> None:
    texts = ["What is the capital of Peru?", "Name the capital of Chad.", "Sort the words, please."]
    named = words_of(texts, np.array([0, 0, 1]), 3)
    assert named[0][0] == "capital"
    assert "the" not in named[0]
    assert set(named[1]) == {"please", "sort", "words"}
    assert named[2] == []
