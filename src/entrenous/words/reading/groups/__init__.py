"""Which messages belong together: threads, and near-copies by one sender.

Each key follows from one message alone. Whether other messages are there never moves it: what is read for one edge
must not depend on what passed on another. Copies of one Message-ID by one sender are near-copies whatever they say:
settling gives them the key of the first.
"""
