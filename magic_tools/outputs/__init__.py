"""How an answer is asked for and checked."""
