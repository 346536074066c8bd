"""What an experiment asks, costs and builds, before it does."""
