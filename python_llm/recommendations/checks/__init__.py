"""What is checked of one recommendation without a language model: tiers 1 and 3."""
