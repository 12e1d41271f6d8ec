"""The pure parts of chaos."""
