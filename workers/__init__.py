"""Celery workers."""

import os

# Read by OpenMP when torch is imported, so it must be set before the modules that train are.
# Threads that spin while they wait slow a small network fivefold on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
