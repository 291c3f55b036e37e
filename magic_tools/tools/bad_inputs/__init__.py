"""Arguments that a tool must refuse, and which of them it does not."""
