"""Members, consumers and producers in Python, as their users write them."""
