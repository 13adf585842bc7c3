"""Every command and every program of the documentation does what its page says."""

import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from scripts.docs.commands import commands
from tests.docs.blocks import PAGES, RUN, SHOWN, Block, blocks, differences
from tests.docs.stage import Stage, stage
from tests.processes import ROOT


def _is_run(block: Block) -> bool:
    return block.language in RUN and not block.not_run


BLOCKS: Final = {page: blocks(page) for page in PAGES}
# The page that sets the admin's password anew comes last.
READ: Final = sorted(
    (page for page, found in BLOCKS.items() if any(_is_run(one) for one in found)),
    key=lambda page: (page.stem == "users", page),
)
# What everybody reads first, and every route, is read in CI; pages that wait for jobs take longer.
_ALWAYS: Final = {"README", "tutorial", "api", "settings", "exports", "webhooks", "users"}
# Reasons to leave a block out, and how many blocks may have each.
LEFT_OUT: Final = {
    "CI runs it": 2,
    "calls an address on the Internet": 4,
    "needs Docker": 4,
    "needs a bucket": 4,
    "needs a phone": 1,
    "needs a project of boxes": 3,
    "needs a cluster": 1,
    "needs servers of its own": 5,
    "stays in the foreground": 4,
    "takes images out of the project for good": 1,
    "takes minutes": 57,
    "wants a file of weights": 5,
    "wants a judge": 7,
    "wants instruction data": 1,
    "wants jq": 1,
    "wants people who answer": 2,
}
_WORD: Final = re.compile(r"(?:^|\s)(--[a-z][a-z-]*)")


@pytest.fixture(scope="module")
def karat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("docs"), {"OMP_NUM_THREADS": "1"}) as found:
        yield found


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=() if page.stem in _ALWAYS else pytest.mark.long,
        )
        for page in READ
    ],
)
def test_commands_of_a_page_run_in_order(karat: Stage, page: Path) -> None:
    run = [one for one in BLOCKS[page] if _is_run(one)]
    if page.stem == "README":
        # What everybody pastes first, some paste again.
        run += [one for one in run if one.language == "python"]
    problem = karat.read(page, run)
    assert not problem, problem


def test_what_is_not_run_says_why() -> None:
    every = [one for found in BLOCKS.values() for one in found]
    strange = {str(one): one.language for one in every if one.language not in RUN | SHOWN}
    assert strange == {}
    reasons = Counter(one.not_run for one in every if one.not_run)
    assert {reason for reason in reasons if reasons[reason] > LEFT_OUT.get(reason, 0)} == set()


LEFT: Final = [one for found in BLOCKS.values() for one in found if one.not_run]


@pytest.mark.parametrize("block", LEFT, ids=str)
def test_what_is_not_run_is_spelled_right(block: Block) -> None:
    """Its programs exist, and know the options."""
    for line in block.code.replace("\\\n", " ").splitlines():
        if found := re.search(r"python -m ([\w.]+)", line):
            spec = importlib.util.find_spec(found[1])
            assert spec is not None
            assert spec.origin is not None
            source = Path(spec.origin).read_text()
            after = line[found.end() :]
            unknown = [one for one in _WORD.findall(after) if f'"{one}"' not in source]
            assert unknown == []
        if found := re.match(r"make ([\w-]+)$", line):
            assert re.search(rf"^{found[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        if found := re.search(r"(?:^|\s)(karat .*)$", line):
            assert _unknown_options(found[1]) == set()


def _unknown_options(line: str) -> set[str]:
    for name, command in commands():
        if f"{line} ".startswith(f"{name} "):
            known = {option for param in command.params for option in param.opts}
            return set(_WORD.findall(line)) - known
    return {line}


def test_answers_are_compared_by_form() -> None:
    documented = {"id": 1, "items": [{"name": "a"}, "..."], "...": "..."}
    assert [*differences(documented, {"id": 7, "items": [{"name": "b"}, 3], "more": 1})] == []
    assert [*differences(documented, {"id": 7, "items": []})] == []
    assert [*differences(documented, {"items": []})] == [".id is documented and not there"]
    assert [*differences({"id": 1}, {"id": 1, "new": 2})] == [".new is not documented"]
    assert [*differences({"id": 1}, {"id": "x"})] == [".id is 'x', documented as 1"]
    assert [*differences({"a": {"b": 1}}, {"a": [1]})] == [".a is [1], documented as {'b': 1}"]
