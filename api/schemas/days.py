"""Days as the caller's own clock has them."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import Query

UtcOffset = Annotated[
    int, Query(ge=-840, le=840, description="Minutes of the caller's clock ahead of UTC.")
]


def today(ahead: timedelta) -> date:
    """The day that it is by a clock that is so far ahead of UTC."""
    return (datetime.now(UTC) + ahead).date()


def beginning(day: date, ahead: timedelta) -> datetime:
    """When a day begins by a clock that is so far ahead of UTC."""
    return datetime.combine(day, datetime.min.time(), UTC) - ahead
