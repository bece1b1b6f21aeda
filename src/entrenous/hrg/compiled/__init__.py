"""The compiled loops of hierarchies: the chain with its state and its moves, passes over trees, drawing of pairs."""
