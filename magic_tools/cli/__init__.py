"""The command `magic-tools`."""
