"""The commands of ``karat``, one module per group."""
