"""What every request passes: forms, problems, headers, figures, and the visit that a page belongs to."""
