"""The access service: pages and an API on which people decide together who may see what they share.

The layers, from the ground up: `schema` (tables) and the `store` files (all SQL), `visibility` (who sees what),
`people` and `workflow` (what a person may do), `listing` (what a person reads), and above them the pages and the API.
"""
