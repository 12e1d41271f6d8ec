"""The Spark job without Spark: what runs in the workers, and what the feeds plan."""
