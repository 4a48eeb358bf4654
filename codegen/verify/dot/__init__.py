"""The cases, order of additions and checks of vec_dot."""
