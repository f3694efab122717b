"""Text to words with offsets, and back."""
