"""Objects in buckets, and files of shared folders: listed in pages, read, written, and signed."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol
from urllib.parse import urlsplit

from core.errors import OutOfOrder
from core.settings import Settings
from core.settings.locations import Location

_PAGE: Final = 1000
_BLOCK: Final = 1 << 20
# What Python reads bytes of a name as that are no UTF-8.
_NOT_UTF_8: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Object:
    """What a place holds under a name.

    Attributes:
        location: Where.
        size: Length in bytes.
        tag: Another one than before if the content has changed.
        version: Of the content, where the bucket keeps several.
    """

    location: Location
    size: int
    tag: str
    version: str | None = None


class Place(Protocol):
    """Somewhere objects are."""

    def pages(self, location: Location) -> Iterator[list[Object]]:
        """Everything inside ``location``, in blocks, by name."""
        ...

    def head(self, location: Location) -> Object:
        """What is there now; ``FileNotFoundError`` if nothing is."""
        ...

    def read(self, found: Object) -> bytes:
        """The whole content."""
        ...

    def blocks(self, found: Object) -> Iterator[bytes]:
        """The content in pieces, for what may be large."""
        ...

    def sign(self, found: Object, media_type: str, seconds: int) -> str | None:
        """A link that anybody can read the content with, for so long; None if there is none."""
        ...


class Folder:
    """Files below a folder that the operator has named; links out of it are not followed."""

    def __init__(self, roots: tuple[Location, ...]) -> None:
        """Remember the folders."""
        self._roots = [Path("/", root.key).resolve() for root in roots if root.scheme == "file"]

    def file(self, location: Location) -> Path:
        """The file of ``location``; ``PermissionError`` if it is outside."""
        path = Path("/", location.key).resolve()
        if not any(path.is_relative_to(root) for root in self._roots):
            raise PermissionError
        return path

    def pages(self, location: Location) -> Iterator[list[Object]]:
        """See ``Place``."""
        top = self.file(location)
        if not top.is_dir():
            raise FileNotFoundError
        page: list[Object] = []
        for parent, directories, names in os.walk(top, onerror=_raised):
            directories.sort()
            for path in (Path(parent, name) for name in sorted(names)):
                if path.is_symlink() or not path.is_file():
                    continue
                # A name that no address can have is for the one who lists to refuse.
                name = _NOT_UTF_8.sub("\x1a", path.relative_to(top).as_posix())
                key = f"{location.key}/{name}" if location.key else name
                page.append(_file_object(Location("file", "", key), path))
                if len(page) == _PAGE:
                    yield page
                    page = []
        if page:
            yield page

    def head(self, location: Location) -> Object:
        """See ``Place``."""
        path = self.file(location)
        if not path.is_file():
            raise FileNotFoundError
        return _file_object(location, path)

    def read(self, found: Object) -> bytes:
        """See ``Place``."""
        return self.file(found.location).read_bytes()

    def blocks(self, found: Object) -> Iterator[bytes]:
        """See ``Place``."""
        with self.file(found.location).open("rb") as file:
            while block := file.read(_BLOCK):
                yield block

    def sign(self, found: Object, media_type: str, seconds: int) -> str | None:
        """Files have no links."""
        del found, media_type, seconds
        return None


def _raised(error: OSError) -> NoReturn:
    raise error


def _file_object(location: Location, path: Path) -> Object:
    found = path.stat()
    return Object(location, found.st_size, f"{found.st_mtime_ns}-{found.st_size}")


class S3:
    """Buckets that speak S3. Credentials come from the environment, as Amazon's own tools do it."""

    def __init__(self, settings: Settings) -> None:
        """Prepare; nothing is connected to yet.

        Raises:
            DomainError: ``s3_not_installed``.
        """
        self._inside = _file_system(settings.s3_endpoint, settings.s3_region)
        outside = settings.s3_public_endpoint or settings.s3_endpoint
        self._outside = _file_system(outside, settings.s3_region)
        self._redirect = settings.s3_redirect

    def pages(self, location: Location) -> Iterator[list[Object]]:
        """See ``Place``."""
        prefix = f"{location.key}/" if location.key else ""
        more: dict[str, str] = {}
        while True:
            page = self._inside.call_s3(
                "list_objects_v2", Bucket=location.bucket, Prefix=prefix, MaxKeys=_PAGE, **more
            )
            yield [
                Object(Location("s3", location.bucket, one["Key"]), one["Size"], _tag(one["ETag"]))
                for one in page.get("Contents", ())
            ]
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def head(self, location: Location) -> Object:
        """See ``Place``."""
        found = self._inside.call_s3("head_object", Bucket=location.bucket, Key=location.key)
        version = found.get("VersionId")
        known = version if version != "null" else None
        return Object(location, found["ContentLength"], _tag(found["ETag"]), known)

    def read(self, found: Object) -> bytes:
        """See ``Place``."""
        content: bytes = self._inside.cat_file(_path(found))
        return content

    def blocks(self, found: Object) -> Iterator[bytes]:
        """See ``Place``."""
        for start in range(0, found.size, _BLOCK):
            end = min(start + _BLOCK, found.size)
            yield self._inside.cat_file(_path(found), start=start, end=end)

    def write(self, location: Location, content: bytes | Path) -> None:
        """Store bytes or a file; what is there is replaced."""
        path = f"{location.bucket}/{location.key}"
        if isinstance(content, Path):
            self._inside.put_file(str(content), path)
        else:
            self._inside.pipe_file(path, content)

    def remove(self, location: Location) -> None:
        """Remove what is at ``location``, a file or a folder with everything inside it.

        Raises:
            OSError: Something of it is still there; what can go has gone.
        """
        # A listing names only what is inside, and not an object that has this very name.
        stay = self.remove_all([location])
        for page in self.pages(location):
            stay |= self.remove_all([one.location for one in page])
        for reason in stay.values():
            raise reason

    def remove_all(self, locations: Sequence[Location]) -> dict[Location, OSError]:
        """Remove objects of one bucket; those that are not there are passed over.

        Returns:
            Those that the bucket keeps, and why.
        """
        stay = {}
        for start in range(0, len(locations), _PAGE):
            by_key = {one.key: one for one in locations[start : start + _PAGE]}
            # What it keeps is no error of the request: it is listed in an answer of success.
            done = self._inside.call_s3(
                "delete_objects",
                Bucket=locations[0].bucket,
                Delete={"Objects": [{"Key": key} for key in by_key]},
            )
            for one in done.get("Errors", ()):
                if one["Code"] != "NoSuchKey":
                    denied = one["Code"] == "AccessDenied"
                    stay[by_key[one["Key"]]] = PermissionError() if denied else OSError(one["Code"])
        return stay

    def sign(self, found: Object, media_type: str, seconds: int) -> str | None:
        """See ``Place``."""
        if not self._redirect:
            return None
        # The type that it was decoded as, not the one that somebody has stored it with.
        link: str = self._outside.sign(
            _path(found), expiration=seconds, ResponseContentType=media_type
        )
        return link


