"""Tasks as Label Studio exports them (JSON): verdicts from their choices."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from core.media.images.medium import IMAGES
from core.states import Split, Verdict
from workers.imports.drawn import PREDICTED
from workers.imports.formats.metadata import UNREAD
from workers.imports.items import Refused, plain_path, printable, unsettled
from workers.imports.matching import Called
from workers.imports.meta import extras
from workers.imports.split_words import parse_split
from workers.imports.stated import OF_MODELS, read_seconds, text
from workers.imports.stated import SOURCE as SAID_BY

SOURCE: Final = "Label Studio"
"""Source of what names nobody."""
CLASS_CONTROL: Final = "class"
VERDICT_CONTROL: Final = "verdict"
"""Control of our exports whose choices are verdicts, never classes."""
NOTE_CONTROL: Final = "note"
"""Control whose text stands beside the verdict."""
_OURS: Final = ("name", "sha256", "split", SAID_BY)
# What Label Studio puts before the name of a file that is uploaded to it.
_PREFIX: Final = re.compile(r"[0-9a-f]{8}-(?=.)")
# Where it keeps such files, by project; and how it addresses those of the machine.
_UPLOADED: Final = re.compile(r"(?:^|/)(?:data/)?upload/\d+/([^/]+)$")
_LOCAL: Final = re.compile(r"/data/local-files/?\?(?:.*&)?d=(.*)$", re.DOTALL)
# A key in a bucket, which is written as it is: it may have ? and #.
_STORED: Final = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*://[^/]*(/.*)", re.IGNORECASE | re.DOTALL)
WORDS: Final[Mapping[str, Verdict]] = {
    "ood": Verdict.OOD,
    "unsure": Verdict.UNSURE,
    "skip": Verdict.SKIP,
}
# The models of rounds, whose predictions our exports hold beside those that were imported.
_OF_ROUNDS: Final = re.compile(r"round-\d+")
_SILENT: Final = frozenset({Verdict.UNSURE, Verdict.SKIP})


def rows(
    tasks: Iterable[Any],
    name: str,
    problem: Callable[[str, str], None],
    fields: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None,
    *,
    of_model: bool = False,
) -> Iterator[tuple[Sequence[Called], dict[str, Any]]]:
    """Names and fields (of ``stated``, and why a label is not taken) of each task's image.

    Args:
        tasks: Of one document.
        name: What that is called.
        problem: Called with the place of a task that is none, and why.
        fields: Reads what a task says; ``fields_of`` unless given.
        of_model: Whether only what is predicted is read.
    """
    for number, task in enumerate(tasks):
        entry = f"{printable(name)}, entry {number}"
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            problem(entry, "is no task of Label Studio")
            continue
        named = image_names(task["data"])
        if isinstance(named, Refused):
            problem(entry, named.reason)
        else:
            said = without_annotations(task) if of_model else task
            yield named, (fields or fields_of)(said)


def image_names(data: Mapping[str, Any]) -> Sequence[Called] | Refused:
    """What the image of a task may be called, by its address; nothing is fetched."""
    found = data.get("image")
    if isinstance(found, list) and len(found) == 1:
        (found,) = found
    if isinstance(found, list):
        return Refused("the task is about several images")
    if not isinstance(found, str):
        texts = [value for value in data.values() if isinstance(value, str)]
        found = next((one for one in texts if _is_image(one)), "")
    names = [one for one in _names(found) if one.path.strip("/")]
    return names or Refused("the task's data names no image")


def _is_image(address: str) -> bool:
    return any(_suffix(one.path) in IMAGES for one in _names(address))


def _names(address: str) -> list[Called]:
    """Of ``/data/upload/3/a%20b.png``, ``s3://bucket/a.png``, ``/data/local-files/?d=a.png``."""
    local = _LOCAL.search(address)
    if local:
        # It does not encode what it writes there, so that all of it may be the name.
        split = parse_qs(f"d={local[1]}").get("d", [""])[0]
        return _distinct(unquote(local[1]), local[1], split)
    try:
        parts = urlsplit(address)
    except ValueError:
        return _distinct(address)
    signed = parse_qs(parts.query).get("fileuri")
    if signed:
        try:
            return _names(base64.b64decode(signed[0], validate=True).decode())
        except (binascii.Error, ValueError):
            return []
    is_address = "://" in address or address.startswith("/data/")
    stored = _STORED.fullmatch(address)
    path = stored[1] if stored else parts.path if is_address else address
    uploaded = _UPLOADED.search(path)
    if uploaded:
        base = unquote(uploaded[1])
        return [Called(plain_path(base)), *names_before_upload(base)]
    return _distinct(unquote(path), path) if is_address else _distinct(path)


def names_before_upload(path: str) -> list[Called]:
    """What a file may have been called that Label Studio has put below a folder of its own."""
    base = path.rpartition("/")[2]
    return [Called(plain_path(_PREFIX.sub("", base, count=1)), is_made=True)]


