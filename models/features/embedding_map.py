"""A plane on which images with like embeddings lie together, for pools of any size.

t-SNE (L. van der Maaten, G. Hinton, Visualizing Data using t-SNE, JMLR 2008), its repulsion by
interpolation (G. Linderman et al., Fast interpolation-based t-SNE, Nature Methods 2019), begun from
the principal components with a learning rate that grows with the number of points (D. Kobak,
P. Berens, The art of using t-SNE, Nature Communications 2019). Of a large pool a sample is laid
out, and the others are placed among their nearest of it. Each step leaves a file, so that one who
was killed goes on, and the same seed makes the same map on the same machine.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from models.catalog import parse
from models.catalog.params.embedding_map import EmbeddingMapParams
from models.device import best_device
from models.files import tensorfile
from models.files.arrays import write_array, write_arrays
from models.heads.feature_choice import sides_of
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Progress

COMPONENTS: Final = 50
FEWEST: Final = 5
"""Fewer images lie at one place."""

ITERATIONS: Final = 750
"""Of the layout, of which the first exaggerate."""

_EXAGGERATED: Final = 250
_EXAGGERATION: Final = 12.0
_STEP: Final = 10
_STEPS_A_SAVE: Final = 5
_NEIGHBOURS_OF_OTHERS: Final = 10
_BLOCK: Final = 512
_ROWS_A_FILE: Final = 16_384
_FITTED_ON: Final = 100_000
# Of fewer the tree is faster than the grid; threads wait for each other longer than they work.
_FFT_FROM: Final = 2_000
_THREADS_FROM: Final = 20_000

Spans = Sequence[tuple[int, int]]
Positions = NDArray[np.float64]


def feature_spans(
    model: str, image_size: int | None, width: int, columns: tuple[int, int] | None
) -> list[tuple[int, int]]:
    """Return which columns of embeddings are one kind of features each.

    Args:
        model: of the catalog that made them; empty of none that leaves a choice.
        image_size: side of its images in pixels; None of texts.
        width: D, of the embeddings.
        columns: what the last model looked at; None = all.
    """
    start, stop = columns or (0, width)
    sides = sides_of(parse("model", model, {}), image_size) if model else None
    if sides is not None and start < sides.split < stop:
        return [(start, sides.split), (sides.split, stop)]
    return [(start, stop)]


def reduce(
    rows: Float32Array,
    indices: Indices,
    spans: Spans,
    *,
    out: Path,
    progress: Progress | None = None,
) -> None:
    """Write the principal components of embeddings, (n, d <= 50) float32 .npy.

    Rows have length one before, so that near means alike by cosine; where there are several kinds
    of features each has.

    Args:
        rows: (N, D) float32 embeddings.
        indices: (n,) rows that are wanted, ascending.
        spans: see `feature_spans`.
        out: where they go.
        progress: counts images, twice; may raise `Cancelled`.
    """
    count = len(indices)
    sample = indices[:: max(1, -(-count // _FITTED_ON))]
    width = sum(stop - start for start, stop in spans)
    total, squares = np.zeros(width), np.zeros((width, width))
    seen = 0
    for block in _blocks(len(sample), _ROWS_A_FILE):
        values = _unit(rows, sample[block], spans).astype(np.float64)
        total += values.sum(axis=0)
        squares += values.T @ values
        seen += len(values)
        if progress is not None:
            progress(min(seen, count), 2 * count)
    mean = total / seen
    _, vectors = np.linalg.eigh(squares / seen - np.outer(mean, mean))
    axes = vectors[:, ::-1][:, : min(COMPONENTS, width)]
    # A direction and its opposite are the same to eigh; one has to be chosen.
    largest = np.abs(axes).argmax(axis=0)
    axes = (axes * np.sign(axes[largest, np.arange(axes.shape[1])])).astype(np.float32)
    found = np.empty((count, axes.shape[1]), dtype=np.float32)
    for block in _blocks(count, _ROWS_A_FILE):
        found[block] = (_unit(rows, indices[block], spans) - mean.astype(np.float32)) @ axes
        if progress is not None:
            progress(count + block.stop, 2 * count)
    write_array(out, found)


def _unit(rows: Float32Array, indices: Indices, spans: Spans) -> Float32Array:
    values = np.asarray(rows[indices], dtype=np.float32)
    return np.concatenate([unit_rows(values[:, start:stop]) for start, stop in spans], axis=1)


def drawn(count: int, most: int, seed: int) -> Indices:
    """Return which of n images are laid out themselves: (m,) int64, ascending."""
    if count <= most:
        return np.arange(count, dtype=np.int64)
    chosen: Indices = np.sort(np.random.default_rng(seed).permutation(count)[:most])
    return chosen


def neighbours_wanted(params: EmbeddingMapParams, count: int) -> int:
    """Return how many neighbours each of m images is laid out by: three times the perplexity."""
    return max(1, min(count - 1, round(3 * params.perplexity)))


def find_neighbours(
    points: Float32Array,
    among: Float32Array,
    wanted: int,
    *,
    folder: Path,
    own: bool,
    progress: Progress | None = None,
) -> tuple[NDArray[np.int32], Float32Array]:
    """Find the nearest points, exactly; killed, it goes on with the block in which it was.

    Args:
        points: (n, d) float32.
        among: (m, d) float32.
        wanted: k.
        folder: keeps what is done, block by block.
        own: whether `points` are `among`, and none is its own neighbour.
        progress: counts points; may raise `Cancelled`.

    Returns:
        (n, k) int32 rows of `among`, the nearest first, and (n, k) float32 distances.
    """
    folder.mkdir(parents=True, exist_ok=True)
    device = best_device()
    reference = torch.from_numpy(among).to(device)
    squares = (reference * reference).sum(dim=1)
    found, distances = [], []
    for block in _blocks(len(points), _ROWS_A_FILE):
        file = folder / f"{block.start:09}.npz"
        if not file.exists():
            rows, apart = _nearest(
                points[block], reference, squares, wanted, block.start if own else None, progress,
                (block.start, len(points)),
            )  # fmt: skip
            write_arrays(file, {"rows": rows, "apart": apart})
        with np.load(file) as kept:
            found.append(kept["rows"])
            distances.append(kept["apart"])
    return np.concatenate(found), np.concatenate(distances)


def _nearest(
    points: Float32Array,
    reference: torch.Tensor,
    squares: torch.Tensor,
    wanted: int,
    first: int | None,
    progress: Progress | None,
    done: tuple[int, int],
) -> tuple[NDArray[np.int32], Float32Array]:
    rows = np.empty((len(points), wanted), dtype=np.int32)
    apart = np.empty((len(points), wanted), dtype=np.float32)
    for block in _blocks(len(points), _BLOCK):
        if progress is not None:
            progress(done[0] + block.start, done[1])
        part = torch.from_numpy(points[block]).to(reference.device)
        distances = torch.addmm(squares, part, reference.T, alpha=-2)
        if first is not None:
            at = torch.arange(block.start, block.stop, device=reference.device)
            distances[at - block.start, at + first] = torch.inf
        values, places = distances.topk(wanted, largest=False)
        values = (values + (part * part).sum(dim=1, keepdim=True)).clamp(min=0).sqrt()
        rows[block] = places.to(torch.int32).cpu().numpy()
        apart[block] = values.cpu().numpy()
    return rows, apart


class Layout:
    """The layout of m images by their neighbours."""

    def __init__(
        self,
        rows: NDArray[np.int32],
        distances: Float32Array,
        begin: Positions,
        *,
        perplexity: float,
    ) -> None:
        """Begin.

        Args:
            rows: (m, k) neighbours of each.
            distances: (m, k) float32, how far they are.
            begin: (m, 2) where they are at first, with a standard deviation of about 1e-4.
            perplexity: at most k / 3 counts.
        """
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors
        from openTSNE.tsne import TSNEEmbedding, gradient_descent

        threads = torch.get_num_threads() if len(rows) >= _THREADS_FROM else 1
        index = PrecomputedNeighbors(rows.astype(np.int64), distances.astype(np.float64))
        near = PerplexityBasedNN(
            knn_index=index, perplexity=min(perplexity, rows.shape[1] / 3), n_jobs=threads
        )
        self._near, self._weights = near, near.P.data.copy()
        self._descent = gradient_descent()
        self._positions = TSNEEmbedding(
            begin,
            near,
            optimizer=self._descent,
            n_jobs=threads,
            negative_gradient_method="fft" if len(rows) >= _FFT_FROM else "bh",
        )
        self.done = 0

    def step(self, iterations: int = _STEP) -> None:
        """Go on by some iterations, all before or all after the exaggeration ends."""
        early = self.done < _EXAGGERATED
        # It is multiplied, and divided again with what rounding leaves.
        self._near.P.data[:] = self._weights
        self._positions = self._positions.optimize(
            iterations,
            inplace=True,
            exaggeration=_EXAGGERATION if early else None,
            momentum=0.5 if early else 0.8,
            learning_rate=max(200.0, len(self._positions) / _EXAGGERATION),
        )
        self.done += iterations

    @property
    def positions(self) -> Positions:
        """(m, 2), where the images are now."""
        return np.asarray(self._positions)

    def save(self, path: Path) -> None:
        """Write all that `restore` needs, atomically."""
        arrays = {
            "positions": self.positions,
            "update": self._descent.update,
            "gains": self._descent.gains,
        }
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        tensorfile.write(path, tensors, {"done": str(self.done)})

    def restore(self, path: Path) -> None:
        """Go on where another attempt was."""
        tensors, noted = tensorfile.read(path)
        self._positions[:] = tensors["positions"].numpy()
        self._descent.update = tensors["update"].numpy()
        self._descent.gains = tensors["gains"].numpy()
        self.done = int(noted["done"])


def lay_out(
    points: Float32Array,
    rows: NDArray[np.int32],
    distances: Float32Array,
    params: EmbeddingMapParams,
    *,
    seed: int,
    checkpoint: Path,
    progress: Progress | None = None,
) -> Positions:
    """Lay m images out by their neighbours; killed, it goes on.

    Args:
        points: (m, d) float32 principal components.
        rows: (m, k) neighbours.
        distances: (m, k) float32.
        params: see the schema.
        seed: tells apart what begins at the same place.
        checkpoint: keeps how far it is.
        progress: counts iterations; may raise `Cancelled`.

    Returns:
        (m, 2) float64.
    """
    layout = Layout(rows, distances, beginning(points, seed), perplexity=params.perplexity)
    if checkpoint.exists():
        layout.restore(checkpoint)
    while layout.done < ITERATIONS:
        if progress is not None:
            progress(layout.done, ITERATIONS)
        layout.step()
        if layout.done % (_STEP * _STEPS_A_SAVE) == 0:
            layout.save(checkpoint)
    return layout.positions


def beginning(points: Float32Array, seed: int) -> Positions:
    """Return where a layout begins: the first two components, (m, 2) with deviation 1e-4."""
    two = np.zeros((len(points), 2))
    width = min(2, points.shape[1])
    two[:, :width] = points[:, :width]
    two *= 1e-4 / max(float(two[:, 0].std()), 1e-12)
    return np.asarray(two + np.random.default_rng(seed).normal(scale=1e-7, size=two.shape))


def place_others(
    points: Float32Array,
    chosen: Indices,
    positions: Positions,
    *,
    folder: Path,
    progress: Progress | None = None,
) -> Positions:
    """Place all n images: those that were laid out where they are, others among their nearest.

    Args:
        points: (n, d) float32 principal components.
        chosen: (m,) which were laid out.
        positions: (m, 2) where.
        folder: keeps what is done.
        progress: counts images; may raise `Cancelled`.

    Returns:
        (n, 2) float64.
    """
    placed = np.empty((len(points), 2))
    placed[chosen] = positions
    others = np.delete(np.arange(len(points)), chosen)
    if len(others):
        near, _ = find_neighbours(
            points[others],
            points[chosen],
            min(_NEIGHBOURS_OF_OTHERS, len(chosen)),
            folder=folder,
            own=False,
            progress=progress,
        )
        # The median: a mean of two groups would lie between them, where neither is.
        for block in _blocks(len(others), _ROWS_A_FILE):
            placed[others[block]] = np.median(positions[near[block]], axis=1)
    return placed


def scaled(positions: Positions) -> Float32Array:
    """Bring (n, 2) positions into -1..1 about zero, as (n, 2) float32."""
    middle = positions - (positions.max(axis=0) + positions.min(axis=0)) / 2
    return np.asarray(middle / max(float(np.abs(middle).max()), 1e-12), dtype=np.float32)


def is_flat(points: Float32Array) -> bool:
    """Whether (n, d) points are too few, or too much alike, to be laid out."""
    return len(points) < FEWEST or float(np.ptp(points, axis=0).max(initial=0)) < 1e-6


def load(path: Path) -> NDArray[Any]:
    """Read what a step has written."""
    found: NDArray[Any] = np.load(path)
    return found


def _blocks(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
