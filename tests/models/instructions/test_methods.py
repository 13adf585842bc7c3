"""Which rows are kept, and why the others are not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from models.catalog import find, parse, specs
from models.catalog.resolve import resolve
from models.errors import ModelError, NotReady
from models.tasks.instructions import methods
from models.tasks.instructions.clusters import constrained_clusters
from models.tasks.instructions.view import Chosen, InstructionView, Ranked

N = 240
NAMES = [spec.name for spec in specs() if spec.kind == "instruction_selection"]
every_method = pytest.mark.parametrize("name", NAMES)


def choose(name: str, view: InstructionView, **params: Any) -> Chosen:
    spec = find("instruction_selection", name)
    found: Chosen = resolve(spec)(view, parse("instruction_selection", name, params))
    return found


def rows(n: int = N, seed: int = 0) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(30, 12))[rng.integers(30, size=n)] + 0.3 * rng.normal(size=(n, 12))
    ).astype(np.float32)


def view_of(seed: int = 0) -> InstructionView:
    """A pool with all that any method needs, a judge's answers among it."""
    rng = np.random.default_rng(7)
    clusters = constrained_clusters(rows(), largest=10, seed=0, clusters=90)
    rankings = {
        cluster: Ranked([rng.permutation(size).tolist() for _ in range(3)], wrong=bool(cluster % 2))
        for cluster, size in enumerate(np.bincount(clusters).tolist())
        if cluster % 5
    }
    scores = rng.integers(0, 11, N) / 2
    scores[::9] = np.nan
    return InstructionView(N, seed, rows(), rng.integers(10, 900, N), scores, clusters, rankings)


@every_method
def test_a_choice_is_distinct_rows_with_a_reason_for_each_and_the_same_by_seed(name: str) -> None:
    chosen = choose(name, view_of())
    assert 0 < len(chosen.kept) < N
    assert len(set(chosen.kept.tolist())) == len(chosen.kept)
    assert chosen.kept.dtype == np.int64
    assert chosen.reasons.shape == (N,)
    kept = np.isin(np.arange(N), chosen.kept)
    assert not set(chosen.reasons[kept]) & set(chosen.reasons[~kept])
    assert set(chosen.reasons) <= set(_documented(name))
    for column in chosen.columns.values():
        assert column.shape == (N,)
    again = choose(name, view_of())
    assert_array_equal(again.kept, chosen.kept)
    assert_array_equal(again.reasons, chosen.reasons)


def _documented(name: str) -> list[str]:
    """The reasons that the method's page lists."""
    page = Path(__file__).parents[3] / f"docs/algorithms/instruction_selection-{name}.md"
    part = page.read_text().partition("**Why a row is kept or not.**")[2].partition("\n\n")[0]
    return part.split("`")[1::2]


@every_method
def test_what_a_method_lacks_is_named_with_the_remedy(name: str) -> None:
    needs = find("instruction_selection", name).needs
    bare = InstructionView(N)
    if not needs:
        assert len(choose(name, bare).kept) == N // 10
        return
    with pytest.raises(NotReady, match=r"This needs .*; (embed|count|let|cluster)"):
        choose(name, bare)


@pytest.mark.parametrize("name", ["max_cover", "random", "longest"])
def test_a_target_is_met_and_never_more_than_there_is(name: str) -> None:
    assert len(choose(name, view_of(), target=17).kept) == 17
    assert len(choose(name, view_of(), target=10_000).kept) == N
    assert len(choose(name, view_of()).kept) == N // 10


def test_of_each_cluster_the_best_of_the_central_ranking_is_kept() -> None:
    clusters = np.array([2, 0, 0, 1, 0, 1, 3, 4, 4])
    rankings = {
        # Rows 1, 2 and 4: the middle of three orders has row 4 first.
        0: Ranked([[2, 0, 1], [2, 1, 0], [0, 2, 1]]),
        1: Ranked([[1, 0]]),
        2: Ranked(wrong=False),
        3: Ranked(wrong=True),
    }
    view = InstructionView(9, clusters=clusters, rankings=rankings)
    chosen = choose("fp_instruction", view)
    assert chosen.kept.tolist() == [4, 5, 0]
    assert chosen.reasons.tolist() == [
        "alone_kept", "not_best", "not_best", "not_best", "best_of_cluster", "best_of_cluster",
        "alone_wrong", "unranked", "unranked",
    ]  # fmt: skip
    assert chosen.columns["rank"][[4, 1, 2, 5, 3]].tolist() == [1, 2, 3, 1, 2]
    # W of two orders or more alone, equal in a cluster.
    assert np.isfinite(chosen.columns["w"]).tolist() == [c == 0 for c in clusters]
    assert 0 < chosen.columns["p_value"][1] <= 1
    drawn = choose("fp_instruction", view, refusals="draw", singletons="keep")
    assert sorted(drawn.reasons[[7, 8]]) == ["drawn_unranked", "unranked"]
    assert drawn.reasons[6] == "alone_kept"
    assert "alone_dropped" in choose("fp_instruction", view, singletons="drop").reasons[[0]]


