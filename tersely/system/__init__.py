"""Stage 0: files, compression, processes, arrays. Nothing here knows about text."""
