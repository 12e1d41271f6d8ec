"""Beside allocators/sticky."""
