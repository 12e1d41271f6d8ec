"""Records become events or dead letters."""
