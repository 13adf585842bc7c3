"""Checks an installation: a line of JSON for each finding, as soon as it is made.

``python -m workers.verify [--stopped]``. The status is 3 if anything is wrong.
"""

import argparse
import json
import sys
from collections.abc import Iterator

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

import migrations
from core.db import sync_engine
from core.settings import Settings, settings
from workers.verify import answers, files, log, snapshots, work
from workers.verify.check import Check, Finding, run

# Unlike that of a crash.
_UNSOUND = 3
CHECKS: tuple[Check, ...] = (
    *answers.CHECKS,
    *work.CHECKS,
    *log.CHECKS,
    *files.CHECKS,
    *snapshots.CHECKS,
)


def verify(engine: Engine, settings_: Settings, *, running: bool) -> Iterator[Finding]:
    """Every finding; only the first, if the schema is not the one that the checks know."""
    schema = _schema(engine)
    yield schema
    if schema.level == "ok":
        for check in CHECKS:
            yield run(engine, settings_, check, running=running)


def _schema(engine: Engine) -> Finding:
    config = Config()
    config.set_main_option("script_location", next(iter(migrations.__path__)))
    heads = set(ScriptDirectory.from_config(config).get_heads())
    with engine.connect() as connection:
        found = set(MigrationContext.configure(connection).get_current_heads())
    title = "the database has the schema of this version"
    if found == heads:
        return Finding("schema", title, "ok", 0, [], "")
    named = ", ".join(sorted(found)) or "none"
    remedy = "karat up applies the migrations; a newer schema needs a newer Karat."
    return Finding("schema", title, "problem", 1, [f"found {named}"], remedy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stopped", action="store_true", help="no workers are expected to run")
    arguments = parser.parse_args()
    engine = sync_engine(settings())
    sound = True
    try:
        for finding in verify(engine, settings(), running=not arguments.stopped):
            sound = sound and finding.level != "problem"
            sys.stdout.write(json.dumps(finding.to_json()) + "\n")
            sys.stdout.flush()
    except OperationalError as error:
        sys.exit(f"The database cannot be reached: {error.orig}")
    finally:
        engine.dispose()
    sys.exit(0 if sound else _UNSOUND)


if __name__ == "__main__":
    main()
