import pytest

from core.errors import DomainError
from core.settings.locations import Location, parse_all, require_allowed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://photos", "s3://photos"),
        ("S3://photos/", "s3://photos"),
        (" s3://photos/2024/a b/ä.jpg ", "s3://photos/2024/a b/ä.jpg"),
        ("file:///mnt/share/", "file:///mnt/share"),
    ],
)
def test_reads_addresses(text: str, shown: str) -> None:
    assert str(Location.parse(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "", "photos", "s3:/photos", "s3://", "s3://a", "s3://user:secret@photos/x", "s3://a/../b",
        "s3://photos/./x", "s3://photos/a//b", "s3://photos/..", "s3://photos/x\n", "s3://photos/\0",
        "s3://photos/x?versionId=1", "file://host/share", "file:///a/../etc", "http://photos/x",
        "gs://photos/x", "https://s3.amazonaws.com/photos", "s3://photos/" + "x" * 2000,
    ],
)  # fmt: skip
def test_refuses_what_leads_elsewhere(text: str) -> None:
    with pytest.raises(DomainError) as refused:
        Location.parse(text, "location")
    assert (refused.value.code, refused.value.field) == ("invalid_location", "location")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../../x", "/x", "a//b", "x\n"])
def test_a_name_inside_stays_inside(name: str) -> None:
    with pytest.raises(DomainError):
        Location.parse("s3://photos/2024").child(name)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("s3://photos/2024", True),
        ("s3://photos/2024/march", True),
        ("s3://photos/2024-secret", False),
        ("s3://photos", False),
        ("s3://other/2024", False),
        ("file:///photos/2024", False),
        ("s3://whole/anything", True),
    ],
)
def test_what_is_allowed_ends_at_a_slash(text: str, fits: bool) -> None:
    allowed = parse_all("s3://photos/2024, s3://whole")
    if fits:
        require_allowed(Location.parse(text), allowed, "location")
    else:
        with pytest.raises(DomainError, match="only"):
            require_allowed(Location.parse(text), allowed, "location")
