"""Laws: what holds for every input, found by exhaustion (the baton) or by chance (Hypothesis)."""
