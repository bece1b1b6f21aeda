"""Files on their way out: what people shared, and what pages are made with."""
