"""How models learn labels: a room for each type of task.

Localisation is no type of its own: it learns from classes where on an image a thing is.
"""
