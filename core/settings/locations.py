"""Places outside an installation where images may lie, and which of them the operator allows."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from core.errors import Invalid

SCHEMES: Final = ("s3", "file")
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST: Final = 1500
# The S3 library would take what follows for the version of an object.
_VERSION: Final = "?versionId="


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A bucket, folder or object.

    Attributes:
        scheme: One of ``SCHEMES``.
        bucket: Name of the bucket; empty for files.
        key: Path inside, without a slash at either end; empty for the whole bucket.
    """

    scheme: str
    bucket: str
    key: str

    @classmethod
    def parse(cls, text: str, field: str | None = None) -> Self:
        """Read ``s3://bucket/key`` or ``file:///path``.

        Args:
            text: The address.
            field: Name of the input it came from, for the error.

        Raises:
            DomainError: ``invalid_location``.
        """
        scheme, separator, rest = text.strip(" ").partition("://")
        bucket, _, key = rest.partition("/")
        scheme = scheme.lower()
        if not separator or scheme not in SCHEMES:
            raise _invalid("Write it as s3://bucket/folder or file:///folder.", field)
        if scheme == "s3" and not _BUCKET.fullmatch(bucket):
            raise _invalid("After s3:// stands the name of a bucket, then a slash.", field)
        if scheme == "file" and bucket:
            raise _invalid("A path of files begins with three slashes: file:///folder.", field)
        key = key.strip("/")
        if wrong := _wrong(key):
            raise _invalid(wrong, field)
        return cls(scheme, bucket, key)

    def child(self, name: str) -> Self:
        """What is called ``name`` inside.

        Raises:
            DomainError: ``invalid_location`` if the name leads elsewhere.
        """
        if wrong := _wrong(name) or ("It has no name." if not name else None):
            raise _invalid(wrong)
        return type(self)(self.scheme, self.bucket, f"{self.key}/{name}" if self.key else name)

    def holds(self, other: "Location") -> bool:
        """Whether ``other`` is this, or inside."""
        if (self.scheme, self.bucket) != (other.scheme, other.bucket):
            return False
        return not self.key or other.key == self.key or other.key.startswith(f"{self.key}/")

    def __str__(self) -> str:
        """The address that ``parse`` reads."""
        inside = f"/{self.key}" if self.key or not self.bucket else ""
        return f"{self.scheme}://{self.bucket}{inside}"


def _wrong(key: str) -> str | None:
    if len(key) > _LONGEST:
        return f"It is longer than {_LONGEST} characters."
    if _UNPRINTABLE.search(key) or _VERSION in key:
        return "It has characters that no path has."
    if any(part in {"", ".", ".."} for part in key.split("/")) and key:
        return "Its path has an empty part, or one that is . or .., which lead elsewhere."
    return None


def _invalid(detail: str, field: str | None = None) -> Invalid:
    return Invalid("invalid_location", f"This is no location. {detail}", field=field)


def parse_all(text: str | None) -> tuple[Location, ...]:
    """Locations that are separated by commas or spaces."""
    return tuple(Location.parse(one) for one in re.split(r"[\s,]+", text or "") if one)


def require_allowed(location: Location, allowed: Collection[Location], field: str) -> None:
    """Refuse a location that is in none of the places the operator allows.

    Raises:
        DomainError: ``locations_off`` or ``location_not_allowed``.
    """
    if not allowed:
        raise Invalid(
            "locations_off",
            "Images are not taken from buckets here. The operator allows it by naming the places "
            "in KARAT_IMPORT_LOCATIONS.",
            field=field,
        )
    if not any(place.holds(location) for place in allowed):
        raise Invalid(
            "location_not_allowed",
            f"Images are taken from {', '.join(map(str, allowed))} only. The operator adds places "
            "in KARAT_IMPORT_LOCATIONS.",
            field=field,
        )
