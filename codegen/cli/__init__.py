"""The verbs of the command line: one short function each, and the arguments it takes.

Each module adds its verbs with `add(verb)`; exit statuses are those of docs/ and `codegen --help`.
"""

DONE, FAILED, INTERRUPTED = 0, 1, 130
"""Exit statuses; a wrong call is arguments.WRONG_CALL."""
