"""Celery workers."""
