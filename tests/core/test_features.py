"""By which features something was looked up: told by what has made them."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from core.artifacts.features import Features, looked_up_in, name_of
from core.errors import Conflict
from core.files.storage import Storage

LEARNED = {"fitted_on": "80", "name": "patch_kmeans"}


def made_by(path: Path, value: float, described: dict[str, str]) -> Path:
    """Features of a maker of one number."""
    np.save(path, np.ones((2, 3), dtype=np.float32))
    save_file({"a": np.full(2, value)}, path.with_suffix(".extractor.safetensors"), described)
    return path


def test_copies_keep_the_name_and_what_is_learned_anew_has_another(tmp_path: Path) -> None:
    path = made_by(tmp_path / "x-1.npy", 1.0, LEARNED)
    name = name_of(path)
    # As a restore leaves them, or a map where nothing can be linked: at another time.
    maker = shutil.move(path.with_suffix(".extractor.safetensors"), tmp_path / "kept")
    shutil.copyfile(maker, path.with_suffix(".extractor.safetensors"))
    assert name_of(path) == name
    assert name_of(made_by(path, 2.0, LEARNED)) != name
    # A network has learned nothing of the pool, and earlier versions do not say.
    assert name_of(made_by(path, 2.0, {})) == "x-1.npy"
    path.with_suffix(".extractor.safetensors").write_bytes(b"garbage")
    assert name_of(path) == "x-1.npy"


def test_what_an_earlier_version_has_looked_up_is_compared_by_the_name(tmp_path: Path) -> None:
    last = Features("x", made_by(tmp_path / "x-1.npy", 1.0, LEARNED), 0, 2, 3)
    storage = Storage(tmp_path)
    for name in ("x-1.npy", name_of(last.path)):
        assert looked_up_in(storage, 1, name, lambda: last) is last
    for other in ("y-1.npy", "x-1.npy@other"):
        with pytest.raises(Conflict, match="made anew"):
            looked_up_in(storage, 1, other, lambda: last)
