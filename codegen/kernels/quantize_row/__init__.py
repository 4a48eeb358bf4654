"""quantize_row: its strategies and plan."""
