"""The wire: records, limits, names, keys, topics and their documents."""
