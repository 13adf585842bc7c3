"""From the task type of a project to what learns its labels."""

import importlib
from functools import cache

from core.tasks.registry import task_type
from models.errors import ModelError
from models.tasks.base import Learner


@cache
def _load(target: str) -> Learner:
    module_name, _, attribute = target.partition(":")
    try:
        found: Learner = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The learner {target} cannot be loaded ({error}); install what it needs, or mend the "
            "task type that names it."
        ) from error
    return found


def learner_of(task: str) -> Learner:
    """The learner of a task type; torch is imported only where one is asked for.

    Raises:
        Invalid: There is no such task type here.
        ModelError: Its learner cannot be loaded.
    """
    return _load(task_type(task).learner)
