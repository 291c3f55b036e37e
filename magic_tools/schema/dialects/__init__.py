"""A canonical schema in the form of each provider, and the way back."""
