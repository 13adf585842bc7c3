"""TAUFE beside OAT and plain training: on what they train alike, and how they are told apart."""
