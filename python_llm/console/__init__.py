"""What a person types and reads: the command, tables for a terminal, the leaderboard."""
