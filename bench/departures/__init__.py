"""How long a queue has no owner when its owner goes: real members, each a process of its own.

`make bench NAME=departures`.
"""
