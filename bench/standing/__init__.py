"""What standing heirs cost: one very large group, dealt again after each join and leave.

The brain deals them once in a step in which the target or the members changed. So a deal must cost
what changes, and not what there is.
"""
