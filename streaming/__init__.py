"""The Spark job: the only folder that imports pyspark and pandas.

``application`` starts and stops it, ``start`` has the steps of a start, ``pipeline`` is its
dataflow on one screen, ``session`` holds every Spark option. What runs inside the state function
(``cell``) knows neither Spark nor pandas; ``cell_operator`` is the thin shell between the two.
"""
