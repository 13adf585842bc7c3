"""What folders and split columns mean: which wrap an upload, are splits, or are classes. Pure.

The rule, which ``docs/engineers/images.md`` tells users:

1. A word means a split: ``train`` and ``training`` the pool; ``test``, ``testing``, ``val``,
   ``valid`` and ``validation`` the evaluation; our own names themselves. Case, separators, numbers
   at the end (``val2017``) and words like ``images``, ``set`` or ``data`` change nothing, and
   ``dev``, ``eval`` and ``holdout`` mean the evaluation too; but such a word alone around
   everything is only a folder around everything.
2. Any number of single folders around everything says nothing, nor does ``images`` or the like
   where it is the one folder in each split.
3. Where folders of the pool and of the evaluation stand side by side, they are splits. What else
   stands beside them is left out and named: it may be anything.
4. Where only one of the two stands beside other folders, it is a split if classes below it are also
   beside it, or below what is beside it. Otherwise ``train`` is a class, and what means the
   evaluation is left out and named: test images never enter the pool by a guess.
5. Splits may also stand below the classes: ``cat/test/1.png``.
6. Whoever sends the upload may say of each folder what it is; that goes before all of this.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import splitext
from typing import Final

from core.formats import IMAGES
from core.imports import FolderChoice
from core.states import Split, Verdict

_CERTAIN: Final[Mapping[str, Split]] = {
    "train": Split.POOL,
    "training": Split.POOL,
    "test": Split.EVALUATION,
    "testing": Split.EVALUATION,
    "val": Split.EVALUATION,
    "valid": Split.EVALUATION,
    "validation": Split.EVALUATION,
}
_IN_COMPANY: Final[Mapping[str, Split]] = {
    "dev": Split.EVALUATION,
    "development": Split.EVALUATION,
    "eval": Split.EVALUATION,
    "holdout": Split.EVALUATION,
    "hold out": Split.EVALUATION,
    "heldout": Split.EVALUATION,
    "held out": Split.EVALUATION,
}
_OURS: Final[Mapping[str, Split]] = {split.replace("_", " "): split for split in Split}
_WORDS: Final = {**_CERTAIN, **_IN_COMPANY, **_OURS}
_SEPARATORS: Final = re.compile(r"[\s_\-.]+")
_NUMBER: Final = re.compile(r"\s?\d+$")
_FILLING: Final = frozenset(
    {"set", "split", "data", "dataset", "images", "image", "imgs", "img", "files", "folder"}
)
_GLUED: Final = re.compile(r"(?:set|data|dataset|images|imgs)$")
_FLAG: Final = re.compile(r"(?:is[ _])?([^=]+)=(true|false|1|0|yes|no)")
_YES: Final = frozenset({"true", "1", "yes"})
# Folders beside those of splits for images that have no class.
_NO_CLASS: Final = frozenset({Verdict.OOD, Verdict.UNSURE, Verdict.SKIP})
_MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Meaning:
    """The split that a name means; ``certain`` if it does so also where it stands alone."""

    split: Split
    certain: bool
    own: bool = False


def meaning(name: str) -> Meaning | None:
    """What a folder's name, or a value of a split column, means; ``None`` if it is no split."""
    plain = " ".join(_SEPARATORS.split(unicodedata.normalize("NFKC", name).casefold())).strip()
    if plain in _OURS:
        return Meaning(_OURS[plain], certain=True, own=True)
    if plain in _CERTAIN:
        return Meaning(_CERTAIN[plain], certain=True)
    plain = _NUMBER.sub("", plain)
    words = [word for word in plain.split(" ") if word not in _FILLING]
    for text in (" ".join(words), _GLUED.sub("", " ".join(words))):
        if text in _WORDS:
            return Meaning(_WORDS[text], certain=False)
    return None


def parse_split(text: str) -> Split | None:
    """The split that ``text`` names: a word for one, or ``is_test=true`` (see ``split_text``)."""
    found = meaning(text)
    if found is not None:
        return found.split
    flag = _FLAG.fullmatch(unicodedata.normalize("NFKC", text).strip().casefold())
    named = meaning(flag[1]) if flag else None
    if flag is None or named is None or named.split is Split.AUXILIARY_OOD:
        return None
    other = Split.EVALUATION if named.split is Split.POOL else Split.POOL
    return named.split if flag[2] in _YES else other


def is_flag(column: str) -> bool:
    """Whether a column is called like ``is_test``: it says yes or no to one split."""
    name = column.casefold()
    return name.startswith(("is_", "is ")) and meaning(name[3:]) is not None


