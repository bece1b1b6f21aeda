"""What is allowed: states of an item, who sees it, who may do what, and how a round is decided."""
