"""The access service: pages and an API on which people decide together who may see what they share.

The rooms, from the ground up; each imports only those before it:

- `store`: tables, connections and all SQL;
- `rules`: what is allowed: states, who sees what, who may do what, how a round is decided;
- `identity` and `delivery`: signing in; mail and webhooks;
- `service`: what people do and read;
- `http`: what every request passes;
- `api` and `pages`: what programs and people ask.

`app` puts them together as `settings` say; `demo` fills an empty service.
"""
