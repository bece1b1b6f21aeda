"""Counting: who carries which n-grams, on one machine or many, exactly and without any noise."""
