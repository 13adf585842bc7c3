"""``karat check``."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Annotated, Any, cast

import typer

from core.files.compression import plain_name
from karat.commands.connection import JsonOption
from karat.commands.imports import FolderSplitOption, folder_choices
from karat.progress import check_bar
from karat.terminal import echo, show_error, show_json

_FAILED = 1
_INTERRUPTED = 130
_WORDS = {
    "names": "reading names",
    "images": "reading examples",
    "fitting": "learning what tells them apart",
    "features": "looking at them",
    "judging": "judging labels",
    "report": "writing the report",
}
# What a process has to end by itself: it removes what it has on the disk.
_SECONDS = 30.0


class Unfinished(Exception):
    """The check ended without a result."""


def check(
    path: Annotated[
        Path,
        typer.Argument(
            exists=True,
            metavar="FILE",
            help="Folder with a folder of images or texts for each class, or a zip or tar of "
            "one; a Parquet file of images and labels; a table of texts and labels; or labels of "
            "images that lie beside them, as .csv, .jsonl, .parquet, or .json of COCO or Label "
            "Studio. Each may be compressed: .gz, .bz2, .xz.",
        ),
    ],
    images: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            help="Folder, zip or tar of the images, if they do not lie beside the labels.",
        ),
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option(help="Column of the labels; class_name, label or class unless you say so."),
    ] = None,
    image_column: Annotated[str | None, typer.Option(help="Parquet column of the images.")] = None,
    text_column: Annotated[
        str | None,
        typer.Option(help="Column of the texts, if it is not called text, content or the like."),
    ] = None,
    key_column: Annotated[
        str | None,
        typer.Option(help="Column that says which image a row is about, or names its text."),
    ] = None,
    folder_split: FolderSplitOption = None,
    share: Annotated[
        float,
        typer.Option(
            min=0.05, max=0.99, help="List labels that are wrong with this probability at least."
        ),
    ] = 0.5,
    shown: Annotated[
        int, typer.Option(min=0, max=5000, help="So many of the list in the HTML page.")
    ] = 500,
    out: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Folder for the reports; this one unless you say so."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the labels of a data set that are probably wrong. Needs no server and no project.

    Writes three reports: an HTML page with the images or texts that are most worth a look, and a
    CSV and a Parquet file with every label. Nothing is sent anywhere, and no label is changed.
    What was written by an earlier check of the same name is replaced.

    Ends with status 0 when the reports are written, whatever was found; 1 when the labels cannot
    be judged, and says why; 2 when the command is wrong; and 130 after Ctrl-C.
    """
    folder = _writable(out or Path())
    asked = {
        "path": str(path.resolve()),
        "images": None if images is None else str(images.resolve()),
        "label_column": label_column,
        "image_column": image_column,
        "text_column": text_column,
        "key_column": key_column,
        "folder_split": folder_choices(folder_split),
        "share": share,
        "shown": shown,
        "out": str(folder),
        "stem": f"{_stem(path)}-check",
    }
    result = _run(asked)
    if as_json:
        return show_json(result)
    return _show(result, path)


def _writable(folder: Path) -> Path:
    """The folder of the reports, made if need be: that it cannot be written is said at once."""
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"{folder} cannot be written.", param_hint="--out")
    return folder.resolve()


def _stem(path: Path) -> str:
    name = path.resolve().name
    if not path.is_dir():
        name = PurePath(plain_name(name)).stem
    # As a middle of file names, anywhere.
    return re.sub(r"[^\w.-]+", "_", name).strip("._-") or "labels"


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    """Run the check in a process of its own, and show how far it is."""
    from karat.local.signals import Interrupted, interruptible

    with interruptible(), _work() as work:
        # Its own session: a Ctrl-C reaches it through us, once.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers.check"],
            env={**os.environ, "TMPDIR": work},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            return _follow(process, json.dumps(asked))
        except Interrupted:
            process.send_signal(signal.SIGINT)
            written = _ended(process) == 0
            what = "the reports had been written already" if written else "nothing was written"
            echo(f"Stopped; {what}.", err=True)
            raise typer.Exit(_INTERRUPTED) from None
        except Unfinished as error:
            show_error(str(error))
            raise typer.Exit(_FAILED) from None
        finally:
            _ended(process)


@contextmanager
def _work() -> Iterator[str]:
    """A folder for its pixels and features, which is removed even if it is killed."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="karat-check-", ignore_cleanup_errors=True)
    except OSError as error:
        show_error(f"{error.strerror}.", "Set TMPDIR to a folder that has room.")
        raise typer.Exit(_FAILED) from None
    with folder as path:
        yield path


def _ended(process: "subprocess.Popen[str]") -> int:
    """Its exit status, once it has ended or was made to."""
    try:
        return process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _follow(process: "subprocess.Popen[str]", asked: str) -> dict[str, Any]:
    assert process.stdin is not None
    with process.stdin as stream:
        stream.write(asked)
    with check_bar(_WORDS) as on_progress:
        for event in _events(process):
            if "result" in event:
                return cast("dict[str, Any]", event["result"])
            if "error" in event:
                raise Unfinished(event["error"]["detail"])
            on_progress(event)
    raise Unfinished(ending(process.wait()))


def ending(status: int) -> str:
    """Why a check ended without a word, as far as that is known, and what to do about it.

    Args:
        status: Of its process: below 0 the signal that killed it, above 128 one that it obeyed.
    """
    number = -status if status < 0 else status - 128
    if number <= 0:
        return (
            f"The check failed with status {status}; what it wrote above says at what. Nothing was "
            "written: check again, or check a part of the data set, to see which part it is."
        )
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    known: dict[int, str] = {
        signal.SIGKILL: "as the system does where memory runs out: end what else needs memory, or "
        "check the data set in parts",
        signal.SIGBUS: "most likely as the disk is full: make room there, or set TMPDIR to a "
        "folder that has some",
    }
    why = known.get(number, f"{'from outside' if status > 0 else 'as it crashed'}: check again")
    return f"The check was killed by {name}, {why}. Nothing was written."


def _events(process: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    with process.stdout as stream:
        for line in stream:
            # Killed in the middle of one, it leaves a part of it.
            if line.endswith("\n"):
                yield json.loads(line)


def _show(result: dict[str, Any], path: Path) -> None:
    for warning in result["warnings"]:
        echo(warning, fg="yellow", err=True)
    for line in result["said"]:
        echo(line)
    if count := result["contradicted"]:
        one = result["medium"]
        images = f"One {one} comes" if count == 1 else f"{count:,} {one}s come"
        echo(f"{images} with several labels, of which one at least is wrong.")
    if result["aside"]:
        echo("\nNot judged, or to be known:")
        for line in result["aside"]:
            echo(f"  {line}")
    echo("\nLook at them:")
    echo(f"  {result['files']['html']}")
    echo("All labels, for programs:")
    echo(f"  {result['files']['csv']}\n  {result['files']['parquet']}")
    is_text = result["medium"] == "text"
    ending = PurePath(plain_name(path.name)).suffix.lower()
    if is_text or path.is_dir() or ending in {".zip", ".tar", ".parquet"}:
        echo(
            f"To decide on each with one key: karat up, drop {path.name or 'it'} on the first "
            "page, and choose Find the wrong labels."
        )
