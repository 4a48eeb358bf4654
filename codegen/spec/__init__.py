"""What can be asked for: choices, their options, and what a strategy is."""
