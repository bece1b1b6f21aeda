"""From mail as it lies on disk to the store that is counted: one file per thing that is read or recognised."""
