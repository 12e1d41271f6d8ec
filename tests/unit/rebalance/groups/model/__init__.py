"""The values of a step."""
