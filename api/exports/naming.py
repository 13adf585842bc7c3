"""What files are called in exports: as they came, and no two alike.

An image has the name that it came with, and its folders where those of the export mean nothing, so
that labels go back by name to where the images came from. Of two that would lie in one place the
later of the pool has its number behind its name. That goes by all images of the project and not by
those that leave, so that labels that are added call no file otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from posixpath import join, splitext
from typing import Any, Final, Protocol

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from core.files.folder_names import alike, to_path
from core.media.images.medium import IMAGES
from core.states import Split
from core.tables import Example
from core.withdrawals import is_kept

_IMAGES: Final = "images"
_ROWS: Final = 5_000
_ENDINGS: Final = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/tiff": ".tif",
    "image/gif": ".gif",
    "image/avif": ".avif",
    "image/heic": ".heic",
}


class Named(Protocol):
    """What of an image its file is called by."""

    @property
    def pool_index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def split(self) -> Split: ...


class Place(Protocol):
    """Finds the path of an image."""

    def __call__(self, one: Named, folder: str, *, of_split: bool = False) -> str:
        """Its path.

        Args:
            one: The image.
            folder: Of the export, that it goes into.
            of_split: Whether only images of its split go there; those of others may then have its
                name.
        """
        ...


_Key = Callable[[Named], str]


class _Keys:
    """Which image of a project was the first of those with one key; 17 bytes of memory an image.

    Args:
        hashes: uint64 of shape (N,), a key of each image.
        indexes: int64 of shape (N,), their places in the pool, increasing.
    """

    def __init__(self, hashes: NDArray[np.uint64], indexes: NDArray[np.int64]) -> None:
        self._hashes, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        self._first = indexes[first]
        self._is_shared = counts > 1

    def first(self, key: str) -> int | None:
        """Place in the pool of the first image that has it, if one does."""
        at = self._find(key)
        return None if at is None else int(self._first[at])

    def is_shared(self, key: str) -> bool:
        """Whether several images have it."""
        at = self._find(key)
        return at is not None and bool(self._is_shared[at])

    def _find(self, key: str) -> int | None:
        hashed = np.uint64(_hash(key))
        at = int(np.searchsorted(self._hashes, hashed))
        return at if at < len(self._hashes) and self._hashes[at] == hashed else None


def _all_of_it(name: str) -> str:
    return name


def _below_images(name: str) -> str:
    return name.removeprefix(f"{_IMAGES}/")


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a format names files in its folders.

    Attributes:
        within: What of a name goes into a folder of the export: not the folders that mean the same
            there, so that what came in such an archive lies in the next as it did.
        by_stem: Whether names have to differ without their endings, too, as where a text lies
            beside each image that is called like it.
        by_split: Whether some of its folders are of the pool or of the evaluation alone.
    """

    within: Callable[[str], str] = _below_images
    by_stem: bool = False
    by_split: bool = False

    def key(self, path: str) -> str:
        """What no two images may have of ``path``, which is within a folder."""
        return splitext(path)[0] if self.by_stem else path


WHOLE: Final = Scheme(_all_of_it)
"""Names as they came, where there is no folder around them."""


def below(folder: str, name: str) -> str:
    """What of ``name`` comes after the last folder that is called ``folder``; all if none is."""
    parts = name.split("/")
    places = [at for at, part in enumerate(parts[:-1]) if part.casefold() == folder.casefold()]
    return "/".join(parts[places[-1] + 1 :]) if places else name


async def in_folders(
    sessions: async_sessionmaker[AsyncSession], project_id: int, scheme: Scheme = Scheme()
) -> Place:
    """Names with the folders that they came with, below those of the export."""

    def key(of_split: bool, one: Named, path: str | None = None) -> str:
        return _prefix(one, of_split) + scheme.key(path or scheme.within(file_of(one)))

    kinds = (False, True) if scheme.by_split else (False,)
    read = await _read(sessions, project_id, *(partial(key, of_split) for of_split in kinds))

    def place(one: Named, folder: str, *, of_split: bool = False) -> str:
        is_apart = of_split and scheme.by_split
        names = read[kinds.index(is_apart)]
        path = scheme.within(file_of(one))
        stays = names.first(key(is_apart, one, path)) == one.pool_index
        while not stays:
            path = numbered(path, one.pool_index)
            stays = names.first(key(is_apart, one, path)) is None
        return join(folder, path)

    return place


