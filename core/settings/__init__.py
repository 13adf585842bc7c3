"""Settings of an installation and of a project, and what is read out of them."""

from core.settings.installation import Settings, settings

__all__ = ["Settings", "settings"]
