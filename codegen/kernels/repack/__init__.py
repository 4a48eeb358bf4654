"""repack: its strategies and plan."""
