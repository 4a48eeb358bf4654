"""What each operation needs to be timed: operands, a loop, and the results that it must have."""
