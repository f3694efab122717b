"""Stage 2: a sentence with its words, pieces, stretches and tree; the encoders and the parser."""
