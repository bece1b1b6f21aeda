"""One command per figure we claim: ``python -m benchmarks.NAME [--quick] [--json FILE]``."""
