"""What users get: wheels, installed where nothing of this checkout can help them."""
