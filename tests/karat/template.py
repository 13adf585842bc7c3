"""Commands of ``karat`` as processes that need not import what they stand on.

They are forked from one that has the command line and its libraries. A test types a dozen commands,
and each would import for longer than it works. What ``karat`` imports before it knows the command,
a test of its own looks at.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from karat.local.fork_server import ForkServer
from tests.forks import fork_server
from tests.processes import typed

_LIBRARIES: Final = (
    "karat.cli", "karat.client.client", "core.files.disk", "karat.local.stack",
    "httpcore", "rich.console", "rich.markdown", "rich.progress", "rich.table",
    "typer._adapters", "typer.rich_utils", "psycopg",
    # Of the demo, which reads its pool before it refuses anything.
    "PIL.Image", "pyarrow.parquet", "sklearn.datasets",
)  # fmt: skip


@dataclass
class Template:
    """What commands are forked from."""

    server: ForkServer

    def run(
        self, arguments: list[str], environment: Mapping[str, str], folder: Path, seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """Type ``karat`` with ``arguments`` in a folder; neither end is a terminal.

        Raises:
            subprocess.TimeoutExpired: It took longer, and was killed.
        """
        return typed(self.server, "karat", arguments, environment, folder, seconds)


def template() -> Template:
    """One that ends with this process."""
    return Template(fork_server("commands", _LIBRARIES))
