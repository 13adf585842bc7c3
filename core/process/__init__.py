"""The process that runs: which Karat it is, how it starts, and how much of the machine it has."""
