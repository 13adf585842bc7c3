"""What the import's readers say, as it is meant where there is neither an import nor a project."""

from typing import Final

_MEANT: Final = (
    ("the project has no such image; import it first", "there is no such image"),
    (" of this import or of the project", ""),
    (" of the project", ""),
    ("write the whole path that it was imported with", "write its whole path"),
    (", and import it again", ""),
    (", and import again", ""),
    (", or import it on its own once the images are there", ", or check it instead of its folder"),
)


def meant(reason: str) -> str:
    """A reason for whoever checks labels.

    Args:
        reason: For whoever imports.
    """
    for said, instead in _MEANT:
        reason = reason.replace(said, instead)
    return reason
