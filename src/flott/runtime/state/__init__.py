"""State: the working store, the live objects over it, and the files that let it be rebuilt."""
