"""What every room may use: errors, files, processes, and the folders of what is no Python."""
