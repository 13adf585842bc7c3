"""What the processes that workers are forked from have imported: seconds that each would wait.

Nothing that reads the environment as it is imported, as ``workers.app``: that is each worker's own.
"""

import gc
import importlib

from core.startup import uncollected
from tests.processes import ROOT

_LIBRARIES = (
    "celery.apps.worker",
    "celery.bin.worker",
    "kombu.transport.redis",
    "sklearn.linear_model",
    "torch._dynamo",
)
_HANDLERS = tuple(
    f"workers.{path.parent.name}.handler" for path in sorted(ROOT.glob("workers/*/handler.py"))
)

# Collections would look through all this again and again while it grows; a worker's neither look
# through it nor copy its pages.
with uncollected():
    for name in (*_LIBRARIES, "core.tables", "workers.execution.presence", *_HANDLERS):
        importlib.import_module(name)
gc.collect()
gc.freeze()
