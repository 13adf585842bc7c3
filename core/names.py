"""When names are the same: of classes, examples, files, columns and snapshots."""

from unicodedata import category, normalize


def composed(name: str) -> str:
    """A name as it is compared and kept (NFC): a letter may be written as one character or two."""
    return normalize("NFC", name)


def alike(name: str) -> str:
    """The same for names that nobody can tell apart at a glance, and some file systems never.

    Case does not matter, nor do characters that are not seen, such as joiners.
    """
    seen = "".join(one for one in name if category(one) != "Cf")
    return composed(composed(seen).casefold())