def split_text(column: str, value: object) -> str | None:
    """What a split column says of one row, as a name; ``None`` if it says nothing.

    Of a column that is called after a split, yes and no are told with its name: ``is_test=true``.
    """
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    if not text:
        return None
    flag = f"{column}={text.lower()}"
    return flag if meaning(text) is None and parse_split(flag) is not None else text


def row_split(fields: Mapping[str, object], flags: Iterable[str] = ()) -> str | None:
    """What a row says of its split: in ``split``, else in ``flags``, columns like ``is_test``.

    Of several flags the one that says yes. What they say of different splits is told together, and
    is the name of none.
    """
    said = split_text("split", fields.get("split"))
    if said is not None:
        return said
    found = [text for name in flags if (text := split_text(name, fields.get(name))) is not None]
    yes = [text for text in found if text.rpartition("=")[2] in _YES]
    # In any order of the columns.
    texts = sorted(set(yes or found))
    if len({parse_split(text) for text in texts}) > 1:
        return " and ".join(texts)
    return next(iter(texts), None)


def normal(name: str) -> str:
    """``name`` as names of folders and values are compared."""
    return unicodedata.normalize("NFC", name).strip()


@dataclass(frozen=True, slots=True)
class Placed:
    """What the folders of one path say.

    Attributes:
        split: Folder that stands for a split, or that is not sure.
        label: Folder that stands for a class.
        unsure: Why the path is left out unless its sender says what ``split`` is.
    """

    split: str | None = None
    label: str | None = None
    unsure: str | None = None


@dataclass(frozen=True)
class Layout:
    """How an upload's folders are meant.

    Attributes:
        depth: Folders to drop from the front, which wrap everything.
        level: Classes that stand above the folders of splits: 0 or 1.
        splits: Folders that mean a split, as paths below those that are dropped.
        unsure: Folders that are left out, with the reason.
        filling: The one folder directly below each split that says nothing, if there is one.
    """

    depth: int = 0
    level: int = 0
    splits: frozenset[str] = frozenset()
    unsure: Mapping[str, str] = field(default_factory=dict)
    filling: frozenset[str] = frozenset()

    def place(self, path: str) -> Placed:
        """What the folders of ``path`` say of it."""
        folders = path.split("/")[self.depth : -1]
        above, below = folders[: self.level], folders[self.level + 1 :]
        key = "/".join(folders[: self.level + 1])
        reason = self.unsure.get(key)
        if len(folders) <= self.level or (key not in self.splits and reason is None):
            return Placed(label=folders[0] if folders else None)
        if below and below[0] in self.filling:
            del below[0]
        label = next(iter([*below[:1], *above]), None)
        return Placed(folders[self.level], label, reason)


class Folders:
    """The folders of an upload, gathered file by file."""

    def __init__(self) -> None:
        """None yet."""
        self._images: set[str] = set()
        self._others: set[str] = set()
        self.described: set[str] = set()
        self.tables: set[str] = set()

    def add(self, path: str) -> None:
        """Note an image, or what is not called like one: that counts if nothing else is there."""
        is_image = splitext(path)[1].lower() in IMAGES
        (self._images if is_image else self._others).add(path.rpartition("/")[0])

    def describe(self, path: str, *, is_table: bool) -> None:
        """Note a file that says something of others: a table of ours, or another tool's document.

        What a folder's own table describes is what is below that folder.
        """
        folder = path.rpartition("/")[0]
        self.described.add(folder)
        if is_table:
            self.tables.add(folder)

    @property
    def holding(self) -> set[str]:
        """The folders that hold images themselves."""
        return self._images or self._others


@dataclass(frozen=True)
class _Sorted:
    """Names of folders that stand side by side: those of splits, and those that are not sure."""

    splits: frozenset[str] = frozenset()
    unsure: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.splits or self.unsure)


