"""What people call the examples of a project, in sentences that are written once.

Errors, notes and warnings are written of images, which most projects hold. Where they leave for
people of a project of another medium they are put into its words (``in_words_of``).
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from core.states import Medium


class Noun(NamedTuple):
    """Words for examples.

    Attributes:
        one: "image".
        many: "images".
        a: "an image".
    """

    one: str
    many: str
    a: str

    def counted(self, count: int) -> str:
        """Say how many: "1 image", "2,000 images"."""
        return f"{count:,} {self.one if count == 1 else self.many}"


def how_many(count: int, one: str) -> str:
    """Say how many there are of what takes an s: "1 label", "2,000 labels"."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


NOUNS: Final[Mapping[Medium, Noun]] = {
    Medium.IMAGE: Noun("image", "images", "an image"),
    Medium.TEXT: Noun("text", "texts", "a text"),
}

# Neither a part of a name, such as image_column or images/, nor what stands in quotes.
_WORD: Final = re.compile(
    r"(?<![\w./-])(?:(?P<an>an) )?(?P<word>image|picture)(?P<many>s?)(?![\w/-]|\.\w)", re.IGNORECASE
)
_QUOTED: Final = re.compile(r"""((?<!\w)'[^']*'(?!\w)|"[^"]*"|`[^`]*`)""")
# Before something that somebody has named.
_NAMED: Final = re.compile(r"\b(?:class|column|field|format|parameter|called|named)\s$", re.I)
# Whoever wrote it knew that there are texts.
_SPEAKS_OF_TEXTS: Final = re.compile(r"\btexts?\b")
_SENTENCES: Final = frozenset({"notes", "warnings"})


def noun(medium: str) -> Noun:
    """The words for the examples of a project of ``medium``."""
    return NOUNS[Medium(medium)]


def in_words_of(medium: str, sentence: str) -> str:
    """A sentence that was written of images, in the words of a medium.

    What stands in quotes, and names such as ``image_column``, stay; so does a sentence that speaks
    of texts already.
    """
    if medium == Medium.IMAGE or _SPEAKS_OF_TEXTS.search(sentence):
        return sentence
    words = noun(medium)

    def put(found: re.Match[str]) -> str:
        if _NAMED.search(found.string[: found.start()]):
            return found[0]
        word = words.many if found["many"] else words.one
        article = "" if not found["an"] else f"{words.a.split()[0]} "
        said = f"{article}{word}"
        return said[0].upper() + said[1:] if found[0][0].isupper() else said

    parts = _QUOTED.split(sentence)
    # What is in quotes has the odd places.
    return "".join(part if at % 2 else _WORD.sub(put, part) for at, part in enumerate(parts))


def result_in_words_of(medium: str, result: dict[str, Any]) -> dict[str, Any]:
    """What a job has to say at its end, with its notes and warnings in the words of a medium."""
    if medium == Medium.IMAGE:
        return result
    return {
        name: [in_words_of(medium, one) if isinstance(one, str) else one for one in value]
        if name in _SENTENCES and isinstance(value, list)
        else value
        for name, value in result.items()
    }
