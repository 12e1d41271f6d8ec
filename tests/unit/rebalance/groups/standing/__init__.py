"""Standing heirs."""
