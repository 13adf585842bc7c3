"""Settings of an installation and of a project, and what is read out of them."""

from core.settings.installation import Settings, settings, sqlalchemy_url

__all__ = ["Settings", "settings", "sqlalchemy_url"]
