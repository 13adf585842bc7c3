"""The last warm-up of a project, for another method, ratio or threshold to choose by.

Where labels, images or parameters have changed, it is made anew; which device made it does not
count. The file is a convenience: without it, or with a broken one, a job takes longer.
"""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from models.catalog.params.prune import PruneParams
from models.catalog.params.warm_up import WarmUpParams
from models.files.arrays import write_arrays
from workers.jobs.context import JobContext
from workers.labels.job_inputs import JobInputs

EVALUATION: Final = "evaluation"
"""Name of the features of images that judge, beside the arrays of a `PruningView`."""

_FORMAT: Final = 3
"""To be raised where the same labels and parameters no longer lead to the same warm-up."""


class WarmedUp:
    """The warm-up that a job would make, as an earlier job may have left it."""

    def __init__(self, context: JobContext, known: JobInputs, params: PruneParams) -> None:
        """Take the labels and parameters of a job."""
        self._file = context.storage.warm_up(context.project_id)
        self._job_id, self._log = context.job_id, context.log
        self._key = _key(known, params)

    def find(self) -> tuple[dict[str, Any], int] | None:
        """Return what `keep` was given and the id of the job that gave it, or None."""
        try:
            with np.load(self._file) as kept:
                if str(kept["key"]) != self._key:
                    return None
                arrays = {name: kept[name] for name in kept.files}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return None
        del arrays["key"]
        return arrays, int(arrays.pop("job_id"))

    def keep(self, arrays: Mapping[str, Any]) -> None:
        """Keep arrays for the next job, instead of those of an earlier one, if there is room."""
        try:
            write_arrays(self._file, {**arrays, "key": self._key, "job_id": self._job_id})
        except OSError as error:
            self._log.write(f"The warm-up is not kept for another job: {error}")


def said_of(job_id: int) -> str:
    """Return the note that tells whose warm-up was used."""
    return (
        f"Labels and training are those of job {job_id}, so its warm-up was used again and only "
        "the choice made anew."
    )


def _key(known: JobInputs, params: PruneParams) -> str:
    snapshot, store = known.snapshot, known.store
    given = params.model_dump(mode="json", include=set(WarmUpParams.model_fields))
    # The network is scaled by the colours of all images, labeled or not.
    facts = [_FORMAT, known.seed, store.size, snapshot.count, given]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    judging = [snapshot.evaluation] if params.frozen else []
    for array in (snapshot.class_ids, *snapshot.inside(), *judging):
        digest.update(len(array).to_bytes(8, "big"))
        digest.update(array.tobytes())
    return digest.hexdigest()
