"""The cases and checks of repack."""
