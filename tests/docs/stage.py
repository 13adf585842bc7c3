"""A running Karat for the readers of the documentation, and what their pages take for granted."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from karat import Client, KaratError
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.docs.blocks import Block, blocks
from tests.docs.session import Session
from tests.processes import ROOT
from tests.stacks import admin_login, installed

_TUTORIAL: Final = ROOT / "docs/tutorial.md"
_MAKES_IT: Final = "project create Digits"
_LABELS: Final = ("zero", "one", "ood", "one", "zero")
# A reader reads the number of a job off what ``karat`` prints.
_KARAT: Final = """
karat() {
  local out status=0
  out=$(command karat "$@") || status=$?
  printf '%s\\n' "$out"
  if [[ $out =~ ^Job\\ ([0-9]+)\\ is ]]; then JOB=${BASH_REMATCH[1]}; fi
  return $status
}
"""


class Stage:
    """The stack, and the files and the project that pages speak of."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack = stack
        self._email, self._password = admin_login(stack)
        self._folder = folder
        self._props = folder / "props"
        self._config = folder / "config"
        self._props.mkdir()
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("KARAT_")},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "KARAT_PASSWORD": self._password,
        }
        with Client(stack.url) as karat:
            karat.login(self._email, self._password)
            token = karat.create_token("the documentation", scope="admin")["secret"]
        self.karat = Client(stack.url, token)
        self._make_files()
        self._digits = self._make_project()

    def close(self) -> None:
        self.karat.close()

    def read(self, page: Path, run: list[Block]) -> str:
        """Type all blocks of a page; what went wrong first, or nothing."""
        name = re.sub(r"\W+", "-", str(page.relative_to(ROOT)))
        home = self._home(name)
        environment = {
            **self._environment,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
        }
        with self._scenery(page, name), Session(home, environment, f"{self._password}\n" * 3) as at:
            for block in run:
                if problem := at.run(block, self._code(block)):
                    return problem
        return ""

    def _code(self, block: Block) -> str:
        code = block.code.replace("http://127.0.0.1:8080", self.stack.url)
        if block.language != "sh":
            return code
        return "".join([_KARAT, *self._numbers(code), code])

    def _numbers(self, code: str) -> Iterator[str]:
        """What a reader has read off the list of subsets."""
        if "$SUBSET" in code:
            found = [one["id"] for one in self._digits.subsets()]
            yield from (
                f"{name}={id_}\n" for name, id_ in zip(("SUBSET", "OTHER"), found, strict=False)
            )

    def _home(self, name: str) -> Path:
        home = self._folder / name
        shutil.copytree(self._props, home)
        (home / ".venv").symlink_to(Path(sys.executable).parent.parent)
        (home / "karat-data").symlink_to(self.stack.data_dir)
        command = [sys.executable, "-m", "karat", "login", self.stack.url]
        if not self._config.exists():
            environment = {**self._environment, "HOME": str(home)}
            environment["XDG_CONFIG_HOME"] = str(self._config)
            subprocess.run([*command, "--email", self._email], env=environment, check=True)
        shutil.copytree(self._config, home / ".config")
        return home

    @contextmanager
    def _scenery(self, page: Path, name: str) -> Iterator[None]:
        """A project called Digits, unless the page makes one; no name and no job stays."""
        before = {one["id"] for one in self.karat.projects()}
        made_there = any(_MAKES_IT in one.code for one in blocks(page)) or page.stem == "api"
        if not made_there:
            self._digits.update(name="Digits")
        try:
            yield
        finally:
            self._digits.update(name="Digits of the stage")
            for one in self.karat.projects():
                if one["id"] not in before:
                    project = self.karat.project(one["id"])
                    project.update(name=f"{one['name']} {one['id']} of {name}")
            for job in [*self.karat.jobs(state="queued"), *self.karat.jobs(state="running")]:
                # It may have ended a moment ago.
                with suppress(KaratError):
                    self.karat.cancel_job(job["id"])

    def _make_files(self) -> None:
        """``digits`` as the tutorial makes it, the same as a zip, and labels of two kinds."""
        script = next(one.code for one in blocks(_TUTORIAL) if one.language == "python")
        subprocess.run([sys.executable, "-c", script], cwd=self._props, check=True)
        # A quarter of them: commands do the same with them, and rounds take as long as there are
        # images.
        for at, one in enumerate(sorted(self._props.glob("digits/**/*.png"))):
            if at % 4:
                one.unlink()
        images = sorted(self._props.glob("digits/pool/*.png"))
        with zipfile.ZipFile(self._props / "digits.zip", "w") as archive:
            for one in (self._props / "digits").rglob("*.png"):
                archive.write(one, one.relative_to(self._props / "digits"))
        rows = [f"pool/{one.name},{_LABELS[at % 5]}" for at, one in enumerate(images[:60])]
        (self._props / "labels.csv").write_text("\n".join(["file_name,worse_label", *rows, ""]))
        names = [("robin", "wren")[at % 2] for at in range(48)]
        pictures = [{"bytes": _bird(at), "path": f"{at}.png"} for at in range(48)]
        pq.write_table(pa.table({"image": pictures, "label": names}), self._props / "birds.parquet")

    def _make_project(self) -> ProjectClient:
        """A project of the digits that came with labels."""
        classes = ["zero", "one", "two", "three"]
        settings = {"budget": 40, "input_size": 16}
        project = self.karat.create_project("Digits of the stage", classes, settings=settings)
        self.karat.wait(project.import_images(self._props / "digits.zip")["id"])
        labels = self._props / "labels.csv"
        columns = ("worse_label",)
        self.karat.wait(project.import_images(labels, annotation_columns=columns)["id"])
        return project


def _bird(seed: int) -> bytes:
    stream = io.BytesIO()
    colour = (40 + seed * 4, 90, 200 - seed * 3) if seed % 2 else (90, 40 + seed * 4, 60 + seed)
    Image.new("RGB", (16, 16), colour).save(stream, "PNG")
    return stream.getvalue()


@contextmanager
def stage(folder: Path, environment: Mapping[str, str]) -> Iterator[Stage]:
    """Start it, in an empty folder."""
    with installed(folder / "data", environment=environment) as stack:
        made = Stage(stack, folder)
        try:
            yield made
        finally:
            made.close()
