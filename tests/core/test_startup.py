import gc
import importlib

import pytest

from core.process.startup import uncollected


def test_garbage_is_collected_again_after_an_import_that_fails() -> None:
    with pytest.raises(ModuleNotFoundError), uncollected():
        importlib.import_module("nowhere.to_be_found")
    assert gc.isenabled()


def test_what_collects_nothing_goes_on_so() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
