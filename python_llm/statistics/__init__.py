"""What SQL cannot compute: bootstrap intervals, exact tests, agreement between judges."""
