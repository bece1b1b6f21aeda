"""What is measured on graphs, and how far two graphs are apart; samples where all of a graph would take too long."""