async def in_class_folders(sessions: async_sessionmaker[AsyncSession], project_id: int) -> Place:
    """Names without the folders that they came with: the folder says the class of an image.

    A name that several have stays with the one that came without a folder before the others, and
    with those that go into the folder that they came in.
    """

    def whole(of_split: bool, one: Named) -> str:
        # Of what came in no folder the same as that alone.
        return _prefix(one, of_split) + "/".join(file_of(one).split("/")[-2:])

    def base(of_split: bool, one: Named) -> str:
        return _prefix(one, of_split) + file_of(one).rpartition("/")[2]

    kinds = (False, True)
    keys = [partial(of, of_split) for of in (base, whole) for of_split in kinds]
    read = await _read(sessions, project_id, *keys)
    bases_of, wholes_of = read[: len(kinds)], read[len(kinds) :]

    def place(one: Named, folder: str, *, of_split: bool = False) -> str:
        bases, wholes = bases_of[of_split], wholes_of[of_split]
        key, prefix = base(of_split, one), _prefix(one, of_split)
        file = key.removeprefix(prefix)
        first = bases.first(key)
        if first == wholes.first(key):
            stays = first == one.pool_index
        elif bases.is_shared(key):
            own = f"{prefix}{folder.rpartition('/')[2]}/{file}"
            is_own = alike(own) == alike(whole(of_split, one))
            stays = is_own and wholes.first(own) == one.pool_index
        else:
            stays = True
        while not stays:
            file = numbered(file, one.pool_index)
            stays = bases.first(prefix + file) is None
        return f"{folder}/{file}"

    return place


def _prefix(one: Named, of_split: bool) -> str:
    """What keeps names of one split apart from those of others."""
    return f"{one.split}/" if of_split else ""


def file_of(one: Named) -> str:
    """What an image came as, safe on every system, and ending as images do."""
    ending = splitext(one.name)[1]
    if ending.lower() not in IMAGES:
        ending = _ENDINGS.get(one.media_type, ".bin")
    return to_path(one.name, ending)


def numbered(path: str, pool_index: int) -> str:
    """``path`` with the number of its image in the pool behind the name."""
    stem, ending = splitext(path)
    return f"{stem}_{pool_index:07d}{ending}"


def _hash(key: str) -> int:
    # Two of a million are taken for one with a chance of 10⁻⁷.
    return int.from_bytes(blake2b(alike(key).encode(), digest_size=8).digest())


async def _read(
    sessions: async_sessionmaker[AsyncSession], project_id: int, *keys: _Key
) -> list[_Keys]:
    """Keys of all images of a project."""
    indexes: list[NDArray[np.int64]] = []
    hashes: list[list[NDArray[np.uint64]]] = [[] for _ in keys]
    statement = (
        select(Example.pool_index, Example.name, Example.media_type, Example.split)
        .where(Example.project_id == project_id, is_kept())
        .order_by(Example.pool_index)
        .limit(_ROWS)
    )

    def note(rows: Any) -> None:
        indexes.append(np.fromiter((row.pool_index for row in rows), np.int64, len(rows)))
        for key, some in zip(keys, hashes, strict=True):
            some.append(np.fromiter((_hash(key(row)) for row in rows), np.uint64, len(rows)))

    last = -1
    while True:
        async with sessions() as session:
            rows = (await session.execute(statement.where(Example.pool_index > last))).all()
        # Thousands of names take a while, and requests are not to wait for it.
        await to_thread.run_sync(note, rows)
        if len(rows) < _ROWS:
            break
        last = rows[-1].pool_index
    places = np.concatenate(indexes)
    return [await to_thread.run_sync(_Keys, np.concatenate(some), places) for some in hashes]
