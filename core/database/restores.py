"""How it is known that a restore was ended before it was done, and what is said of it."""

from typing import Final

REPLACED: Final = "karat_replaced"
"""Schema of the tables that a restore replaces, until everything is in its place."""

IS_UNFINISHED: Final = f"SELECT to_regnamespace('{REPLACED}') IS NOT NULL"

MESSAGE: Final = (
    "A restore was ended before it was done: what the database held before it is set aside, and "
    "something else may be in its place."
)
REMEDY: Final = (
    "Bring back what was there before with karat restore --unfinished before, or keep what is "
    "there now with karat restore --unfinished now; the other goes for good."
)
