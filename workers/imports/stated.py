"""What a file states of an image in Karat's own words: ``verdict``, ``votes``, and their fields.

Every export of images carries these fields beside what its format has, so that it can come back.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from core.states import Verdict
from core.verdicts.notes import MOST as LONGEST_NOTE
from core.verdicts.notes import plain_note
from workers.imports.items import MAX_NAME, Refused, Said, only, printable, short_name
from workers.imports.meta import extras

VERDICT: Final = "verdict"
VOTES: Final = "votes"
NOTE: Final = "note"
# Of the hash that tells two long names apart.
_DIGITS: Final = 16
UNNAMED: Final = "import"
"""Source of a verdict that names nobody."""
SOURCE: Final = "label_source"
"""Field that says whether a model or a person has said what an image is."""
BY_MODEL: Final = "model"
"""Says so, and is the author of what a model has said."""
OF_MODELS: Final = frozenset({SOURCE, "label_probability", "label_lot", "label_bound"})
"""Fields that say what a label rested on when it was exported."""
OWN: Final = frozenset({
    VERDICT, VOTES, "class", "class_name", "label", "annotator", "seconds", "created_at", NOTE,
    "name", "sha256", "split", "round", "model_version", "predicted", "probability",
    "in_probability", "width", "height", "meta", *OF_MODELS,
})  # fmt: skip
"""Fields that mean something here; others are extras of the image."""
MOST_VOTES: Final = 1000
OF_VOTES: Final = frozenset(
    {VERDICT, "class", "class_name", "label", "annotator", "seconds", "created_at", NOTE}
)
"""Fields that are read of a vote, and of an image that has none."""
EXTRAS: Final = "meta"
"""Field that holds extras, as an object or its JSON."""
READ: Final = OF_VOTES | {VOTES, SOURCE, "name", "split", EXTRAS}
"""Fields that are read of an image."""
_SAYING: Final = frozenset({VERDICT, VOTES, "class", "class_name", "label"})


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of one image.

    Attributes:
        name: What the image was called.
        split: Its split, as it was written.
        label: Its class, which counts if it is for evaluation; of others the verdicts say it.
        said: The verdicts.
        meta: JSON-ready extras.
    """

    name: str | None = None
    split: str | None = None
    label: str | None = None
    said: tuple[Said, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)


def holds_votes(value: object) -> bool:
    """Whether a value is a list of votes, or one of none; what else is called so counts them."""
    return isinstance(value, list) and (not value or any(isinstance(one, dict) for one in value))


def is_stated(fields: Mapping[str, Any], annotations: Collection[str] = ()) -> bool:
    """Whether fields state verdicts, and are not columns of labels themselves.

    Args:
        fields: Names, each with what stands there; of the votes of a table, in any of its rows.
        annotations: Columns of labels.
    """
    if VERDICT in fields and VERDICT not in annotations:
        return True
    return VOTES not in annotations and holds_votes(fields.get(VOTES))


def beside(annotations: Iterable[str]) -> list[str]:
    """Columns of labels that say something beside verdicts, which are not the words of those."""
    return [name for name in annotations if name not in _SAYING]


def read_stated(fields: Mapping[str, Any]) -> Stated | Refused:
    """Read the fields of one image."""
    said = read_said_of(fields)
    if isinstance(said, Refused):
        return said
    name = text(fields.get("name"))
    return Stated(
        name=None if name is None else short_name(name),
        split=text(fields.get("split")),
        label=None if is_of_model(fields) else _class(fields),
        said=said,
        meta=_meta(fields),
    )


def read_said_of(fields: Mapping[str, Any]) -> tuple[Said, ...] | Refused:
    """The ``votes`` of an image, or where it has no such list, its one ``verdict``.

    What a model has said under a certificate is nobody's vote, and does not come back as one.
    """
    votes, of_model = fields.get(VOTES), is_of_model(fields)
    if VERDICT in fields and not holds_votes(votes):
        votes = None
    if votes is not None and not isinstance(votes, list):
        return Refused("votes must be a list")
    if votes and len(votes) > MOST_VOTES:
        return Refused(f"more than {MOST_VOTES} votes on one image")
    found: list[Said] = []
    for vote in [fields] if votes is None else votes:
        if of_model and (vote is fields or _author(vote) == BY_MODEL):
            continue
        one = _vote(vote) if isinstance(vote, dict) else Refused("a vote must be an object")
        if isinstance(one, Refused):
            return one
        if one is not None:
            found.append(one)
    return tuple(found)


def is_of_model(fields: Mapping[str, Any]) -> bool:
    """Whether an image's label is a model's, or a row of a table of verdicts is."""
    table = (fields.get("source"), fields.get("annotator"))
    return fields.get(SOURCE) == BY_MODEL or table == (BY_MODEL, BY_MODEL)


def _author(vote: object) -> object:
    return vote.get("annotator") if isinstance(vote, dict) else None


def _vote(fields: Mapping[str, Any]) -> Said | Refused | None:
    """One verdict; of what has no such field, the class is a label as in a column."""
    word, class_name = text(fields.get(VERDICT)), _class(fields)
    if word is None and (VERDICT in fields or class_name is None):
        return None
    try:
        verdict = None if word is None else Verdict(word)
    except ValueError:
        return Refused(
            f"verdict says {str(word)[:100]!r}: it must be class, ood, unsure or skip. Rename the "
            "column if it means something else"
        )
    if verdict is Verdict.LABEL and class_name is None:
        return Refused("the verdict is class, but no class is named")
    return Said(
        source_name=author_name(text(fields.get("annotator")) or UNNAMED),
        verdict=verdict,
        class_name=class_name if verdict in (Verdict.LABEL, None) else None,
        seconds=read_seconds(fields.get("seconds")),
        at=read_time(fields.get("created_at")),
        note=read_note(fields.get(NOTE)),
    )


def text(value: object) -> str | None:
    """``value`` as text that can be stored; ``None`` if it is empty or missing."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return printable(str(value))


def author_name(text: str) -> str:
    """A person's name that can be stored; of an absurdly long one the end, and what it hashes to.

    Unlike files, two people may be called alike at the end.
    """
    text = printable(text)
    if len(text) <= MAX_NAME:
        return text
    digest = sha256(text.encode()).hexdigest()[:_DIGITS]
    return f"…{text[_DIGITS + 2 - MAX_NAME :]} {digest}"


def read_seconds(value: object) -> float:
    """A time that something took, in seconds; 0 where none is told."""
    try:
        seconds = float(value) if isinstance(value, str | int | float) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return seconds if math.isfinite(seconds) and seconds >= 0 else 0.0


def read_note(value: object) -> str | None:
    """What stands beside a verdict, as much of it as is kept; ``None`` if nothing does."""
    return plain_note(value[:LONGEST_NOTE]) if isinstance(value, str) else None


def read_time(value: object) -> datetime | None:
    """A time in ISO 8601, taken for UTC where it names no zone; ``None`` if it cannot have been."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(at, datetime):
            return None
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if at <= datetime.now(UTC) else None


def _class(fields: Mapping[str, Any]) -> str | None:
    names = (text(only(fields.get(name))) for name in ("class", "class_name", "label"))
    return next((name for name in names if name is not None), None)


def _meta(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The extras of the image: those in ``meta``, an object or its JSON, and unknown fields.

    One that is only called votes is unknown, too: lists are no extras.
    """
    given = fields.get(EXTRAS)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    unknown = {key: value for key, value in fields.items() if key not in OWN or key == VOTES}
    kept = extras(unknown)
    return {**kept, **(extras(given) if isinstance(given, dict) else {})}
