import pytest
from s3fs import S3FileSystem

from core.files.buckets import Buckets, image_origins
from core.files.object_stores import Object
from core.settings import Settings
from core.settings.locations import Location


@pytest.mark.parametrize(
    ("environment", "region"),
    [({}, "us-east-1"), ({}, "eu-west-1"), ({"AWS_DEFAULT_REGION": "eu-west-1"}, None)],
)
@pytest.mark.parametrize("bucket", ["photos", "photos.of.plants"])
def test_browsers_may_follow_a_signed_link(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], region: str | None, bucket: str
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIDKARATTEST",
        "AWS_SECRET_ACCESS_KEY": "secret",
        **environment,
    }.items():
        monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
    settings = Settings(import_locations=f"s3://{bucket}", s3_region=region)
    found = Object(Location("s3", bucket, "a.png"), 1, "tag")
    link = Buckets(settings).sign(found, "image/png")
    [allowed] = image_origins(settings)
    assert link is not None
    assert link.startswith(f"{allowed}/")
    S3FileSystem.clear_instance_cache()
