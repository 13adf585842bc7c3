"""One check: what is asked comes as JSON on the standard input, what is found goes out in lines."""

import errno
import hashlib
import io
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np

from core.errors import DomainError
from core.files import disk
from core.media.images.rendition import rendered
from core.settings import settings
from core.states import Medium
from models.errors import ModelError
from models.media.texts.store import TextStore
from workers.check.asked import Asked, Eta, tell
from workers.check.gather import Gathered, gather
from workers.check.inputs import opened
from workers.check.judging import Judged, judge
from workers.check.page import (
    Page,
    contradicted_images,
    distinct,
    how_many,
    how_sure,
    left_aside,
)
from workers.check.tables import rows, schema_of, write_csv, write_parquet
from workers.imports.items import Fetched, Refused, beginning

_FAILED: Final = 1
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SIDE: Final = 240
_CHARACTERS: Final = 4_000
_QUALITY: Final = 75
_UNREAD: Final = Refused("not looked at")


def main() -> int:
    """Run one check; returns the exit status, which is 0 if the reports are written."""
    is_written = False
    for number in _SIGNALS:
        signal.signal(number, _end)
    try:
        asked = Asked.model_validate_json(sys.stdin.read())
        with tempfile.TemporaryDirectory(prefix="karat-check-") as work:
            result = check(asked, Path(work))
            # From here on all of it is written, or none.
            _ignore()
            publish(Path(work), asked)
            is_written = True
        tell({"result": result})
    except KeyboardInterrupt as ended:
        return 128 + (ended.args[0] if ended.args else signal.SIGINT)
    except BrokenPipeError:
        # Whoever asked has gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if is_written else _FAILED
    except (DomainError, ModelError, OSError) as error:
        tell({"error": _told(error)})
        return _FAILED
    return 0


def check(asked: Asked, work: Path) -> dict[str, Any]:
    """Read, judge and report into ``work``.

    Args:
        asked: What to check.
        work: An empty folder.

    Returns:
        What to say of it, JSON-ready.

    Raises:
        DomainError: What is asked cannot be checked, or the disk is too small.
        ModelError: Features cannot be computed.
    """
    course = Eta()
    gathered = gather(asked, work, settings(), course)
    judged = judge(gathered, work, course)
    return _report(asked, work, gathered, judged, course)


def publish(work: Path, asked: Asked) -> None:
    """Put what ``check`` wrote where it was asked for: all three reports, or none.

    Args:
        work: The folder of the check.
        asked: What was checked.

    Raises:
        OSError: They cannot be written there.
    """
    for path in asked.reports().values():
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with ExitStack() as parts:
        ready: dict[Path, Path] = {}
        for kind, path in asked.reports().items():
            # Beside its place, since another disk takes no file by its name alone.
            part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
            parts.callback(part.unlink, missing_ok=True)
            shutil.copyfile(_written(work, kind), part)
            ready[part] = path
        for part, path in ready.items():
            part.replace(path)


def _written(work: Path, kind: str) -> Path:
    return work / f"report.{kind}"


def _report(
    asked: Asked, work: Path, gathered: Gathered, judged: Judged, course: Eta
) -> dict[str, Any]:
    listed = distinct(judged.listed(asked.share))
    shown, contradicted = listed[: asked.shown], contradicted_images(judged)
    files = asked.reports()
    course.begin("report")
    wanted = [*contradicted, *(one.given.image for one in shown)]
    pictures: Mapping[int, bytes | str]
    if gathered.medium is Medium.TEXT:
        pictures = _beginnings(gathered, wanted)
    else:
        pictures = _pictures(asked, work, gathered, wanted, course)
    table, schema = list(rows(gathered, judged, asked.share)), schema_of(gathered.medium)
    write_csv(_written(work, "csv"), table, schema)
    write_parquet(_written(work, "parquet"), table, schema)
    names = [files[kind].name for kind in ("csv", "parquet")]
    page = Page(gathered, judged, asked.share, asked.path.resolve().name, pictures, names)
    html = page.html(shown, contradicted)
    _written(work, "html").write_text(html, encoding="utf-8")
    noise = judged.noise
    return {
        "files": {kind: str(path) for kind, path in files.items()},
        "medium": gathered.medium,
        f"{gathered.medium}s": len(gathered.names),
        "classes": gathered.classes,
        "judged": judged.judged,
        "wrong": {"rate": noise.rate, "low": noise.low, "high": noise.high},
        "listed": len(listed),
        "expected_wrong": sum(one.wrong or 0.0 for one in listed),
        "contradicted": judged.contradicted,
        "unlabeled": len(gathered.unlabeled),
        f"single_{gathered.medium}_classes": judged.single,
        "refused": gathered.tally.refused,
        "left_out": gathered.tally.left_out + len(gathered.left_out),
        "duplicates": gathered.tally.duplicates,
        "warnings": judged.warnings,
        "said": [how_many(judged), how_sure(listed)],
        "aside": list(left_aside(gathered, judged)),
    }


def _beginnings(gathered: Gathered, shown: Sequence[int]) -> dict[int, str]:
    """What the texts say that the page shows; of long ones how they begin."""
    images, store = list(dict.fromkeys(shown)), gathered.store
    assert isinstance(store, TextStore)
    found: list[str] = []
    for _, texts in store.take(np.array(images, dtype=np.int64)).beginnings(_CHARACTERS + 1):
        found += [beginning(text, _CHARACTERS) for text in texts]
    return dict(zip(images, found, strict=True))


def _pictures(
    asked: Asked,
    work: Path,
    gathered: Gathered,
    shown: Sequence[int],
    course: Eta,
) -> dict[int, bytes]:
    """Small versions of what the page shows, of whole images, which are read once more."""
    wanted = {gathered.digests[image]: image for image in shown}
    # Files may be called alike, and the rows of a Parquet file often are.
    names = {gathered.names[image] for image in wanted.values()}
    found: dict[int, bytes] = {}
    with opened(asked, work) as inputs:
        for item in inputs.images.items(0):
            content = item.read() if item.name in names else _UNREAD
            content = content.content if isinstance(content, Fetched) else content
            if isinstance(content, Refused):
                continue
            image = wanted.get(hashlib.sha256(content).digest())
            if image is not None and image not in found:
                found[image] = _small(content)
                course.progress(len(found), len(wanted))
            if len(found) == len(wanted):
                break
    return found


def _small(content: bytes) -> bytes:
    with rendered(
        content, max_pixels=settings().max_image_pixels, longer=lambda *_: _SIDE
    ) as picture:
        image = picture.image
        image.thumbnail((_SIDE, _SIDE))
        out = io.BytesIO()
        image.save(out, "WEBP", quality=_QUALITY)
    return out.getvalue()


def _told(error: Exception) -> dict[str, Any]:
    if disk.is_full(error):
        return {"code": "disk_full", "detail": "The disk is full; make room, and check again."}
    if isinstance(error, DomainError):
        return {"code": error.code, "detail": error.detail}
    if isinstance(error, OSError) and error.filename is not None:
        return {"code": "unreadable", "detail": f"{error.filename}: {error.strerror}."}
    return {"code": "failed", "detail": str(error)}


def _ignore() -> None:
    for one in _SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    _ignore()
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    sys.exit(main())
