"""From noisy answers to a graph: everything here is post-processing and never sees private data or noise."""
