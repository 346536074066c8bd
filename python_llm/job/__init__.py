"""A build from start to end: checked, planned, run, published, its failures explained."""
