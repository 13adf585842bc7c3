"""The places outside the data directory that an installation may look at, and why it cannot.

Whatever a server says goes into no error text: it could name what only the operator may know.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from core.errors import Conflict, DomainError, NotFound, OutOfOrder, Unavailable
from core.files.object_stores import S3, Folder, Object, Place, origin
from core.settings import Settings
from core.settings.locations import Location

LOCATION_UNAVAILABLE: Final = "location_unavailable"
"""Code of what may be well again in a while, as no other failure of a place."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _explained(what: Callable[_P, _T]) -> Callable[_P, _T]:
    """Tell failures of a place in our own words."""

    @wraps(what)
    def explained(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return what(*args, **kwargs)
        except DomainError:
            raise
        except OSError as error:
            raise _told(error) from _nameless(error)
        except Exception as error:
            # What the S3 library raises besides: no credentials, no such host.
            if type(error).__module__.partition(".")[0] not in _LIBRARIES:
                raise
            raise _unreached() from _nameless(error)

    return explained


def _told(error: OSError) -> DomainError:
    """A failure of a place, in our own words."""
    if isinstance(error, FileNotFoundError):
        return NotFound("object in the bucket")
    if isinstance(error, PermissionError):
        return OutOfOrder("location_denied", _DENIED)
    return _unreached()


def _unreached() -> Unavailable:
    return Unavailable("location_unavailable", _UNREACHED)


# Whose failures are those of a place: no credentials, no such host, no answer.
_LIBRARIES: Final = frozenset({"aiobotocore", "aiohttp", "botocore"})
_DENIED: Final = "The bucket refuses access. The operator sets the credentials and their rights."
_UNREACHED: Final = (
    "The bucket cannot be reached. The operator finds out why with karat doctor; try again later."
)


def _nameless(error: Exception) -> Exception:
    """Of an error that may quote a request only the type."""
    return RuntimeError(type(error).__name__)


class Buckets:
    """Every place that an installation may look at; failures are ``DomainError``.

    ``not_found`` for what is not there, ``location_denied`` and ``location_unavailable``, 503, for
    what cannot be looked at now.
    """

    def __init__(self, settings: Settings) -> None:
        """Look nowhere yet."""
        self._settings = settings
        self._folder = Folder(settings.import_places)

    def pages(self, location: Location) -> Iterator[list[Object]]:
        """Everything inside ``location`` in blocks of at most 1,000, by name."""
        pages = self._place(location).pages(location)
        following = _explained(lambda: next(pages, None))
        while (page := following()) is not None:
            yield page

    @_explained
    def head(self, location: Location) -> Object:
        """What is at ``location`` now."""
        return self._place(location).head(location)

    def same(self, location: Location, tag: str) -> Object:
        """What is at ``location``, if it is still what ``tag`` says.

        Raises:
            Conflict: ``image_gone`` or ``image_changed``, and as ``require_shown``. None says where
                the image lies: in folders named as classes that is what annotators are asked.
            DomainError: As the class says.
        """
        self.require_shown(location)
        try:
            found = self.head(location)
        except NotFound:
            raise Conflict(
                "image_gone",
                "The file of this image is gone. Put it back, or import the folder that it was "
                "moved to.",
            ) from None
        if found.tag != tag:
            raise image_changed()
        return found

    def require_shown(self, location: Location) -> None:
        """Refuse what lies in a place that the operator has taken back.

        Raises:
            Conflict: ``location_not_allowed``; it does not say what else is allowed, since those
                who ask may be annotators, or anybody with a link.
        """
        if not any(place.holds(location) for place in self._settings.import_places):
            raise Conflict(
                "location_not_allowed",
                "The operator no longer allows the place where this image lies. It is shown again "
                "once that is named in KARAT_IMPORT_LOCATIONS, or when the image itself is sent.",
            )

    @_explained
    def read(self, found: Object) -> bytes:
        """The whole content of an object."""
        return self._place(found.location).read(found)

    def blocks(self, found: Object) -> Iterator[bytes]:
        """The content of an object, a mebibyte at a time."""
        blocks = self._place(found.location).blocks(found)
        following = _explained(lambda: next(blocks, None))
        while (block := following()) is not None:
            yield block

    @_explained
    def write(self, location: Location, content: bytes | Path) -> None:
        """Store bytes, or a file, in a bucket."""
        S3(self._settings).write(location, content)

    @_explained
    def remove(self, location: Location) -> None:
        """Remove a file of a bucket, or a folder with everything inside it, or what can go."""
        S3(self._settings).remove(location)

    @_explained
    def remove_all(self, locations: Sequence[Location]) -> dict[Location, DomainError]:
        """Remove objects of one bucket, by name; those that are not there are passed over.

        Returns:
            Those that the bucket keeps, and why.
        """
        stay = S3(self._settings).remove_all(locations)
        return {location: _told(error) for location, error in stay.items()}

    @_explained
    def sign(self, found: Object, media_type: str) -> str | None:
        """A link to the content for ``KARAT_SIGNED_URL_SECONDS``; None where there is none."""
        place = self._place(found.location)
        return place.sign(found, media_type, self._settings.signed_url_seconds)

    @_explained
    def file(self, location: Location) -> Path | None:
        """The file, where the place is a folder of this machine."""
        return self._folder.file(location) if location.scheme == "file" else None

    def _place(self, location: Location) -> Place:
        return self._folder if location.scheme == "file" else S3(self._settings)


def image_changed() -> Conflict:
    """Of an image whose file has another content than when it was imported."""
    return Conflict(
        "image_changed",
        "The file of this image has changed since it was imported. Put the old content back; to "
        "take the new one in, import it again.",
    )


def image_origins(settings: Settings) -> tuple[str, ...]:
    """Addresses that signed links lead to, for the browser's content security policy.

    None where no link can be signed: what is missing is told when an image is asked for.
    """
    places = [
        *settings.import_places,
        *([settings.storage_place] if settings.storage_place else []),
    ]
    buckets = {place.bucket for place in places if place.scheme == "s3"}
    if not buckets or not settings.s3_redirect:
        return ()
    try:
        return tuple(sorted({_explained(origin)(settings, bucket) for bucket in buckets}))
    except DomainError:
        return ()
