"""What can be inferred from releases and decisions: edges, contents, and what a lie would gain."""
