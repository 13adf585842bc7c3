"""Checks an installation: a line of JSON for each finding, as soon as it is made.

``python -m workers.verify [--stopped]``. The status is 3 if anything is wrong.
"""

import argparse
import json
import sys
from collections.abc import Iterator

from alembic.migration import MigrationContext
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from core.database.engines import sync_engine
from core.settings import Settings, settings
from migrations.revisions import known
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
    with engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    title = "the database has the schema of this version"
    if found == known()[-1]:
        return Finding("schema", title, "ok", 0, [], "")
    remedy = "karat up applies the migrations; a newer schema needs a newer Karat."
    return Finding("schema", title, "problem", 1, [f"found {found or 'none'}"], remedy)


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
