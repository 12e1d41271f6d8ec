"""What a beat that says nothing new costs in Python, from Arrow's batch to the state's bytes.

A cell of a large controller, with everything a running one has behind it: an open gate, ticks, all
members told and at work. It is fed as Spark feeds it. All in one process, so it needs no Java.
"""
