"""What folders and split columns mean: which wrap an upload, are splits, or are classes. Pure.

The rule, which ``docs/engineers/images.md`` tells users:

1. A word means a split: ``train`` and ``training`` the pool; ``test``, ``testing``, ``val``,
   ``valid`` and ``validation`` the evaluation; our own names themselves. Case, separators, numbers
   and versions (``val2017``, ``01_train``) and words like ``images``, ``set`` or ``data`` change
   nothing, and ``dev``, ``eval`` and ``holdout`` mean the evaluation too; but such a word alone
   around everything is only a folder around everything.
2. Any number of single folders around everything says nothing, nor does ``images`` or the like
   where it is the one folder in each split, nor the one folder in a split that is called like it.
3. Where folders of the pool and of the evaluation stand side by side, they are splits. What else
   stands beside them is left out and named: it may be anything.
4. Where only one of the two stands beside other folders, it is a split if classes below it are also
   beside it, or below what is beside it. Otherwise ``train`` is a class, and what means the
   evaluation is left out and named: test images never enter the pool by a guess.
5. A name that holds such a word and others, ``seg_train`` or ``trainA``, means a split where one of
   the other direction with the same other words stands beside it: ``seg_test``. Otherwise it is
   left out and named, but for ``bullet_train`` beside ``bus``: what only may mean the pool is a
   class among others, as ``train`` is.
6. Splits may also stand below the classes: ``cat/test/1.png``.
7. Whoever sends the upload may say of each folder what it is; that goes before all of this.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import splitext
from typing import Final

from core.jobs.imports import FolderChoice
from core.media.images.medium import IMAGES
from core.states import Split
from workers.imports.split_words import FILLING, Hint, folder_split, hint, meaning, normal
from workers.imports.values import NO_CLASS

_MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Placed:
    """What the folders of one path say.

    Attributes:
        split: Folder that stands for a split, or that is not sure.
        label: Folder that stands for a class.
        unsure: Why the path is left out unless its sender says what ``split`` is.
        meant: What ``split`` stands for, where that is sure.
    """

    split: str | None = None
    label: str | None = None
    unsure: str | None = None
    meant: Split | None = None


@dataclass(frozen=True)
class Layout:
    """How an upload's folders are meant.

    Attributes:
        depth: Folders to drop from the front, which wrap everything.
        level: Classes that stand above the folders of splits: 0 or 1.
        splits: Folders that mean a split, as paths below those that are dropped.
        unsure: Folders that are left out, with the reason.
        filling: How many folders directly below each split say nothing, if any do.
    """

    depth: int = 0
    level: int = 0
    splits: frozenset[str] = frozenset()
    unsure: Mapping[str, str] = field(default_factory=dict)
    filling: Mapping[str, int] = field(default_factory=dict)

    def place(self, path: str) -> Placed:
        """What the folders of ``path`` say of it."""
        folders = path.split("/")[self.depth : -1]
        above, below = folders[: self.level], folders[self.level + 1 :]
        key = "/".join(folders[: self.level + 1])
        reason = self.unsure.get(key)
        if len(folders) <= self.level or (key not in self.splits and reason is None):
            return Placed(label=folders[0] if folders else None)
        del below[: self.filling.get(key, 0)]
        label = next(iter([*below[:1], *above]), None)
        name = folders[self.level]
        return Placed(name, label, reason, None if reason else folder_split(name))


def is_called_image(path: str) -> bool:
    """Whether a file is called like an image."""
    return splitext(path)[1].lower() in IMAGES


class Folders:
    """The folders of an upload, gathered file by file."""

    def __init__(self, is_called: Callable[[str], bool] = is_called_image) -> None:
        """None yet.

        Args:
            is_called: Tells of a path whether it is called like an example.
        """
        self._is_called = is_called
        self._examples: set[str] = set()
        self._others: set[str] = set()
        self.described: set[str] = set()
        self.tables: set[str] = set()

    def add(self, path: str) -> None:
        """Note an example, or what is not called like one: that counts if nothing else is there."""
        found = self._examples if self._is_called(path) else self._others
        found.add(path.rpartition("/")[0])

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
        """The folders that hold examples themselves."""
        return self._examples or self._others


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
    alike = {name: _alike(tree, tops, base, name) for name in tops}
    within = {name: tree[_join(base, name) + f"/{name}" * alike[name]] for name in tops}
    found = _sort(within, choices, is_loose=base in folders.holding)
    if found:
        inside = {frozenset(within[name]) for name in found.splits}
        single = next(iter(inside)) if len(inside) == 1 else frozenset[str]()
        more = len(single) == 1 and single <= FILLING
        filling = {name: alike[name] for name in found.unsure}
        filling |= {name: alike[name] + more for name in found.splits}
        return Layout(depth, 0, found.splits, found.unsure, filling)
    inner: dict[str, set[str]] = defaultdict(set)
    for top, names in tops.items():
        for name in names:
            inner[name] |= tree[_join(_join(base, top), name)]
    is_loose = any(_join(base, top) in folders.holding for top in tops)
    found = _sort(inner, choices, is_loose=is_loose)
    # A class that is not divided into splits has folders of its own.
    known = {*found.splits, *(name for name in found.unsure if meaning(name) or hint(name))}
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


def _alike(
    tree: Mapping[str, Collection[str]], tops: Mapping[str, Collection[str]], base: str, name: str
) -> int:
    """How many folders below ``name`` are called like it, each the only one in the one above.

    ``train/train`` is a class where ``test/train`` is there too.
    """
    folder, count = _join(base, name), 0
    if any(name in below for other, below in tops.items() if other != name):
        return 0
    while set(tree.get(folder, ())) == {name}:
        folder, count = f"{folder}/{name}", count + 1
    return count


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
    meant = {
        name: found.split
        for name in free | fixed
        if (found := meaning(name)) is not None and not _has_opposite(name, free)
    }
    hints = {
        name: among
        for name in (free | fixed) - meant.keys()
        if (among := hint(name)) is not None and not _has_opposite(name, free)
    }
    paired = _paired(hints)
    meant |= paired
    named = {name: split for name, split in meant.items() if name in free}
    doubtful = {name: one for name, one in hints.items() if name in free and name not in paired}
    others = {
        name for name in free - named.keys() - doubtful.keys() if name.casefold() not in NO_CLASS
    }
    classes = others | {name for name, choice in said.items() if choice is FolderChoice.CLASS}
    directions = {*meant.values()} - {Split.AUXILIARY_OOD}
    if len(directions) == 2:
        beside = _beside(meant, others)
        return _Sorted(frozenset(named) | fixed, beside | _in_doubt(doubtful))
    if classes:
        return _alone(below, named, doubtful, others, classes, fixed)
    sure = {name for name in named if _is_certain(name) or len(meant) > 1}
    left = named.keys() - sure if is_loose or doubtful else ()
    return _Sorted(frozenset(sure | fixed), _in_doubt([*left, *doubtful]))


def _is_certain(name: str) -> bool:
    found = meaning(name)
    return found is not None and found.certain


def _has_opposite(name: str, others: Iterable[str]) -> bool:
    """Whether it is one of two classes that are opposites, such as valid and invalid."""
    folded = name.casefold()
    opposites = {
        f"{folded[: found.start()]}in{folded[found.start() :]}"
        for found in re.finditer("valid", folded)
    }
    return any(other.casefold() in {*opposites, f"in{folded}"} for other in others)


def _paired(hints: Mapping[str, Hint]) -> dict[str, Split]:
    """Those of which others with the same words mean the other direction."""
    by_rest: dict[str, dict[str, Split]] = defaultdict(dict)
    for name, one in hints.items():
        if len(one.splits) == 1:
            by_rest[one.rest][name] = next(iter(one.splits))
    return {
        name: split
        for names in by_rest.values()
        if len({*names.values()}) == 2
        for name, split in names.items()
    }


def _alone(
    below: Mapping[str, Collection[str]],
    named: Mapping[str, Split],
    doubtful: Mapping[str, Hint],
    others: Collection[str],
    classes: Collection[str],
    fixed: Collection[str],
) -> _Sorted:
    """Splits of one direction among other folders."""
    splits, unsure = set(fixed), dict[str, str]()
    in_others = {name for other in classes for name in below[other]}
    may_be_tests = any(Split.EVALUATION in one.splits for one in doubtful.values())
    beside = _list(classes)
    for name, split in named.items():
        inner = set(below[name])
        found = meaning(name)
        if (found is not None and found.own) or inner & set(classes):
            splits.add(name)
        elif inner & in_others:
            splits.add(name)
            parallel = {other for other in others if inner & set(below[other])}
            unsure |= _beside([name], parallel)
        elif split is not Split.POOL or may_be_tests:
            unsure[name] = f"{name}/ stands beside {beside}: it may be a split or a class"
    may_be_tests |= Split.EVALUATION in named.values()
    for name in doubtful:
        if may_be_tests or set(below[name]) & {*classes, *in_others}:
            unsure[name] = f"{name}/ stands beside {beside}: it may be a split or a class"
    return _Sorted(frozenset(splits), unsure)


def _in_doubt(names: Iterable[str]) -> dict[str, str]:
    return {name: f"{name}/ may be a split or a class" for name in names}


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
