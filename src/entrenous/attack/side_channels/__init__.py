"""What is told besides the output: time and memory of a release, random numbers, and sizes of files."""
