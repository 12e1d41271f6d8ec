"""The SDK: its sans-IO core and its shells."""
