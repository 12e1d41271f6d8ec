"""The parts behind `Producer`."""
