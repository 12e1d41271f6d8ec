"""What is published, as people ask for it: who owns what, since when, and why.

Each module makes rows of the records of one question. All of it is pure: records and the time of
the question come in, rows go out; ``console.published`` reads the records and the commands print.
"""
