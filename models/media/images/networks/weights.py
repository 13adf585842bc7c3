"""Published weights from the caches of the libraries: tensors are read from them, and no code."""

import os


def tensors_only() -> None:
    """Have PyTorch refuse, from now on, what is more than tensors, whatever a library asks for.

    A file of the older format is a pickle, which can run anything; who may write to a cache of
    weights would run code in the workers. Some libraries ask for that explicitly.
    """
    os.environ.pop("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", None)
    os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"
