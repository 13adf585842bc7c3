"""Telling webhooks what happens: handing out events, sending, recording what came of it."""
