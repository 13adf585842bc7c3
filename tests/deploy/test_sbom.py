"""The bill of materials names every package that is pinned, and what only tests need."""

import json
import re
from typing import Any, Final

import pytest

from scripts.sbom import ROOT, bill, pinned

BILL: Final = bill()
COMPONENTS: Final[dict[str, dict[str, Any]]] = {one["bom-ref"]: one for one in BILL["components"]}


def test_every_pinned_package_is_there_once() -> None:
    lock = (ROOT / "requirements" / "lock.txt").read_text()
    pins = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", lock, re.MULTILINE)
    assert {f"pkg:pypi/{name.lower()}@{version}" for name, version in pins} <= COMPONENTS.keys()
    assert len(COMPONENTS) == len(BILL["components"])
    npm = json.loads((ROOT / "frontend" / "package-lock.json").read_text())["packages"]
    there = {path.rpartition("node_modules/")[2] for path in npm} - {""}
    assert there == {one["name"] for ref, one in COMPONENTS.items() if ref.startswith("pkg:npm/")}
    hashes = [one["externalReferences"][0]["hashes"] for one in COMPONENTS.values()
              if "/pypi/" in one["purl"] or one["purl"].startswith("pkg:pypi/")]  # fmt: skip
    assert all(hashes)
    assert sum(map(len, hashes)) == lock.count("--hash=sha256:")


@pytest.mark.parametrize(
    ("name", "scope"),
    [("fastapi", "required"), ("torch", "required"), ("s3fs", "required"), ("pytest", "optional"),
     ("vite", "excluded"), ("react", "required"), ("postgres", "required")],
)  # fmt: skip
def test_it_says_what_is_only_for_tests_and_the_build(name: str, scope: str) -> None:
    assert {one["scope"] for one in COMPONENTS.values() if one["name"] == name} == {scope}


def test_what_depends_on_what_is_among_the_components() -> None:
    known = COMPONENTS.keys() | {"karat"}
    for row in BILL["dependencies"]:
        assert {row["ref"], *row["dependsOn"]} <= known
    reached = {ref for row in BILL["dependencies"] for ref in row["dependsOn"]}
    assert reached == COMPONENTS.keys()


def test_it_is_the_same_each_time() -> None:
    assert json.dumps(bill()) == json.dumps(BILL)
    assert BILL["specVersion"] == "1.6"


def test_a_lock_is_read_with_its_conditions_and_reasons() -> None:
    lock = """\
a==1.0 ; sys_platform == 'linux' \\
    --hash=sha256:{}
    # via
    #   karat (pyproject.toml)
    #   b
b==2.0 \\
    --hash=sha256:{}
    # via karat (pyproject.toml)
""".format("0" * 64, "1" * 64)
    one, other = pinned(lock)
    assert (one.version, one.when, one.wanted_by) == (
        "1.0", "sys_platform == 'linux'", ["karat", "b"],
    )  # fmt: skip
    assert (other.hashes, other.wanted_by) == (["1" * 64], ["karat"])