def _distinct(*paths: str) -> list[Called]:
    return [Called(path) for path in dict.fromkeys(map(plain_path, paths))]


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def fields_of(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a task says of its image, or its text, which is not among it."""
    votes: list[dict[str, Any]] = []
    unread: list[str] = []
    for annotation in annotations_of(task):
        vote = _vote(annotation)
        if isinstance(vote, Refused):
            unread.append(vote.reason)
        elif vote is not None:
            votes.append(vote)
    fields = about(task)
    split = fields["split"]
    classes = {vote["class"] for vote in votes} - {None}
    # Who skips, or is not sure, contradicts nobody.
    classes = {one for one in classes if one.lower() not in _SILENT} or classes
    is_ood = any(vote.get("verdict") is Verdict.OOD for vote in votes)
    answers = classes | {str(Verdict.OOD)} if is_ood else classes
    label = next(iter(classes), None) if len(answers) == 1 else None
    if split is Split.EVALUATION and len(answers) > 1:
        unread.insert(0, unsettled(answers))
    if unread:
        fields[UNREAD] = unread
    if found := [*filter(None, map(_predicted, predictions_of(task)))]:
        fields[PREDICTED] = found
    return {**fields, "class": label, "votes": [] if split is Split.EVALUATION else votes}


def predictions_of(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What models predict of a task, but for those of Karat's own rounds."""
    is_ours = "sha256" in task["data"]
    found = objects(task.get("predictions"))
    return [one for one in found if not (is_ours and _OF_ROUNDS.fullmatch(model_of(one)))]


def model_of(prediction: Mapping[str, Any]) -> str:
    """The model that predicts, as the file names it."""
    return text(prediction.get("model_version")) or SOURCE


def _predicted(prediction: Mapping[str, Any]) -> dict[str, Any] | None:
    """The choice that a model predicts, and how sure it is; ``None`` where it makes none."""
    vote = _vote(prediction)
    if vote is None:
        return None
    model = model_of(prediction)
    if isinstance(vote, Refused):
        return {"model": model, "refused": vote.reason}
    if vote["class"] is None:
        reason = f"{model} says {vote['verdict']}, and only classes are suggested"
        return {"model": model, "refused": reason}
    score = text(prediction.get("score"))
    return {"model": model, "class": vote["class"], "probability": score}


def about(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a task says of its image beside labels."""
    data: Mapping[str, Any] = task["data"]
    split = parse_split(str(data.get("split", "")))
    # Fields of these names mean what we mean by them only in our own exports.
    ours = {key: data.get(key) for key in _OURS} if "sha256" in data else {}
    # What a model's label rested on says nothing of another; which votes were its, it still tells.
    known = {"image", *ours, *(OF_MODELS if ours else ())}
    others = {key: value for key, value in data.items() if key not in known}
    meta = task.get("meta")
    return {
        **ours,
        "split": split,
        "meta": {**extras(others), **(extras(meta) if isinstance(meta, dict) else {})},
    }


def without_annotations(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task of which only what models predict is said: people's answers are no model's."""
    return {**task, "annotations": None, "completions": None}


def annotations_of(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The annotations of a task, however its version calls them."""
    return objects(task.get("annotations") or task.get("completions"))


def _vote(annotation: Mapping[str, Any]) -> dict[str, Any] | Refused | None:
    """What one annotation says; ``None`` where it was submitted empty."""
    vote = {
        "annotator": author_of(annotation),
        "class": None,
        "seconds": read_seconds(annotation.get("lead_time")),
        "created_at": annotation.get("created_at"),
        "note": note_of(annotation),
    }
    if annotation.get("was_cancelled"):
        return {**vote, "verdict": Verdict.SKIP}
    results = results_of(annotation)
    choices = [
        (one.get("from_name"), printable(str(choice)))
        for one in results
        if isinstance(one.get("value"), dict) and one.get("type") == "choices"
        for choice in listed(one["value"].get("choices"))
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
    if control == VERDICT_CONTROL and choice.lower() in WORDS:
        return {**vote, "verdict": WORDS[choice.lower()]}
    # Only our own exports keep classes and other verdicts apart.
    is_ours = control == CLASS_CONTROL and "annotator" in annotation
    return {**vote, "class": choice, **({"verdict": Verdict.LABEL} if is_ours else {})}


def note_of(annotation: Mapping[str, Any]) -> str | None:
    """What was written into the control of notes."""
    written = (one["value"] for one in objects(annotation.get("result")) if _is_note(one))
    return "\n".join(str(text) for value in written for text in listed(value.get("text"))) or None


def results_of(annotation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The results of an annotation that are no notes."""
    return [one for one in objects(annotation.get("result")) if not _is_note(one)]


def _is_note(result: Mapping[str, Any]) -> bool:
    value = result.get("value")
    # What is written beside a region repeats where that is.
    is_text = result.get("type") == "textarea" and isinstance(value, dict) and "x" not in value
    return is_text and result.get("from_name") == NOTE_CONTROL


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list, or the one that stands where a list may."""
    return [one for one in listed(value) if isinstance(one, dict)]


def listed(value: object) -> list[Any]:
    """What stands in a list, or in its place."""
    return value if isinstance(value, list) else [] if value is None else [value]


def author_of(annotation: Mapping[str, Any]) -> str:
    """The annotator as the file names them: ours by ``annotator``, others by email or number."""
    named, author = annotation.get("annotator"), annotation.get("completed_by")
    if isinstance(author, dict):
        author = author.get("email") or author.get("username") or author.get("id")
    if isinstance(author, int):
        author = f"{SOURCE} user {author}"
    return text(named) or text(author) or SOURCE
