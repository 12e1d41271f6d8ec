"""Standing heirs: who would own each queue if its present owner went. ``dealing`` deals them."""
