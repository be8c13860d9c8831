"""What users and we test streaming programs with: no Spark, no wall clock."""
