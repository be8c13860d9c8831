"""The REST API of a running job, in the shapes of Flink's; docs/rest.md."""
