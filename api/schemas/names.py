"""Names of examples, as those may see them who are asked about them."""

from pathlib import PurePosixPath


def name_for_annotators(name: str) -> str:
    """The name without its folders: in an ImageFolder they are the classes."""
    return PurePosixPath(name).name
