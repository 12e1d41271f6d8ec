"""STICKY: its solver in parts. ``strategy`` is the entry; ``weighted`` and ``homes`` use it."""
