"""What people call the examples of a project, for sentences that name them."""

from typing import Final, NamedTuple

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
        """ "1 image", "2,000 images"."""
        return f"{count:,} {self.one if count == 1 else self.many}"


NOUNS: Final = {
    Medium.IMAGE: Noun("image", "images", "an image"),
    Medium.TEXT: Noun("text", "texts", "a text"),
}


def noun(medium: str) -> Noun:
    """The words for the examples of a project of ``medium``."""
    return NOUNS[Medium(medium)]
