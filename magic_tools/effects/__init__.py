"""The only place that waits: what a program may ask for, and the two runners that do it."""
