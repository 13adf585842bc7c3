"""Views that are kept between scoring and selection."""

from pathlib import Path

import numpy as np
from numpy.testing import assert_array_equal

from models.protocols import PoolView
from models.rounds import view_files
from tests.models.open_set import numbers


def test_verdicts_are_kept_also_by_a_version_that_had_ood_among_the_classes(
    view: PoolView, tmp_path: Path
) -> None:
    view_files.save(view, tmp_path, embeddings=True)
    kept = view_files.load(tmp_path, logits=view.logits)
    (tmp_path / "is_ood.npy").unlink()
    np.save(tmp_path / "labels.npy", numbers(view.labels))
    earlier = view_files.load(tmp_path, logits=view.logits)
    for found in (kept, earlier):
        assert_array_equal(found.labels.is_ood, view.is_ood)
        assert_array_equal(found.labels.classes, view.labels.classes)
    assert_array_equal(kept.embeddings, view.embeddings)
