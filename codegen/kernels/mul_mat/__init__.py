"""mul_mat: its plan."""
