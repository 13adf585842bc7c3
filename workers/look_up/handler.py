"""The ``look_up`` job: make of one file, or text, what examples are compared by.

Words that images are looked for by are understood by a network of captions: the images of the pool
that it has not seen yet it sees first.
"""

import base64
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from core.artifacts.features import Features, features_of, name_of
from core.errors import Conflict, Invalid
from core.jobs.params import LookUpParams
from core.media.texts.medium import NotText, decoded, require_text
from core.settings.project import ProjectSettings
from core.states import Medium
from core.tables import Project
from models.catalog.params.networks import compared_width
from models.features.embed import restore_extractor
from models.frame import Frame
from models.media.images.contrastive import restore_encoder
from models.media.images.store import Pixels
from models.protocols import Extractor, Float32Array
from workers.features.stored import LearnedFeatures
from workers.imports.items import Refused
from workers.imports.media.decode import decode
from workers.jobs.context import JobContext, Phase
from workers.look_up import captions


def run(context: JobContext) -> dict[str, Any]:
    """Note the features of the file beside the name of those that they are comparable with."""
    context.run(PHASES, Asked.of(context))
    if upload := LookUpParams.of(context).upload:
        context.storage.remove_upload(upload)
    return {}


@dataclass(frozen=True)
class Asked:
    """A job, and what it works with."""

    context: JobContext
    words: str
    project: Project
    settings: ProjectSettings

    @classmethod
    def of(cls, context: JobContext) -> "Asked":
        """Read what is asked."""
        with context.sessions() as session:
            project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        return cls(context, LookUpParams.of(context).words, project, settings)


def embed(asked: Asked) -> None:
    """Have the network of captions see the images that it has not seen."""
    captions.complete(asked.context, asked.settings)


def look(asked: Asked) -> None:
    """Look at the file, or the words, and keep what it is compared by.

    Raises:
        Invalid: ``not_an_image`` or ``not_a_text``.
        Conflict: ``upload_gone`` or ``weights_gone``, or the pool has no features.
    """
    if asked.words:
        path, vector = captions.understood(asked.context, asked.words, asked.settings)
        keep(asked.context, name_of(path), vector)
        return
    context, project, settings = asked.context, asked.project, asked.settings
    upload = LookUpParams.of(context).upload
    try:
        content = context.storage.upload(upload).read_bytes()
    except FileNotFoundError as error:
        raise Conflict("upload_gone", "The file is not there any more; send it again.") from error
    is_text = project.medium is Medium.TEXT
    try:
        batch = _text(context, content) if is_text else _image(context, content, settings)
    except Invalid:
        context.storage.remove_upload(upload)
        raise
    features = features_of(context.storage, context.project_id, settings.model.name, compared_width)
    # Before they are asked what makes them, which may be made anew meanwhile.
    name = name_of(features.path)
    extractor = _extractor(features, None if is_text else settings.side)
    keep(context, name, extractor.extract(batch)[0])


def keep(context: JobContext, name: str, vector: Float32Array) -> None:
    """Note a (D,) vector, and by ``name_of`` the features that it is compared with."""
    text = base64.b64encode(np.asarray(vector, dtype=np.float32).tobytes()).decode()
    context.save({"features": name, "vector": text})


PHASES: Final = (
    Phase("embed", embed, wanted=lambda asked: bool(asked.words)),
    Phase("look", look),
)


def _image(context: JobContext, content: bytes, settings: ProjectSettings) -> Pixels:
    """A batch of one image: (1, S, S, 3) uint8."""
    frame = Frame(settings.side, settings.fit)
    found = decode(content, max_pixels=context.settings.max_image_pixels, frame=frame)
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
