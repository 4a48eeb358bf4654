"""The page that tries the kernels in a visitor's browser: its data, how it is built from web/, and a server for it."""
