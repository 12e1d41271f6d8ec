"""What a cluster's reports cost inside the state function, without Spark around it.

A thousand producers that report fifty brokers each second are fifty thousand figures a second, all
in one cell, because a cluster is one jury. The question is whether one core keeps up.
"""
