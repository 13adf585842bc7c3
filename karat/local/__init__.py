"""Karat on this machine: its processes, its backups, its health."""
