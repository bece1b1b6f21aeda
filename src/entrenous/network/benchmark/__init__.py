"""Every mechanism on every graph, and who comes first."""
