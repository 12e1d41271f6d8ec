"""Metrics: what the controller tells those that watch it, counted in the driver.

What a batch decided is counted in the workers (``tally``) and comes to the driver with the batch's
commit, so a batch that is repeated counts once. What was read is counted by offsets. No beat costs
anything for being counted.
"""
