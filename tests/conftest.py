"""How all tests are found and shared out; what they are given is in ``tests.fixtures``."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.process.startup import uncollected
from tests.shared import OWNER, SHARED, lasting_folder

ROOT = Path(__file__).resolve().parent.parent
LONG_FIRST = ("chaos", "compose", "docs", "e2e", "security", "karat", "workers", "models")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let long tests read real images."""
    parser.addoption("--cifar10", type=Path, help="folder of CIFAR-10 as Parquet, with CIFAR-10N")
    parser.addoption(
        "--fuzz-cases", type=int, default=20_000, help="requests that the long tests make up"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Give the processes of a run, which inherit this one's environment, a directory to share.

    Where others run the tests, this one needs none of the product, which takes seconds to import
    before they can start.
    """
    if not hasattr(config, "workerinput"):
        os.environ |= {SHARED: str(lasting_folder()), OWNER: str(os.getpid())}
    if not config.getoption("numprocesses", None):
        config.pluginmanager.import_plugin("tests.fixtures")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """A process a core and one more, as each waits for servers and browsers now and then."""
    wanted = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    return int(wanted) if wanted else (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: none is left to one process when others are done."""
    rank = {name: place for place, name in enumerate(LONG_FIRST)}
    items.sort(key=lambda item: rank.get(item.path.relative_to(ROOT / "tests").parts[0], len(rank)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are found, nor ever in what is there by then.

    A million objects of libraries live as long as the process; looking through them again and
    again was half of the time that finding takes, and a quarter of a test's. What tests make is
    collected as ever.
    """
    with uncollected():
        try:
            return (yield)
        finally:
            gc.freeze()
