"""What a plan says of a group, beside what the group then does."""
