from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from core import settings
from core.database.engines import sync_engine
from core.files.storage import Storage
from tests.workers.box_files import BoxPool
from tests.workers.import_files import Pool
from tests.world import World
from workers.jobs import context


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    """An empty pool of 8-pixel images with the classes cat and dog."""
    yield Pool(session, Storage(Path(installation.data_dir)), world.project())
    context.sessions().kw["bind"].dispose()


@pytest.fixture
def boxes(world: World, session: Session, installation: settings.Settings) -> Iterator[BoxPool]:
    """An empty pool of boxes with the classes cat and dog."""
    yield BoxPool(session, Storage(Path(installation.data_dir)), world)
    context.sessions().kw["bind"].dispose()


@pytest.fixture
def text_pools(
    world: World, session: Session, installation: settings.Settings
) -> Iterator[Callable[[], Pool]]:
    """Makes empty pools of texts with the classes cat and dog."""

    def make() -> Pool:
        project = world.texts([], classes=("cat", "dog"))
        return Pool(session, Storage(Path(installation.data_dir)), project)

    yield make
    context.sessions().kw["bind"].dispose()


@pytest.fixture
def texts(text_pools: Callable[[], Pool]) -> Pool:
    """One of them."""
    return text_pools()


@pytest.fixture
def engine(installation: settings.Settings) -> Iterator[Engine]:
    """What the installation's database is asked by."""
    engine = sync_engine(installation)
    yield engine
    engine.dispose()
