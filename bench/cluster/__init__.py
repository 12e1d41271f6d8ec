"""The bench of clusters: how many more beats two workers of Spark's read than one.

Two cores hold neither two workers of one core beside Kafka and the driver, nor the difference that
they make. So each worker here has a share of a core, and no more, whatever else is idle.
"""
