"""Words that mean a split, in names of folders and in split columns. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from core.names import composed
from core.states import Split

_POOL_WORDS: Final = ("train", "training", "학습", "훈련", "训练", "訓練", "学習", "トレーニング")
_EVALUATION_WORDS: Final = (
    "test", "testing", "val", "valid", "validation",
    "검증", "테스트", "测试", "測試", "验证", "驗證", "テスト", "検証",
)  # fmt: skip
_CERTAIN: Final[Mapping[str, Split]] = {
    **dict.fromkeys(_POOL_WORDS, Split.POOL),
    **dict.fromkeys(_EVALUATION_WORDS, Split.EVALUATION),
}
_POOL_IN_COMPANY: Final = (
    "entraînement", "entrainement", "apprentissage", "trainings", "entrenamiento",
)  # fmt: skip
_EVALUATION_IN_COMPANY: Final = (
    "dev", "development", "eval", "holdout", "heldout", "평가", "시험", "评估", "評估", "評価",
    "évaluation", "validierung", "validierungs", "prueba", "pruebas", "validación", "validacion",
    "evaluación", "evaluacion",
)  # fmt: skip
_IN_COMPANY: Final[Mapping[str, Split]] = {
    **dict.fromkeys(_POOL_IN_COMPANY, Split.POOL),
    **dict.fromkeys(_EVALUATION_IN_COMPANY, Split.EVALUATION),
}
_OURS: Final[Mapping[str, Split]] = {split.replace("_", " "): split for split in Split}
_WORDS: Final = {**_CERTAIN, **_IN_COMPANY, "evaluation": Split.EVALUATION}
# Words for both, in one.
_BOTH: Final = frozenset({"trainval", "traintest", "valtest", "testval"})
_NOT: Final = frozenset({"no", "not", "non", "without"})
_SEPARATORS: Final = re.compile(r"[\s_\-.]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_VERSION: Final = re.compile(r"(?<![^\W\d_])v(?:er|ersion)?[\W_]*\d+", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TWO_WORDS: Final = re.compile(r"\b(hold|held) (?=out\b)")
FILLING: Final = frozenset({
    "set", "split", "data", "dataset", "images", "image", "imgs", "img", "files", "folder", "part",
    "daten", "bilder", "datos", "données", "데이터", "데이터셋", "이미지", "数据", "数据集", "图像",
    "图片", "資料", "データ", "画像",
})  # fmt: skip
_GLUED: Final = re.compile(
    r"(?:set|data|dataset|images|imgs|daten|datensatz|bilder"
    r"|용?(?:데이터셋|데이터|세트|셋|이미지)|용|用?(?:数据集|数据|集|图像|图片|資料|データ|画像)|用)$"
)
_FLAG: Final = re.compile(r"(?:is[ _])?([^=]+)=(true|false|1|0|yes|no)")
# No folder has a longer name, and a value that is a text would be read word by word.
_LONGEST: Final = 255
_YES: Final = frozenset({"true", "1", "yes"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """The split that a name means; ``certain`` if it does so also where it stands alone."""

    split: Split
    certain: bool
    own: bool = False


@dataclass(frozen=True, slots=True)
class Hint:
    """Words of splits among others in a name: ``seg_train``.

    Attributes:
        splits: What they mean; both in ``train_val``.
        rest: The other words.
    """

    splits: frozenset[Split]
    rest: str


def meaning(name: str) -> Meaning | None:
    """What a folder's name, or a value of a split column, means; ``None`` if it is no split."""
    return _meaning(name) if len(name) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _meaning(name: str) -> Meaning | None:
    plain = " ".join(_SEPARATORS.split(unicodedata.normalize("NFKC", name).casefold())).strip()
    if plain in _OURS:
        return Meaning(_OURS[plain], certain=True, own=True)
    if plain in _CERTAIN:
        return Meaning(_CERTAIN[plain], certain=True)
    for is_camel in (False, True):
        found = _hint(name, is_camel=is_camel)
        if found is not None and not found.rest and len(found.splits) == 1:
            return Meaning(next(iter(found.splits)), certain=False)
    ours = " ".join(word for word in _LETTERS.findall(plain) if word not in FILLING)
    return Meaning(_OURS[ours], certain=False) if ours in _OURS else None


def hint(name: str) -> Hint | None:
    """Words of splits in a folder's name that is not one itself; ``None`` if there are none."""
    if len(name) > _LONGEST or meaning(name) is not None:
        return None
    return _hint(name, is_camel=True) or _hint(name, is_camel=False)


def folder_split(name: str) -> Split | None:
    """The split that a folder stands for which is known to stand for one."""
    found = meaning(name)
    if found is not None:
        return found.split
    among = hint(name)
    return next(iter(among.splits)) if among is not None and len(among.splits) == 1 else None


def _hint(name: str, *, is_camel: bool) -> Hint | None:
    """Words of splits in a name, which may be all of it but for numbers and words like ``set``."""
    text = unicodedata.normalize("NFKC", name)
    if "=" in text:
        return None
    if is_camel:
        text = _CAMEL.sub(" ", text)
    text = " ".join(_LETTERS.findall(_VERSION.sub(" ", text).casefold()))
    words = _TWO_WORDS.sub(r"\1", text).split()
    if _NOT.intersection(words):
        return None
    splits, rest = set[Split](), list[str]()
    for word in words:
        found = _WORDS.get(word) or _WORDS.get(_GLUED.sub("", word))
        if word in _BOTH:
            splits |= {Split.POOL, Split.EVALUATION}
        elif found is not None:
            splits.add(found)
        elif word not in FILLING:
            rest.append(word)
    return Hint(frozenset(splits), " ".join(rest)) if splits else None


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
    return composed(name).strip()
