"""The cases and checks of quantize_row."""
