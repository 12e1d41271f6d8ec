"""STICKY: its solver in parts. ``strategy`` is the door; ``weighted`` and ``homes`` use it."""
