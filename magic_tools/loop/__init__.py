"""The bounded loop: pure decisions, and the program that carries them out."""
