"""Who is in the group, and until when."""
