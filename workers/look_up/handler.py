"""The ``look_up`` job: make of one file, or text, what examples are compared by."""

import base64
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from core.errors import Conflict, Invalid
from core.features import Features, features_of
from core.job_params import LookUpParams
from core.media.text import NotText, decoded, require_text
from core.project_settings import ProjectSettings
from core.states import Medium
from core.tables import Job, Project
from models.features.contrastive import restore_encoder
from models.features.embed import restore_extractor
from models.media.image import Pixels
from models.params.networks import compared_width
from models.protocols import Extractor
from workers.context import JobContext, Phase
from workers.features.stored import LearnedFeatures
from workers.imports.items import Refused
from workers.imports.media.decode import decode


def run(context: JobContext) -> dict[str, Any]:
    """Note the features of the file beside the name of those that they are comparable with."""
    context.run(PHASES, context)
    context.storage.remove_upload(LookUpParams.of(context).upload)
    return {}


def look(context: JobContext) -> None:
    """Look at the file, and keep what it is compared by.

    Raises:
        Invalid: ``not_an_image`` or ``not_a_text``.
        Conflict: ``upload_gone``, or the pool has no features.
    """
    upload = LookUpParams.of(context).upload
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
    try:
        content = context.storage.upload(upload).read_bytes()
    except FileNotFoundError as error:
        raise Conflict("upload_gone", "The file is not there any more; send it again.") from error
    is_text = project.medium is Medium.TEXT
    try:
        batch = _text(context, content) if is_text else _image(context, content, settings.side)
    except Invalid:
        context.storage.remove_upload(upload)
        raise
    features = features_of(context.storage, context.project_id, settings.model.name, compared_width)
    extractor = _extractor(features, None if is_text else settings.side)
    vector = extractor.extract(batch)[0]
    text = base64.b64encode(np.asarray(vector, dtype=np.float32).tobytes()).decode()
    context.save({"features": features.path.name, "vector": text})


PHASES: Final = (Phase("look", look),)


def _image(context: JobContext, content: bytes, size: int) -> Pixels:
    """A batch of one image: (1, S, S, 3) uint8."""
    found = decode(content, max_pixels=context.settings.max_image_pixels, size=size)
    if isinstance(found, Refused):
        raise Invalid("not_an_image", f"The file cannot be compared: {found.reason}.")
    # A copy: what Pillow has decoded cannot be written, which PyTorch warns of.
    return np.array(found.pixels)[None]


def _text(context: JobContext, content: bytes) -> list[str]:
    """A batch of one text."""
    try:
        text = decoded(content).content
        require_text(text, context.settings.max_text_bytes)
    except NotText as error:
        raise Invalid("not_a_text", f"This cannot be compared: {error}.") from error
    return [text]


def _extractor(features: Features, size: int | None) -> Extractor:
    encoder = LearnedFeatures.encoder_of(features.path)
    if encoder is not None:
        # Only images have learned features.
        assert size is not None
        return restore_encoder(encoder, size)
    return restore_extractor(features.path, size)


def failed(session: Session, job: Job) -> None:
    """Nothing to put right."""
