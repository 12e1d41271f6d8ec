"""Cells: rows in, records out, state as bytes."""
