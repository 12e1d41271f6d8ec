"""What a controller finds out before its query starts."""
