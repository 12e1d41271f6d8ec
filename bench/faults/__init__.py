"""What a cluster's reports cost: inside the state function, and on a real Kafka and Spark.

A thousand producers that report fifty brokers each second are fifty thousand figures a second, all
in one cell, because a cluster is one jury. The question is whether a controller keeps up.
"""
