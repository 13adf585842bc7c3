"""What a check is asked to do, and what it says on its way: lines of JSON, in and out."""

import json
import sys
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from core.jobs.imports import FolderChoice

Phase = Literal["names", "images", "fitting", "features", "judging", "report"]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)

_EVERY: Final = 100


class Asked(BaseModel):
    """What to check, and where to put what was found.

    Attributes:
        path: Folder, zip, tar or Parquet of labeled images; or labels as CSV, JSON Lines, Parquet
            or JSON.
        images: Folder, zip or tar of the images that a file of labels is about; its own folder if
            ``None``.
        label_column: Column of the labels, where its name does not say so.
        image_column: Parquet column of the images.
        text_column: Column of the texts, if these are checked.
        key_column: Column that says which image a row is about, or names a text.
        folder_split: What folders are, by name.
        share: List a label if it is wrong with this probability at least.
        shown: So many of the list are in the HTML page.
        out: Folder of the reports.
        stem: What their names begin with.
    """

    model_config = ConfigDict(extra="forbid")

    path: Path
    images: Path | None = None
    label_column: str | None = None
    image_column: str | None = None
    text_column: str | None = None
    key_column: str | None = None
    folder_split: dict[str, FolderChoice] = {}
    share: float = Field(default=0.5, ge=0.05, le=0.99)
    shown: int = Field(default=500, ge=0, le=5000)
    out: Path
    stem: str

    def reports(self) -> dict[str, Path]:
        """Where each report goes, by its kind."""
        return {kind: self.out / f"{self.stem}.{kind}" for kind in ("html", "csv", "parquet")}


class Eta:
    """Tells whoever started the check how far it is; ``phase`` is what is done now."""

    def __init__(self) -> None:
        """Nothing was told yet."""
        self._told = (-1, 0)
        self.phase: Phase = PHASES[0]

    def begin(self, phase: Phase, steps: int = 0) -> None:
        """Begin a phase of so many steps; 0 where nobody knows."""
        self.phase, self._told = phase, (-1, 0)
        self.progress(0, steps)

    def progress(self, step: int, steps: int) -> None:
        """Note a step; a hundred of a phase are told."""
        part = step * _EVERY // steps if steps else step // _EVERY
        if (part, steps) == self._told:
            return
        self._told = (part, steps)
        index = PHASES.index(self.phase)
        tell({"phase": self.phase, "index": index, "step": step, "steps": steps})


def tell(event: dict[str, Any]) -> None:
    """Write one line; whoever reads it may have gone, and then this ends too."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()
