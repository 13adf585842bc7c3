"""Which class of a project a name in a file means. Pure.

Folders, tables and other tools write names as their systems let them: ``insect_or_spider`` for
``insect or spider``.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final

from core.names import composed

# A hyphen at an end tells names apart, as those of the grades A and A-.
_BETWEEN: Final = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
# Letters, the marks that they carry, as vowels of Hindi and Thai do, and numbers.
_IN_WORDS: Final = frozenset("LMN")
_LONGEST: Final = 1000
_MOST_SHOWN: Final = 5


class ClassLookup(Mapping[str, int]):
    """Ids of a project's classes, looked up by what a file writes.

    The name letter by letter (NFC) comes first, then the same without white space around it; else
    the one class that is called so but for capitals, forms of Unicode (NFKC), and spaces,
    underscores or hyphens between words. Where several are, none is found. Iterating gives the
    names of the project.
    """

    def __init__(
        self, classes: Mapping[str, int], is_word: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Look up in ``classes``.

        Args:
            classes: Ids by name, in their order.
            is_word: What means something else, unless a class is called exactly so.
        """
        self._exact = {composed(name): class_id for name, class_id in classes.items()}
        self._is_word = is_word
        self._alike: dict[str, list[str]] = defaultdict(list)
        for name in self._exact:
            self._alike[folded(name)].append(name)

    def __getitem__(self, name: str) -> int:
        """The class that ``name`` means."""
        found = self.name_of(name)
        if found is None:
            raise KeyError(name)
        return self._exact[found]

    def __iter__(self) -> Iterator[str]:
        """The names of the project's classes, in their order."""
        return iter(self._exact)

    def __len__(self) -> int:
        """How many classes there are."""
        return len(self._exact)

    def name_of(self, text: str) -> str | None:
        """What the project calls the class that ``text`` means; None if it means none."""
        name = composed(text)
        for written in (name, name.strip()):
            if written in self._exact:
                return written
        alike = self._called_like(name)
        return alike[0] if len(alike) == 1 else None

    def is_exact(self, text: str) -> bool:
        """Whether a class is called so letter by letter, but for white space around it."""
        name = composed(text)
        return name in self._exact or name.strip() in self._exact

    def rivals(self, text: str) -> str:
        """The names of the classes that ``text`` may mean, where these are several; else empty."""
        alike = self._called_like(composed(text))
        if len(alike) < 2 or self.is_exact(text):
            return ""
        shown = ", ".join(repr(name) for name in alike[:_MOST_SHOWN])
        return shown + (", …" if len(alike) > _MOST_SHOWN else "")

    def _called_like(self, name: str) -> list[str]:
        if len(name) > _LONGEST or self._is_word(name):
            return []
        return self._alike.get(folded(name), [])


def folded(name: str) -> str:
    """The same for names that differ only in how files write them.

    Wider than ``core.names.alike``: hyphens, underscores and spaces between words are the same,
    and so are forms of one letter.
    """
    return _folded(name) if len(name) <= _LONGEST else name


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    stripped = seen.strip()
    return _BETWEEN.sub(partial(_joined, stripped), stripped)


def _joined(name: str, found: re.Match[str]) -> str:
    ends = name[max(0, found.start() - 1) : found.start()], name[found.end() : found.end() + 1]
    is_between = all(one and unicodedata.category(one)[0] in _IN_WORDS for one in ends)
    return " " if is_between else found[0]
