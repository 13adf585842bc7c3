"""What the processes that workers are forked from have imported: seconds that each would wait.

Nothing that reads the environment as it is imported, as ``workers.app``: that is each worker's own.
"""

import gc
import importlib

import celery.apps.worker
import celery.bin.worker
import kombu.transport.redis
import sklearn.linear_model
import torch._dynamo

import core.tables
import workers.execution.presence
from tests.processes import ROOT

for path in sorted(ROOT.glob("workers/*/handler.py")):
    importlib.import_module(f"workers.{path.parent.name}.handler")
# A worker's collections neither look through all this nor copy its pages.
gc.collect()
gc.freeze()

__all__ = ["celery", "core", "kombu", "sklearn", "torch", "workers"]