def layout(folders: Folders, chosen: Mapping[str, FolderChoice] | None = None) -> Layout:
    """Decide what the folders of an upload are.

    Args:
        folders: All of them.
        chosen: What its sender says of some, by name.
    """
    choices = {normal(name): choice for name, choice in (chosen or {}).items()}
    tree = _tree(folders.holding)
    base, depth = _unwrapped(folders, tree, choices)
    tops = {name: tree[_join(base, name)] for name in tree[base]}
    found = _sort(tops, choices, is_loose=base in folders.holding)
    if found:
        within = {frozenset(tops[name]) for name in found.splits}
        single = next(iter(within)) if len(within) == 1 else frozenset[str]()
        is_filling = len(single) == 1 and single <= _FILLING
        return Layout(depth, 0, found.splits, found.unsure, single if is_filling else frozenset())
    inner: dict[str, set[str]] = defaultdict(set)
    for top, names in tops.items():
        for name in names:
            inner[name] |= tree[_join(_join(base, top), name)]
    is_loose = any(_join(base, top) in folders.holding for top in tops)
    found = _sort(inner, choices, is_loose=is_loose)
    # A class that is not divided into splits has folders of its own.
    known = {*found.splits, *(name for name in found.unsure if meaning(name) is not None)}
    pairs = [(top, name) for top, names in tops.items() if names & known for name in names]
    return Layout(
        depth,
        1 if pairs else 0,
        frozenset(f"{top}/{name}" for top, name in pairs if name in found.splits),
        {f"{top}/{name}": found.unsure[name] for top, name in pairs if name in found.unsure},
    )


def _tree(folders: Iterable[str]) -> Mapping[str, set[str]]:
    """The names of the folders in each folder; ``""`` is around all."""
    tree: dict[str, set[str]] = defaultdict(set)
    for folder in folders:
        while folder:
            parent, _, name = folder.rpartition("/")
            if name in tree[parent]:
                break
            tree[parent].add(name)
            folder = parent
    return tree


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _unwrapped(
    folders: Folders, tree: Mapping[str, set[str]], choices: Mapping[str, FolderChoice]
) -> tuple[str, int]:
    """The innermost folder around everything, and how many there are."""
    base, depth = "", 0
    while base not in folders.holding and base not in folders.tables and len(tree[base]) == 1:
        name = next(iter(tree[base]))
        inner, found = _join(base, name), meaning(name)
        if normal(name) in choices or (found is not None and found.certain):
            break
        if not tree[inner] and inner not in folders.described:
            break
        base, depth = inner, depth + 1
    return base, depth


def _sort(
    below: Mapping[str, Collection[str]], choices: Mapping[str, FolderChoice], *, is_loose: bool
) -> _Sorted:
    """Tell the folders that stand side by side apart.

    Args:
        below: The names of the folders in each.
        choices: What was said of some.
        is_loose: Whether images stand beside them.
    """
    said = {name: choices.get(normal(name)) for name in below}
    fixed = {name for name, choice in said.items() if choice not in (None, FolderChoice.CLASS)}
    free = {name for name, choice in said.items() if choice is None}
    # One of two classes that are opposites, such as valid and invalid, is no split.
    folded = {name.casefold() for name in free}
    meant = {
        name: found
        for name in free | fixed
        if (found := meaning(name)) is not None and f"in{name.casefold()}" not in folded
    }
    named = {name: one for name, one in meant.items() if name in free}
    others = {name for name in free - named.keys() if name.casefold() not in _NO_CLASS}
    classes = others | {name for name, choice in said.items() if choice is FolderChoice.CLASS}
    directions = {one.split for one in meant.values()} - {Split.AUXILIARY_OOD}
    if len(directions) == 2:
        return _Sorted(frozenset(named) | fixed, _beside(meant, others))
    if classes:
        return _alone(below, named, others, classes, fixed)
    sure = {name for name, one in named.items() if one.certain or len(meant) > 1}
    left = {name: f"{name}/ may be a split or a class" for name in named.keys() - sure if is_loose}
    return _Sorted(frozenset(sure | fixed), left)


def _alone(
    below: Mapping[str, Collection[str]],
    named: Mapping[str, Meaning],
    others: Collection[str],
    classes: Collection[str],
    fixed: Collection[str],
) -> _Sorted:
    """Splits of one direction among other folders."""
    splits, unsure = set(fixed), dict[str, str]()
    in_others = {name for other in classes for name in below[other]}
    for name, one in named.items():
        inner = set(below[name])
        if one.own or inner & set(classes):
            splits.add(name)
        elif inner & in_others:
            splits.add(name)
            parallel = {other for other in others if inner & set(below[other])}
            unsure |= _beside([name], parallel)
        elif one.split is not Split.POOL:
            unsure[name] = f"{name}/ stands beside {_list(classes)}: it may be a split or a class"
    return _Sorted(frozenset(splits), unsure)


def _beside(splits: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    named = _list(splits)
    return {name: f"{name}/ stands beside {named}, and its name says no split" for name in others}


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"{name}/" for name in _first(sorted(names)))


def _first(names: Collection[str]) -> Iterator[str]:
    for position, name in enumerate(names):
        if position == _MOST_NAMED:
            yield "…"
            return
        yield name
