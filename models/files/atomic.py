"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then rename it to `path`.

    A reader sees the old file or the new one, never half of it. A missing folder is made. What a
    process leaves that is killed meanwhile ends with `.part`, as all unfinished files do.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(16)}.part")
    try:
        write(partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
