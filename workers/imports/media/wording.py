"""What the readers say, who speak of images, as it is said of texts.

Both share their code, and so its reasons; the app looks for either in its language, as it is
written here.
"""

import re
from collections.abc import Callable
from typing import Final

_OF_TEXTS: Final = {
    "an evaluation image needs a label": "an evaluation text needs a label",
    "an evaluation image needs a class": "an evaluation text needs a class",
    "the project has no such image; import it first": (
        "the project has no such text; import it first"
    ),
    "no image of the project has this name; write the whole path that it was imported with, such "
    "as {}": (
        "no text of the project has this name; write the whole name that it was imported with, "
        "such as {}"
    ),
    "no image of the project has this {}": "no text of the project has this {}",
    "{} images have this name; say which by sha256 or example_id": (
        "{} texts have this name; say which by sha256 or example_id"
    ),
    "the image is in the split {}; only the pool is annotated": (
        "the text is in the split {}; only the pool is annotated"
    ),
    "its {} and its {} mean different images; say which holds with key_column={} or "
    "key_column={}": (
        "its {} and its {} mean different texts; say which holds with key_column={} or "
        "key_column={}"
    ),
    "labels of this image contradict each other ({}), and all are kept": (
        "labels of this text contradict each other ({}), and all are kept"
    ),
    "the image is in another split, and stays there": (
        "the text is in another split, and stays there"
    ),
    "the import brings this image for several splits; it is in one": (
        "the import brings this text for several splits; it is in one"
    ),
    "what is said is of other bytes, by its sha256; leave the column sha256 out if the image was "
    "converted since": (
        "what is said is of another text, by its sha256; leave the column sha256 out if the text "
        "was changed since"
    ),
    "example_id {} is not the number of an image": "example_id {} is not the number of a text",
    "the row holds no image": "the row holds no text",
    "more than {} votes on one image": "more than {} votes on one text",
    "an annotation has no choices but {}; Karat labels whole images": (
        "an annotation has no choices but {}; Karat labels whole texts"
    ),
    "an annotation has several choices ({}); an image has one class": (
        "an annotation has several choices ({}); a text has one class"
    ),
    "it names no image by {}": "it names no text by {}",
}


def _compiled(said: str, instead: str) -> tuple[re.Pattern[str], Callable[[re.Match[str]], str]]:
    pattern = re.escape(said).replace(r"\{\}", "(.+?)")
    if said.endswith("{}"):
        pattern = f"{pattern[: -len('(.+?)')]}(.+)"
    return re.compile(pattern, re.DOTALL), lambda found: instead.format(*found.groups())


_COMPILED: Final = [_compiled(*pair) for pair in _OF_TEXTS.items()]


def of_texts(reason: str) -> str:
    """A reason that speaks of images, where the project holds texts.

    Args:
        reason: As the readers give it, several perhaps in one.
    """
    if "image" not in reason:
        return reason
    for pattern, instead in _COMPILED:
        reason = pattern.sub(instead, reason)
    return reason
