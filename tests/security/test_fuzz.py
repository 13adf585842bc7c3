"""Requests that the API's own description makes up, right and wrong ones: never a 5xx."""

import itertools
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

from core.states import Role
from core.tables import Project
from tests import processes
from tests.security.targets import CALLS, ENDLESS, Call, Target, target
from tests.world import Caller, World

# Never end; the matrix calls them.
_SEED = 20_261_121


@dataclass
class Fuzzer:
    """A real API process, and somebody of a role who is in the project that requests are about.

    Attributes:
        url: Where it is.
        log: What it says.
        world: Its database.
        role: Of whoever sends the requests.
        statuses: How many cases of each role were answered so.
    """

    url: str
    log: Path
    world: World
    role: Role = Role.ADMIN
    statuses: Counter[tuple[Role, int]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.session = requests.Session()
        self.become(self.role)
        self.schema = schemathesis.openapi.from_url(f"{self.url}/api/openapi.json")

    def become(self, role: Role) -> None:
        """Be somebody new of ``role``, with a new project."""
        self.role = role
        self.there = target(self.world)
        self.caller = self.world.caller(role, self.there.project)

    @property
    def cases(self) -> int:
        """How many requests were sent."""
        return self.statuses.total()

    def operations(self) -> Iterator[Any]:
        """Every operation that ends, in the order of the description."""
        found: Any
        for found in self.schema.get_all_operations():
            assert isinstance(found, Ok), found
            operation = found.ok()
            if operation.definition.raw["operationId"] not in ENDLESS:
                yield operation

    def fuzz(self, operation: Any, examples: int, seed: int = _SEED) -> None:
        """Send up to ``examples`` requests that fit the description, and as many that do not."""
        name = operation.definition.raw["operationId"]
        there = self._prepare(name)
        for mode in GenerationMode:
            strategy = operation.as_strategy(generation_mode=mode)

            @hypothesis.seed(seed)
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
            self.become(self.role)
        found = Target(self.there.project, self.caller, self.there.values)
        return CALLS.get(name, Call()).before(self.world, found).values

    def _send(self, case: Any) -> None:
        # Made-up requests revoke tokens, also the one that they come with, and deactivate users.
        for _ in range(2):
            response = case.call(
                base_url=self.url, session=self.session, headers=self.caller.headers, timeout=60
            )
            if response.status_code != 401:
                break
            self._come_back()
        self.statuses[self.role, response.status_code] += 1
        if response.status_code >= 500:
            said = self.log.read_text()[-3000:]
            pytest.fail(f"{response.status_code}: {case.as_curl_command()}\n{said}")

    def _come_back(self) -> None:
        user = self.caller.user
        self.world.session.refresh(user)
        if user.active and user.role is self.role:
            self.caller = Caller(user, self.world.token(user)[1])
        else:
            self.caller = self.world.caller(self.role, self.there.project)


@pytest.fixture
def fuzzer(world: World, tmp_path: Path) -> Iterator[Fuzzer]:
    with processes.api(tmp_path / "api.log") as (_, url):
        yield Fuzzer(url, tmp_path / "api.log", world)


def _tell(fuzzer: Fuzzer) -> None:
    for role in Role:
        found = {code: n for (who, code), n in sorted(fuzzer.statuses.items()) if who is role}
        print(f"{role}: {sum(found.values()):,} cases: {found}", flush=True)  # noqa: T201


def _share(fuzzer: Fuzzer, *codes: int, role: Role) -> float:
    every = sum(n for (who, _), n in fuzzer.statuses.items() if who is role)
    return sum(fuzzer.statuses[role, code] for code in codes) / every


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_no_request_is_answered_by_a_server_error(fuzzer: Fuzzer) -> None:
    for operation in fuzzer.operations():
        fuzzer.fuzz(operation, 3)
    _tell(fuzzer)
    # Most requests got past the login, and some did something.
    assert _share(fuzzer, 401, role=Role.ADMIN) < 0.1
    assert _share(fuzzer, 200, role=Role.ADMIN) > 0.05


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
@pytest.mark.filterwarnings("ignore")
def test_no_request_of_any_role_is_answered_by_a_server_error(
    fuzzer: Fuzzer, pytestconfig: pytest.Config
) -> None:
    wanted: int = pytestconfig.getoption("--fuzz-cases")
    operations = list(fuzzer.operations())
    # Small bites, so that a run that is stopped has been everywhere. A request without parameters
    # can be made in one way only, so it takes more of them than the number of routes says.
    for bite in itertools.count():
        for role in Role:
            fuzzer.become(role)
            for operation in operations:
                fuzzer.fuzz(operation, min(20, wanted // len(operations) + 1), _SEED + bite)
        _tell(fuzzer)
        if fuzzer.cases >= wanted:
            break
    for role in Role:
        assert _share(fuzzer, 401, role=role) < 0.1
        assert _share(fuzzer, 200, role=role) > 0.02
    # Whoever may do less is refused more.
    refused = [_share(fuzzer, 403, role=role) for role in (Role.ADMIN, Role.ENGINEER)]
    assert refused[0] < refused[1] < _share(fuzzer, 403, role=Role.ANNOTATOR)
