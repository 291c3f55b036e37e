"""Annotations in, JSON Schema out."""
