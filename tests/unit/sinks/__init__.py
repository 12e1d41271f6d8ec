"""Decisions and the bytes that publish them."""
