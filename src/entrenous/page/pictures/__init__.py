"""Pictures on pages: plain numbers in, inline SVG out, in one style."""
