"""The pure half of the demo: what the journals add up to, and how that is told."""
