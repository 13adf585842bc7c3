"""Requests that the API's own description makes up, right and wrong ones: never a 5xx."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from core.tables import Project
from tests import processes
from tests.security.targets import CALLS, ENDLESS, Call, Target, target
from tests.world import Caller, World

# Never end; the matrix calls them.
_SEED = 20_261_121


@dataclass
class Fuzzer:
    """A real API process, and somebody who may do everything.

    Attributes:
        url: Where it is.
        log: What it says.
        world: Its database.
        statuses: How many cases were answered so.
    """

    url: str
    log: Path
    world: World
    statuses: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.session = requests.Session()
        self.admin = self.world.caller()
        self.there = target(self.world)
        self.schema = schemathesis.openapi.from_url(f"{self.url}/api/openapi.json")

    def operations(self) -> Iterator[Any]:
        """Every operation that ends, in the order of the description."""
        found: Any
        for found in self.schema.get_all_operations():
            assert isinstance(found, Ok), found
            operation = found.ok()
            if operation.definition.raw["operationId"] not in ENDLESS:
                yield operation

    def fuzz(self, operation: Any, examples: int) -> None:
        """Send ``examples`` requests that fit the description, and as many that do not."""
        name = operation.definition.raw["operationId"]
        there = self._prepare(name)
        for mode in GenerationMode:
            strategy = operation.as_strategy(generation_mode=mode)

            @hypothesis.seed(_SEED)
            @hypothesis.settings(
                max_examples=examples,
                database=None,
                deadline=None,
                suppress_health_check=list(hypothesis.HealthCheck),
                phases=[hypothesis.Phase.generate],
            )
            # Made-up numbers end at 404; real ones get further.
            @hypothesis.given(case=strategy, real=st.integers(0, 3))
            def send(case: Any, real: int) -> None:
                if real and case.path_parameters:
                    known = {one: there[one] for one in case.path_parameters if one in there}
                    case.path_parameters.update(known)
                self._send(case)

            try:
                send()
            except hypothesis.errors.Unsatisfiable:
                # Without parameters and a body there is no wrong request.
                assert mode is GenerationMode.NEGATIVE

    def _prepare(self, name: str) -> dict[str, Any]:
        self.world.session.expire_all()
        if self.world.session.get(Project, self.there.values["project_id"]) is None:
            # A made-up number was the right one.
            self.there = target(self.world)
        found = Target(self.there.project, self.admin, self.there.values)
        return CALLS.get(name, Call()).before(self.world, found).values

    def _send(self, case: Any) -> None:
        # Made-up requests revoke tokens, also the one that they come with.
        for _ in range(2):
            response = case.call(
                base_url=self.url, session=self.session, headers=self.admin.headers, timeout=60
            )
            if response.status_code != 401:
                break
            self.admin = Caller(self.admin.user, self.world.token(self.admin.user)[1])
        self.statuses[response.status_code] += 1
        if response.status_code >= 500:
            said = self.log.read_text()[-3000:]
            pytest.fail(f"{response.status_code}: {case.as_curl_command()}\n{said}")


@pytest.fixture
def fuzzer(world: World, tmp_path: Path) -> Iterator[Fuzzer]:
    with processes.api(tmp_path / "api.log") as (_, url):
        yield Fuzzer(url, tmp_path / "api.log", world)


def _fuzz_all(fuzzer: Fuzzer, examples: int) -> None:
    for operation in fuzzer.operations():
        fuzzer.fuzz(operation, examples)
    cases = sum(fuzzer.statuses.values())
    print(f"{cases:,} cases: {dict(sorted(fuzzer.statuses.items()))}")  # noqa: T201
    # Most requests got past the login, and some did something.
    assert fuzzer.statuses[401] < cases / 10
    assert fuzzer.statuses[200] > cases / 20


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_answered_by_a_server_error(fuzzer: Fuzzer) -> None:
    _fuzz_all(fuzzer, 3)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("ignore")
def test_none_of_ten_thousand_requests_is_answered_by_a_server_error(fuzzer: Fuzzer) -> None:
    _fuzz_all(fuzzer, 110)
    assert sum(fuzzer.statuses.values()) >= 10_000
