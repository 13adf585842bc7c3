"""Classifiers that rounds have trained, as they look at images."""

import json

from core.files.storage import Storage
from core.settings.project import Choice, ProjectSettings
from core.tables import Artifact
from models.features.embed import uses_embeddings
from models.files import tensorfile
from models.tasks.localization.looking import Looker
from workers.features.stored import embeddings_file, require_same_features


def looker_of(storage: Storage, artifact: Artifact, settings: ProjectSettings, side: int) -> Looker:
    """The classifier, and what embeds for it: the project's model may be another by now.

    Args:
        storage: Where files are.
        artifact: A checkpoint of a round.
        settings: Of its project.
        side: Of the project's images, in pixels.

    Raises:
        ModelError: What it tells classes by has no place on the image, or what embeds for it was
            learned anew since.
    """
    path = storage.fetch(artifact.storage_key)
    metadata = tensorfile.read_metadata(path)
    embeddings = None
    if metadata.get("format") == "karat-target":
        name, params = metadata["name"], json.loads(metadata["params"])
        if uses_embeddings(name, params):
            assert artifact.project_id is not None
            model = Choice(name=name, params=params)
            settings = settings.model_copy(update={"model": model})
            embeddings = embeddings_file(storage, artifact.project_id, settings)
            require_same_features(artifact.meta.get("features"), embeddings)
    return Looker.load(path, side, embeddings)
