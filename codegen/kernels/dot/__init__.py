"""vec_dot: its strategies and plan."""
