"""The only package that imports pyspark: turns an epoch plan into one Spark job and brings back the reports."""
