"""Label Studio's labeling interface, as our exports put it beside tasks: the classes it offers."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from core.errors import DomainError
from core.files.folder_names import LABELING_CONFIG
from workers.imports.formats import xml_stream
from workers.imports.formats.archives.entries import Entries, base_of, path_of
from workers.imports.formats.label_studio import VERDICT_CONTROL
from workers.imports.items import Refused, printable

_CONTROLS: Final = ("Choices", "RectangleLabels")


def offered_classes(entries: Entries) -> Iterator[str]:
    """What the interfaces among ``entries`` offer, in their order; one that is broken no more."""
    for entry in entries:
        if base_of(path_of(entry)) != LABELING_CONFIG:
            continue
        file = entries.open(entry)
        if isinstance(file, Refused):
            continue
        with file, suppress(DomainError):
            for control in xml_stream.elements(file, entry.name, _CONTROLS):
                if control.get("name") != VERDICT_CONTROL:
                    yield from (printable(one.get("value", "")) for one in control)
