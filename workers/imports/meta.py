"""What an example keeps of whatever else was said of it: ``Example.meta``."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from workers.imports.items import printable

_MAX_META_TEXT: Final = 1000
_MOST_META: Final = 1000


def extras(fields: Mapping[Any, object]) -> dict[str, Any]:
    """The first 1,000 ``fields`` for ``Example.meta`` that are not missing, nested or large."""
    kept = (
        (printable(str(key)), json_value(value))
        for key, value in fields.items()
        if len(str(key)) <= _MAX_META_TEXT
    )
    found = ((key, value) for key, value in kept if value is not None)
    return dict(islice(found, _MOST_META))


def json_value(value: object) -> Any:
    """``value`` for ``Example.meta``; ``None`` for what is missing, nested or large."""
    if isinstance(value, str):
        return printable(value) if len(value) <= _MAX_META_TEXT else None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    return None
