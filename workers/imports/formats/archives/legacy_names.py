"""Names in archives that are not UTF-8: in which encoding they make sense, if it is one. Pure.

A zip that does not say so may hold names as the machine that packed it wrote them. Nothing tells
which encoding that was but the names themselves: read in the wrong one they are no words.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Final, Protocol, Self, TypeVar

FALLBACK: Final = "cp437"
"""What the format prescribes (APPNOTE 6.3.10, appendix D)."""
# Names that tell in which encoding they are.
_MOST_LOOKED_AT: Final = 10_000
_KANA: Final = ("HIRAGANA ", "KATAKANA ", "KATAKANA-HIRAGANA ", "HALFWIDTH KATAKANA")
_WORD: Final = re.compile(r"[^\W\d_]+")
# So many Hangul in a row are no accident: of Chinese read as Korean, every third is none.
_MOST_LIKELY: Final = 8


class _Named(Protocol):
    """An entry of an archive; ``raw`` is its name where that is not UTF-8."""

    @property
    def raw(self) -> bytes: ...
    def _replace(self, *, name: str, raw: bytes) -> Self: ...


_Entry = TypeVar("_Entry", bound=_Named)


class LegacyNames:
    """Names of one archive, of which most are UTF-8."""

    def __init__(self, entries: Callable[[], Iterable[_Named]]) -> None:
        """Take ``entries``, which gives all of them as often as it is called."""
        self._entries = entries

    def read(self, entries: Iterable[_Entry]) -> Iterator[_Entry]:
        """Each with the name that its bytes most likely are; ``raw`` stays if that is doubtful."""
        for entry in entries:
            yield self._named(entry) if entry.raw else entry

    def _named(self, entry: _Entry) -> _Entry:
        encoding = self._encoding
        try:
            return entry._replace(
                name=entry.raw.decode(encoding or FALLBACK), raw=b"" if encoding else entry.raw
            )
        except UnicodeDecodeError:
            return entry._replace(name=entry.raw.decode(FALLBACK), raw=entry.raw)

    @cached_property
    def _encoding(self) -> str | None:
        """Most archives are not read for it."""
        legacy = (entry.raw for entry in self._entries() if entry.raw)
        return encoding_of(islice(legacy, _MOST_LOOKED_AT))


def encoding_of(names: Iterable[bytes]) -> str | None:
    """The encoding in which all of ``names`` make sense; ``None`` if that is none, or several."""
    given = [name for name in names if not name.isascii()]
    found: dict[tuple[str, ...], str] = {}
    for encoding, makes_sense in _ENCODINGS:
        try:
            read = tuple(name.decode(encoding) for name in given)
        except UnicodeDecodeError:
            continue
        if all(_is_printable(name) and makes_sense(name) for name in read):
            found.setdefault(read, encoding)
    korean = next((read for read, encoding in found.items() if encoding == "euc_kr"), ())
    if sum(map(_is_hangul, "".join(korean))) >= _MOST_LIKELY:
        return "euc_kr"
    return next(iter(found.values())) if len(found) == 1 else None


def is_doubtful(name: bytes, text: str) -> bool:
    """Whether a name that happens to be UTF-8 may as well be of half-width letters of Japan.

    Args:
        name: The name, which does not say its encoding.
        text: What it is as UTF-8.
    """
    is_rare = any("\u0180" <= one <= "\u02af" for one in text)
    return is_rare and all(byte < 0x80 or 0xA1 <= byte <= 0xDF for byte in name)


def _is_printable(text: str) -> bool:
    return not any(unicodedata.category(one) == "Cc" for one in text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _foreign(text: str) -> list[str]:
    return [one for one in text if not one.isascii()]


def _is_latin(text: str) -> bool:
    """Letters with accents, in words that are mostly of letters without."""
    if not all(unicodedata.name(one, "").startswith("LATIN ") for one in _foreign(text)):
        return False
    return all(
        len(word) == 1 or 2 * sum(map(str.isascii, word)) >= len(word) for word in _words(text)
    ) and _is_cased(text)


def _is_cyrillic(text: str) -> bool:
    """Words are all of Cyrillic letters, or have none."""
    foreign = _foreign(text)
    return (
        all(unicodedata.name(one, "").startswith("CYRILLIC ") for one in foreign)
        and all(word.isascii() or not any(map(str.isascii, word)) for word in _words(text))
        and _is_cased(text)
    )


def _is_cased(text: str) -> bool:
    """No capital follows a small letter that is not of ASCII, nor the other way round."""
    pairs = (pair for word in _words(text) for pair in pairwise(word))
    return not any(
        one.islower() and other.isupper() and not (one + other).isascii() for one, other in pairs
    )


def _is_hangul(letter: str) -> bool:
    return "\N{HANGUL SYLLABLE GA}" <= letter <= "\N{HANGUL SYLLABLE HIH}"


def _is_han(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("CJK UNIFIED IDEOGRAPH")


def _is_kana(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_KANA)


def _is_korean(text: str) -> bool:
    return all(map(_is_hangul, _foreign(text))) and _stands_free(text)


def _is_chinese(text: str) -> bool:
    return all(map(_is_han, _foreign(text))) and _stands_free(text)


def _is_japanese(text: str) -> bool:
    letters = _foreign(text)
    if not any(map(_is_kana, letters)):
        return False
    return all(_is_kana(one) or _is_han(one) for one in letters) and _stands_free(text)


def _stands_free(text: str) -> bool:
    """No such character stands alone between letters of ASCII: that is an accent, misread."""
    return not re.search(r"[A-Za-z][^\x00-\x7f][A-Za-z]", text)


_ENCODINGS: Final[Sequence[tuple[str, Callable[[str], bool]]]] = (
    ("cp437", _is_latin),
    ("cp850", _is_latin),
    ("cp1252", _is_latin),
    ("cp866", _is_cyrillic),
    ("cp1251", _is_cyrillic),
    ("shift_jis", _is_japanese),
    ("euc_kr", _is_korean),
    ("gb2312", _is_chinese),
    ("big5", _is_chinese),
)
