"""Unit tests: no JVM, no network."""