def _path(found: Object) -> str:
    version = f"?versionId={found.version}" if found.version else ""
    return f"{found.location.bucket}/{found.location.key}{version}"


def _tag(etag: str) -> str:
    return etag.strip('"')


def origin(settings: Settings, bucket: str) -> str:
    """Scheme and host that signed links into ``bucket`` lead to; nothing is connected to.

    Raises:
        DomainError: ``s3_not_installed``.
    """
    endpoint = settings.s3_public_endpoint or settings.s3_endpoint
    # The host depends on the region, which may come from many places, and on no credentials.
    # Looking for those of the machine can take seconds.
    signer = _file_system(endpoint, settings.s3_region, key="none", secret="none")
    link = urlsplit(signer.sign(f"{bucket}/image", expiration=60))
    return f"{link.scheme}://{link.netloc}"


def _file_system(endpoint: str | None, region: str | None, **credentials: str) -> Any:
    try:
        import s3fs
    except ImportError as error:
        raise OutOfOrder(
            "s3_not_installed", "Buckets need the package s3fs: pip install 'karat[s3]'."
        ) from error
    # One for all who ask alike, and another after a fork: the library sees to that.
    return s3fs.S3FileSystem(
        **credentials,
        client_kwargs={"region_name": region} if region else {},
        endpoint_url=endpoint,
        config_kwargs={
            "signature_version": "s3v4",
            "s3": {"addressing_style": "path" if endpoint else "virtual"},
            # Servers other than Amazon's need not know the newer checksums.
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
            "max_pool_connections": 64,
        },
        version_aware=True,
        use_listings_cache=False,
        # One object in one request: several are read at once anyway.
        max_concurrency=1,
    )
