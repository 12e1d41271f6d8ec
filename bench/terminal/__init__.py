"""How long the terminal's questions take on a Kafka with many groups, each as its own process.

A list reads the newest summary of every group, so its time grows with their number; a question
about one group reads one partition. The issue is what a person waits for: from the command's start
to its end.
"""
