"""From a plan to text."""
