"""From a catalog entry to the code it names."""

import importlib

from models.catalog import Spec
from models.errors import ModelError
from models.protocols import Resolved


def resolve(spec: Spec) -> Resolved:
    """Import the `module:function` of a catalog entry.

    Raises:
        ModelError: the module or the function does not exist.
    """
    module_name, _, attribute = spec.target.partition(":")
    try:
        target: Resolved = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The {spec.kind} {spec.name} cannot be loaded from {spec.target} ({error}); install "
            "what it needs or mend its catalog entry."
        ) from error
    return target
