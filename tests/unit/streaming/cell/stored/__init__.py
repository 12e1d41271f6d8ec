"""What is stored: forms and their conversions."""
