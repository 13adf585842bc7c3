"""The demo: a pool whose truth is known, and annotators who know it."""
