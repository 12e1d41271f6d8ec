"""The cell: groups and clusters that share one clock, stepped over the rows of a batch.

No module here knows Spark: rows and bytes come in, records and bytes go out.
"""
