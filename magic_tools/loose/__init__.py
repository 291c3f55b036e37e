"""Model text in, typed value out."""
