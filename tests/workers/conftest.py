from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from core import settings
from core.storage import Storage
from tests.workers.import_files import Pool
from tests.world import World
from workers import context


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    """An empty pool of 8-pixel images with the classes cat and dog."""
    yield Pool(session, Storage(Path(installation.data_dir)), world.project())
    context.sessions().kw["bind"].dispose()
