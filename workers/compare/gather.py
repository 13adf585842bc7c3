"""What a comparison begins with."""

from core.artifacts.features import features_of, name_of
from core.settings.project import ProjectSettings
from core.tables import Project
from models.catalog.params.networks import compared_width
from models.errors import ModelError
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, noted


def gather(context: JobContext) -> None:
    """Note what is compared, so that a resumed job compares the same.

    Raises:
        Conflict: ``no_features``.
        ModelError: There are fewer than two images.
    """
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        frame = frame_of(project.medium, settings)
    features = features_of(context.storage, context.project_id, settings.model.name, compared_width)
    if features.count < 2:
        raise ModelError("There is but one image with features, and nothing to compare it with.")
    context.work.mkdir(parents=True, exist_ok=True)
    known = {
        "features": features.path.name,
        "made": name_of(features.path),
        "images": features.count,
        "width": features.width,
        **noted(frame),
    }
    context.save({"known": known})
