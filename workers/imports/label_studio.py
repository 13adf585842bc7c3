"""Tasks as Label Studio exports them (JSON): verdicts from their choices."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from core.formats import IMAGES
from core.states import Split, Verdict
from workers.imports.items import Refused, extras, invalid_archive, printable
from workers.imports.layout import parse_split
from workers.imports.metadata import REFUSED, base_of, plain_path
from workers.imports.stated import read_seconds, text

SOURCE: Final = "Label Studio"
"""Source of what names nobody."""
CLASS_CONTROL: Final = "class"
VERDICT_CONTROL: Final = "verdict"
"""Control of our exports whose choices are verdicts, never classes."""
_OURS: Final = ("name", "sha256", "split")
# What Label Studio puts before the name of a file that is uploaded to it.
_UPLOADED: Final = re.compile(r"[0-9a-f]{8}-(?=.)")
_WORDS: Final[Mapping[str, Verdict]] = {
    "ood": Verdict.OOD,
    "unsure": Verdict.UNSURE,
    "skip": Verdict.SKIP,
}


def rows(tasks: Iterable[Any], name: str) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Path, other name and fields (of ``stated``, or why it is refused) of each task's image.

    Raises:
        DomainError: ``invalid_archive`` for a task that is none.
    """
    for number, task in enumerate(tasks):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise invalid_archive(
                f"{printable(name)}: entry {number} is no task of Label Studio. Export as JSON, "
                "not as JSON-MIN."
            )
        path = image_path(task["data"])
        if path is None:
            fields: dict[str, Any] = {REFUSED: "the task's data names no image"}
            yield f"{name}#{number}", None, fields
            continue
        base = base_of(path)
        other = without_prefix(base)
        yield path, None if other == base else other, _fields(task)


def without_prefix(name: str) -> str:
    """The name that a file had before it was uploaded to Label Studio."""
    return _UPLOADED.sub("", name, count=1)


def image_path(data: Mapping[str, Any]) -> str | None:
    """The path in the address of a task's image; nothing is fetched."""
    found = data.get("image")
    if not isinstance(found, str):
        texts = [value for value in data.values() if isinstance(value, str)]
        found = next((one for one in texts if _suffix(_path(one)) in IMAGES), None)
    path = _path(found) if found else ""
    return path.lstrip("/") or None


def _path(address: str) -> str:
    """``/data/upload/3/a%20b.png``, ``s3://bucket/a.png`` or ``/data/local-files/?d=a.png``."""
    if "://" not in address and not address.startswith("/data/"):
        return plain_path(address)
    try:
        parts = urlsplit(address)
        if parts.path.rstrip("/").endswith("/data/local-files"):
            return plain_path(parse_qs(parts.query).get("d", [""])[0])
    except ValueError:
        return plain_path(address)
    return plain_path(unquote(parts.path))


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _fields(task: Mapping[str, Any]) -> dict[str, Any]:
    data: Mapping[str, Any] = task["data"]
    votes = []
    for annotation in _objects(task.get("annotations") or task.get("completions")):
        vote = _vote(annotation)
        if isinstance(vote, Refused):
            return {REFUSED: vote.reason}
        if vote is not None:
            votes.append(vote)
    split = parse_split(str(data.get("split", "")))
    # Fields of these names mean what we mean by them only in our own exports.
    ours = {key: data.get(key) for key in _OURS} if "sha256" in data else {}
    others = {key: value for key, value in data.items() if key not in {"image", *ours}}
    meta = task.get("meta")
    fields: dict[str, Any] = {
        **ours,
        "split": split,
        "meta": {**extras(others), **(extras(meta) if isinstance(meta, dict) else {})},
    }
    classes = {vote["class"] for vote in votes}
    label = classes.pop() if len(classes) == 1 else None
    return {**fields, "class": label, "votes": [] if split is Split.EVALUATION else votes}


def _vote(annotation: Mapping[str, Any]) -> dict[str, Any] | Refused | None:
    """What one annotation says; ``None`` where it was submitted empty."""
    vote = {
        "annotator": _author(annotation),
        "class": None,
        "seconds": read_seconds(annotation.get("lead_time")),
        "created_at": annotation.get("created_at"),
    }
    if annotation.get("was_cancelled"):
        return {**vote, "verdict": Verdict.SKIP}
    results = _objects(annotation.get("result"))
    choices = [
        (one.get("from_name"), printable(str(choice)))
        for one in results
        if isinstance(one.get("value"), dict) and one.get("type") == "choices"
        for choice in _listed(one["value"].get("choices"))
    ]
    if not choices:
        others = {str(one.get("type")) for one in results} - {"choices"}
        if not others:
            return None
        kinds = printable(", ".join(sorted(others)))[:100]
        return Refused(f"an annotation has no choices but {kinds}; Karat labels whole images")
    if len(choices) > 1:
        names = ", ".join(name for _, name in choices)[:100]
        return Refused(f"an annotation has several choices ({names}); an image has one class")
    [(control, choice)] = choices
    if control == VERDICT_CONTROL and choice.lower() in _WORDS:
        return {**vote, "verdict": _WORDS[choice.lower()]}
    # Only our own exports keep classes and other verdicts apart.
    is_ours = control == CLASS_CONTROL and "annotator" in annotation
    return {**vote, "class": choice, **({"verdict": Verdict.CLASS} if is_ours else {})}


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in _listed(value) if isinstance(one, dict)]


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _author(annotation: Mapping[str, Any]) -> str:
    """The annotator as the file names them: ours by ``annotator``, others by email or number."""
    named, author = annotation.get("annotator"), annotation.get("completed_by")
    if isinstance(author, dict):
        author = author.get("email") or author.get("username") or author.get("id")
    if isinstance(author, int):
        author = f"{SOURCE} user {author}"
    return text(named) or text(author) or SOURCE
