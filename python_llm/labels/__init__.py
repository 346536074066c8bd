"""Labels people gave: read from any table, kept as Parquet outside the warehouse."""