def test_no_place_in_a_cluster_is_preferred_where_answers_leave_the_best_open() -> None:
    count = 400
    clusters = np.repeat(np.arange(count), 2)
    rankings = {cluster: Ranked([[0, 1], [1, 0]]) for cluster in range(count)}
    view = InstructionView(2 * count, clusters=clusters, rankings=rankings)
    kept = choose("fp_instruction", view, permutations=2).kept
    assert len(kept) == count
    assert (kept % 2).mean() == pytest.approx(0.5, abs=0.1)
    dropped = choose("fp_instruction", view, permutations=2, ties="drop")
    assert len(dropped.kept) == 0
    assert set(dropped.reasons) == {"tied"}


def test_scores_are_kept_from_the_best_down_and_ties_by_lot() -> None:
    scores = np.array([5, np.nan, 4.5, 4.5, 4, 4.5, 0])
    kept = methods.by_scores(scores, at_least=4.5, seed=0)
    assert kept[0] == 0
    assert sorted(kept[1:].tolist()) == [2, 3, 5]
    second = {int(methods.by_scores(scores, size=2, seed=seed)[1]) for seed in range(30)}
    assert second == {2, 3, 5}
    assert len(methods.by_scores(scores, seed=0)) == 6
    assert len(methods.by_scores(scores, size=99, seed=0)) == 6


def test_a_cover_leaves_less_far_from_it_than_chance_and_its_opposite_more() -> None:
    embeddings = rows(600, 3)
    picks = {
        "max": methods.max_cover(embeddings, 60, 0),
        "random": methods.random(600, 60, 0),
        "min": methods.min_cover(embeddings, 60, 0),
    }
    far = {name: _to_nearest(embeddings, kept) for name, kept in picks.items()}
    assert far["max"] < far["random"] < far["min"]
    for kept in picks.values():
        assert len(set(kept.tolist())) == 60
    # Neighbours of the row that was drawn, nearest first.
    first = picks["min"][0]
    distances = np.linalg.norm(embeddings - embeddings[first], axis=1)
    assert_array_equal(picks["min"], np.argsort(distances, kind="stable")[:60])


def _to_nearest(embeddings: NDArray[np.float32], kept: NDArray[np.int64]) -> float:
    far = np.linalg.norm(embeddings[:, None] - embeddings[kept], axis=2)
    return float(far.min(axis=1).mean())


def test_duplicates_are_picked_once_each_at_most() -> None:
    same = np.ones((50, 4), dtype=np.float32)
    for size in (0, 1, 20, 50):
        for kept in (methods.max_cover(same, size, 1), methods.min_cover(same, size, 1)):
            assert len(set(kept.tolist())) == size


def test_one_row_of_each_cluster_is_drawn_evenly() -> None:
    clusters = np.tile([0, 1, 2], 40)
    kept = np.array([methods.k_means_random(clusters, seed) for seed in range(60)])
    assert_array_equal(clusters[kept], np.tile([0, 1, 2], (60, 1)))
    assert kept.mean() == pytest.approx(59.5, abs=12)


def test_longest_come_first_and_more_than_all_is_refused() -> None:
    assert methods.longest(np.array([3, 9, 3, 5]), 3).tolist() == [1, 3, 0]
    with pytest.raises(ModelError, match="5 of 4 rows cannot be chosen; say 0 to 4"):
        methods.random(4, 5, 0)


@pytest.mark.parametrize("name", ["fp_instruction", "k_means_random"])
def test_clusters_and_target_say_the_same(name: str) -> None:
    with pytest.raises(ModelError, match="give one of them"):
        parse("instruction_selection", name, {"clusters": 5, "target": 5})
    assert parse("instruction_selection", name, {"target": 7}).count() == 7
    assert parse("instruction_selection", name, {}).count() is None
