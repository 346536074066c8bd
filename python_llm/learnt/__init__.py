"""What the project learns from the examples of its own seeds, and how that is kept in files."""
