"""Everything that looks at who says what and draws noise: what an auditor of words reads."""
