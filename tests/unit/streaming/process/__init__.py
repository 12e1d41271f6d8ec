"""The controller as a process."""
