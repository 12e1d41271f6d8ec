"""A controller in a process of its own: how it starts, works, dies and comes back."""
