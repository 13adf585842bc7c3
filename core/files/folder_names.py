"""Names of classes as folders that every system and shell accepts, and back; names of files too.

What a name may not hold is written as its UTF-8 bytes, each ``%`` and two hexadecimal digits, as in
addresses: ``CON`` becomes ``%43ON``, and ``a/b`` becomes ``a%2Fb``.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

LABELING_CONFIG: Final = "labeling-config.xml"
"""Label Studio's labeling interface, in exports for it."""
LITTER: Final = frozenset(
    {
        "__macosx", "thumbs.db", "desktop.ini", LABELING_CONFIG, "missing.txt", "renamed.txt",
        "classes.txt", "filters.txt", "data.yaml",
    }
)  # fmt: skip
"""What lies beside images and is none, in small letters; an import passes it by."""

# Separators and what Windows refuses; what expands between quotes of a shell, or in a pattern; what
# ends a line.
_NOWHERE: Final = re.compile(r"""[/\\:*?"<>|$`'!\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]""")
# Separators, what Windows refuses, and what ends a line.
_IN_NO_FILE: Final = re.compile(r"""[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u2028\u2029]""")
_NOWHERE_ELSE: Final = frozenset({"", ".", ".."})
_NOT_FIRST: Final = frozenset("-~.")
# Windows takes them for devices, with any ending, and some versions also with the digit 0.
# (Microsoft, "Naming Files, Paths, and Namespaces")
_DEVICES: Final = frozenset(
    {"CON", "PRN", "AUX", "NUL"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"}
)
# File systems take 255 bytes, and Windows by default 260 characters for the whole path.
_MOST_BYTES: Final = 200
# Stands in no whole name, as every % there is followed by digits.
_CUT: Final = "%~"
_ESCAPED: Final = re.compile(rb"%([0-9A-F]{2})")
_LEADING: Final = re.compile(r"(?:%[0-9A-F]{2})*")


def to_folder(name: str) -> str:
    """``name``, which is not empty, as one part of a path; at most 200 bytes.

    ``from_folder`` gives it back, unless that was too long: then a hash stands for its end.
    """
    return _cut(_escaped(name, 0), name)


def from_folder(folder: str) -> str:
    """The name that became ``folder``; ``folder`` itself if no name becomes that."""
    if "%" not in folder:
        return folder
    try:
        name = _unescaped(folder)
        leading = len(_unescaped(_LEADING.match(folder)[0]))  # type: ignore[index]
    except UnicodeError:
        return folder
    return name if name and _escaped(name, leading) == folder else folder


def folders_of(names: Iterable[str]) -> dict[str, str]:
    """A folder for each of ``names``, no two of which are one where capitals count for nothing.

    Nor where normal forms of Unicode do. ``from_folder`` gives the name of each back.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    # Names that need no change come first and keep theirs.
    for name in sorted(names, key=lambda name: (to_folder(name) != name, name)):
        leading = 0
        while alike(folder := _cut(_escaped(name, leading), name)) in taken:
            leading += 1
        taken.add(alike(folder))
        found[name] = folder
    return found


def to_path(name: str, ending: str = "") -> str:
    """``name``, a path as it came, as one that every system takes and that leads out of no folder.

    What a part may not hold becomes ``_``; what only leads elsewhere is left out. Of a part that is
    too long the beginning is kept, at most 200 bytes of it and ``ending``.

    Args:
        name: Folders and a file, by either slash.
        ending: What the file is to end with.
    """
    above, _, file = name.replace("\\", "/").rpartition("/")
    stem = file.removesuffix(ending)
    return f"{_folders(above)}{_part('' if stem in _NOWHERE_ELSE else stem)}{ending}"


@lru_cache(maxsize=1024)
def _folders(path: str) -> str:
    return "".join(f"{_part(part)}/" for part in path.split("/") if part not in _NOWHERE_ELSE)


def _part(name: str) -> str:
    kept = _IN_NO_FILE.sub("_", name).encode()[:_MOST_BYTES].decode(errors="ignore").strip(". ")
    device = kept.partition(".")[0].rstrip(" ").upper()
    return f"_{kept}" if not kept or device in _DEVICES or kept.lower() in LITTER else kept


def _escaped(name: str, leading: int) -> str:
    """``name`` with what has to be escaped, and at least its ``leading`` first characters, so."""
    device = name.partition(".")[0].rstrip(" ").upper()
    if device in _DEVICES or name.lower() in LITTER:
        leading = max(leading, 1)
    last = len(name) - 1
    return "".join(
        "".join(f"%{byte:02X}" for byte in sign.encode())
        if at < leading
        or sign == "%"
        or _NOWHERE.match(sign)
        or (at == 0 and (sign in _NOT_FIRST or sign.isspace()))
        or (at == last and (sign == "." or sign.isspace()))
        else sign
        for at, sign in enumerate(name)
    )


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode()


def _cut(folder: str, name: str) -> str:
    if len(folder.encode()) <= _MOST_BYTES:
        return folder
    end = _CUT + hashlib.sha256(name.encode()).hexdigest()[:16]
    start = folder.encode()[: _MOST_BYTES - len(end)].decode(errors="ignore")
    # Half an escape would make another sign with what follows.
    return re.sub(r"%[0-9A-F]?$", "", start) + end


def alike(name: str) -> str:
    """The same for names, or paths, that some file system does not tell apart."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).upper().casefold())
