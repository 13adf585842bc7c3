"""Names: what people may call things, and what annotators see of those of examples."""

from pathlib import PurePosixPath
from typing import Annotated, Final
from unicodedata import category

from pydantic import AfterValidator, StringConstraints

_BREAKS: Final = frozenset({"Cc", "Zl", "Zp"})
"""Control characters, and what begins a line; the joiners within words of Persian are neither."""


def _on_one_line(name: str) -> str:
    if any(category(letter) in _BREAKS for letter in name):
        raise ValueError("write it on one line, without control characters")
    return name


GivenName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    AfterValidator(_on_one_line),
]
"""What somebody calls a project, a class, a person, a token or a server."""


def name_for_annotators(name: str) -> str:
    """The name without its folders: in an ImageFolder they are the classes."""
    return PurePosixPath(name).name
