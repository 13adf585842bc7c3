"""What the audit of dependencies takes from the reports of pip-audit and npm."""

import pytest

from scripts.audit import UNKNOWN, Findings, of_npm, of_pypi, status


def test_weak_and_unknown_packages_of_pypi_are_told_apart() -> None:
    report = {
        "dependencies": [
            {"name": "sound", "version": "1.0", "vulns": []},
            {"name": "weak", "version": "2.1", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]},
            {"name": "hidden", "skip_reason": "not found"},
        ],
        "fixes": [],
    }
    found = of_pypi(report)
    assert found.weak == ["weak 2.1: CVE-1, CVE-2"]
    assert found.unknown == ["hidden"]


def test_only_serious_weaknesses_of_npm_count() -> None:
    report = {
        "vulnerabilities": {
            "bad": {"name": "bad", "range": "<3", "severity": "critical"},
            "mild": {"name": "mild", "range": "*", "severity": "moderate"},
        }
    }
    found = of_npm(report)
    assert found.weak == ["bad <3: critical"]
    assert found.unknown == []


def test_a_registry_that_does_not_answer_is_not_taken_for_safe() -> None:
    found = of_npm({"message": "405 Method Not Allowed", "statusCode": 405})
    assert found.weak == []
    assert found.unknown == ["405 Method Not Allowed"]


@pytest.mark.parametrize(
    ("found", "expected", "where_reachable"),
    [
        (Findings(), 0, 0),
        (Findings(unknown=["hidden"]), UNKNOWN, 0),
        (Findings(weak=["weak 2.1: CVE-1"]), 1, 1),
        (Findings(weak=["weak 2.1: CVE-1"], unknown=["hidden"]), 1, 1),
    ],
)
def test_a_weak_package_always_fails_and_an_unknown_one_unless_allowed(
    found: Findings, expected: int, where_reachable: int
) -> None:
    assert status([Findings(), found], where_reachable=False) == expected
    assert status([found, Findings()], where_reachable=True) == where_reachable
