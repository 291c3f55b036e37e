"""Findings about tools that models misread."""
