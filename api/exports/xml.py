"""Texts of people in XML."""

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

_NOT_IN_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def xml_text(text: str) -> str:
    """A text between two tags; what XML cannot hold becomes U+FFFD."""
    return escape(_holdable(text))


def xml_attribute(text: str) -> str:
    """The same as the value of an attribute, in its quotation marks."""
    return quoteattr(_holdable(text))


def _holdable(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
