"""quantize_mat: its strategies and plan."""
