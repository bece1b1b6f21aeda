"""What a decision means to those it concerns: why, who matters, who could change it, and what others would decide."""
