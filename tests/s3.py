"""A server that speaks S3, as a process of its own."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import s3fs

from tests.processes import eventually, free_port

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIDKARATTEST",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-no-log-may-hold",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@dataclass(frozen=True)
class S3Server:
    """Where it listens; buckets are of the test that makes them."""

    endpoint: str

    def files(self) -> Any:
        """The server's objects, as a file system."""
        return s3fs.S3FileSystem(
            key=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            secret=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            endpoint_url=self.endpoint,
            use_listings_cache=False,
        )

    def bucket(self) -> str:
        """Name of a new bucket."""
        name = f"karat-{secrets.token_hex(4)}"
        self.files().mkdir(name)
        return name


@dataclass(frozen=True)
class Bucket:
    """A bucket as those see it who fill it."""

    files: Any
    name: str

    @property
    def url(self) -> str:
        return f"s3://{self.name}"

    def put(self, objects: Mapping[str, bytes]) -> None:
        for key, content in objects.items():
            self.files.pipe_file(f"{self.name}/{key}", content)

    def remove(self, key: str) -> None:
        self.files.rm_file(f"{self.name}/{key}")

    def keep(self, *patterns: str) -> None:
        """Let nobody remove what has such a key any more."""
        rule = {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:DeleteObject",
            "Resource": [f"arn:aws:s3:::{self.name}/{pattern}" for pattern in patterns],
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [rule]})
        self.files.call_s3("put_bucket_policy", Bucket=self.name, Policy=policy)

    def let_go(self) -> None:
        """Take back what ``keep`` has said."""
        self.files.call_s3("delete_bucket_policy", Bucket=self.name)


def out_of_reach(monkeypatch: pytest.MonkeyPatch, port: int = 9) -> None:
    """Let buckets be where nothing listens, and nobody ask more than once."""
    monkeypatch.setenv("KARAT_S3_ENDPOINT", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A running server, empty."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, **CREDENTIALS},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = S3Server(f"http://127.0.0.1:{port}")
    try:
        eventually(lambda: _answers(server.endpoint), "the S3 server answers")
        yield server
    finally:
        process.terminate()
        process.wait(10)


def _answers(endpoint: str) -> bool:
    try:
        return httpx.get(endpoint, verify=False).status_code < 500
    except httpx.TransportError:
        return False
