"""The ``taufe`` job."""
