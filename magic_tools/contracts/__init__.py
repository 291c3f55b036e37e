"""What a tool promises, and how that changes."""
