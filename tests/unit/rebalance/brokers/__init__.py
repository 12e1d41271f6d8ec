"""Broker verdicts: tables of sweeps and short stories."""
