"""What changed since the last build, and so what has to run."""
