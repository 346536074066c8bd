"""Prompts from their files: filled, shown, and compared with their earlier versions."""
