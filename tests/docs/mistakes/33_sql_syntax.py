"""SQL: a mistake in the syntax.

The place is marked.
"""

from flott.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql(
    "CREATE TABLE orders (customer STRING, amount BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
)
t_env.execute_sql("SELECT customer, SUM(amount FROM orders GROUP BY customer")
