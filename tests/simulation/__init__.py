"""A simulation by seed: the real brain and real members in a world of random faults.

One seed is one life of one group, in virtual time: a safety phase full of faults, then everything
heals, and the group must come to rest. `make simulate` runs as many as you like; a failing seed is
shrunk and kept as a transcript that `trimtab replay` reads. Read ``world`` first.
"""
