"""How a queue passes from its holder to its heir, and what each of them is told.

``baton`` holds the idea that makes trimtab fast.
"""
