"""Files of an installation: images by content, pixel stores, artifacts, uploads, unfinished work.

Every file appears under its final name only when it is whole, by a rename in the same directory.
"""

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

_BLOCK: Final = 1 << 20


class Storage:
    """Layout of the data directory.

    Args:
        root: The data directory; created when first written to.
    """

    def __init__(self, root: Path) -> None:
        """Remember ``root``; nothing is read or written yet."""
        self.root = root

    def image(self, content_hash: bytes) -> Path:
        """File of the image whose SHA-256 is ``content_hash`` (32 bytes)."""
        digest = content_hash.hex()
        return self.root / "images" / digest[:2] / digest

    def put_image(self, content_hash: bytes, content: bytes) -> None:
        """Store an image's original bytes; storing the same content again changes nothing."""
        path = self.image(content_hash)
        if not path.exists():
            write_atomically(path, lambda part: part.write_bytes(content))

    def pixels(self, project_id: int) -> Path:
        """Pixel store of a project: its decoded images at the model's input size."""
        return self.project(project_id) / "pixels.u8"

    def project(self, project_id: int) -> Path:
        """Directory of everything that belongs to one project."""
        return self.root / "projects" / str(project_id)

    def features(self, project_id: int) -> Path:
        """Directory of embeddings that are computed once per pool."""
        return self.project(project_id) / "features"

    def artifact(self, key: str) -> Path:
        """File of an artifact.

        Args:
            key: ``artifacts.storage_key``, a relative path.
        """
        return self.root / key

    def job_log(self, project_id: int, job_id: int) -> Path:
        """What a job has said of itself, over all its attempts."""
        return self.project(project_id) / "jobs" / str(job_id) / "job.log"

    def work(self, job_id: int) -> Path:
        """Directory for what a job has finished so far; removed when it succeeds."""
        return self.root / "work" / str(job_id)

    def upload(self, name: str) -> Path:
        """File of an upload that waits for its import."""
        return self.root / "uploads" / name

    def remove_project(self, project_id: int) -> None:
        """Remove a project's own files. Images stay: other projects may hold the same content."""
        shutil.rmtree(self.project(project_id), ignore_errors=True)


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then rename it to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
