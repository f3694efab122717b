"""Stage 13: one module a command: `add_arguments(parser)` and `run(args)`. Commands parse, call the library, print."""
