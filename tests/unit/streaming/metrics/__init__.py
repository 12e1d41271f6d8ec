"""What the controller tells those that watch it."""
