"""Tests of `console/views`, on records in memory."""
