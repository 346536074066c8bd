"""One self-contained page from the served tables: it opens from disk, without a network."""
