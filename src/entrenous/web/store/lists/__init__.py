"""What lists and counts are read from: rows that say again, in order, what the tables of items say.

They are worked out anew for every item that a transaction touched, just before it commits. Nothing is decided by them:
whether somebody may see an item is asked of `visible_ids` each time.
"""
