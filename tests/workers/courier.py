"""``python -m tests.workers.courier PID LIFE ASKED``: a courier of a process that has forked it.

Args are that process, its descriptor that tells whether it lives, and a named pipe.
"""

import os
import runpy
import sys

if __name__ == "__main__":
    pid, life, asked = sys.argv[1:]
    kept = os.open(f"/proc/{pid}/fd/{life}", os.O_RDONLY)
    questions = os.open(asked, os.O_RDONLY)
    os.dup2(questions, sys.stdin.fileno())
    os.close(questions)
    sys.argv = ["courier", str(kept)]
    runpy.run_module("workers.judges.courier", run_name="__main__")
