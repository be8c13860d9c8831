"""SQL: an option that does not exist.

Options are asked for one by one, so that a typo is no silence.
"""

from flott.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql("CREATE TABLE orders (amount BIGINT) WITH ('connector' = 'datagen', 'rows-per-secnd' = '3')")
t_env.execute_sql("SELECT * FROM orders").print()
