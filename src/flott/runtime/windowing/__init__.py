"""Windows: cutting a stream into finite pieces, deciding when each is looked at, and what comes of it."""
