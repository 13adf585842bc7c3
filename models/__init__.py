"""The machine learning of Karat: networks, training, scores and query strategies.

Nothing here knows a database, HTTP or a task queue.
"""
