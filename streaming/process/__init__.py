"""The controller as a process among others: is it ready, what went wrong, is it tried again."""
