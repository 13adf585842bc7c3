"""Why files and rows were refused, left out or noted, a line each."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from karat.terminal import with_options

# Files named for each reason, and reasons of a kind that are told one by one.
_NAMED = 3
# What reasons of a kind name: a file at the beginning, what is quoted, and numbers.
_NAMES_OF = re.compile(r"""^[^:]+\.\w+(?=:\ ) | '[^']*' | "[^"]*" | \d[\d.,]*""", re.VERBOSE)


def refused_by_reason(result: dict[str, Any]) -> Iterator[str]:
    """One line for each reason, the most frequent first, with some of the files."""
    names: dict[str, list[str]] = {}
    for one in result["refused_examples"]:
        names.setdefault(one["reason"], []).append(one["name"])
    # Imports of an earlier version kept no counts.
    counts = result.get("refused_by_reason") or {reason: len(of) for reason, of in names.items()}
    return by_reason(counts, names)


def by_reason(counts: Mapping[str, int], names: Mapping[str, list[str]]) -> Iterator[str]:
    """One line for each reason, the most frequent first, with some of the files.

    Where more than a few differ only in what they name, there is one for all of these.
    """
    kinds: dict[str, list[str]] = {}
    for reason in sorted(counts, key=lambda reason: -counts[reason]):
        kinds.setdefault(_NAMES_OF.sub("", reason), []).append(reason)
    groups = [
        group
        for alike in kinds.values()
        for group in ([alike] if len(alike) > _NAMED else [[one] for one in alike])
    ]
    totals = [sum(counts[reason] for reason in group) for group in groups]
    for total, group in sorted(zip(totals, groups, strict=True), key=lambda one: -one[0]):
        files = [name for reason in group for name in names.get(reason, ())][:_NAMED]
        shown = ", ".join(files) + (", …" if total > len(files) else "")
        often = f"{total:,} × " if total > 1 else ""
        such_as = "such as: " if len(group) > 1 else ""
        yield f"{often}{such_as}{with_options(group[0])}{f': {shown}' if files else ''}"
