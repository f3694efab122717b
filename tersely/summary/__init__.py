"""Where the stages meet: options in, a summary with its evidence out."""
