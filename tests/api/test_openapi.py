"""The committed API description, from which the browser's types are made."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_committed_description_is_that_of_the_api() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "api.openapi"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    committed = (ROOT / "frontend" / "openapi.json").read_text()
    assert committed == printed, "run: make openapi"
    operations = [
        operation["operationId"]
        for path in json.loads(printed)["paths"].values()
        for operation in path.values()
    ]
    assert sorted(operations) == sorted(set(operations))
    assert len(operations) > 40
