"""Files on their way in and out: received, found, and streamed."""
