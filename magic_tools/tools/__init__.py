"""From a function to an executable tool."""
