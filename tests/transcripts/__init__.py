"""Golden stories: commands, and everything that the brain decided upon them.

A transcript is a text file of blocks: command lines, ``----``, what was decided. The records of one
block are one batch. ``make transcripts`` writes the answers anew; commit them only if you can
explain every line that changed. (The idea is that of etcd's raft, where it has kept a consensus
algorithm honest for ten years.)
"""
