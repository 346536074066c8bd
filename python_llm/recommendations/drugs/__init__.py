"""Drugs: their names and orders, what a record tells of them, and what speaks against them."""
