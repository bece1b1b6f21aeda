"""Where wishes settle that move each other: for one group, for many at once, and for a very large one."""
