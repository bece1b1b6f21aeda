"""What attacks are built from: settings and findings, and bounds on epsilon read from what was observed."""
