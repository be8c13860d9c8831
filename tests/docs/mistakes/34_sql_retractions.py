"""SQL: a sink that can't take back rows.

A group changes its result. Write it to a sink with a primary key, or ask for windows, whose results are final.
"""

from flott.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql(
    "CREATE TABLE orders (customer STRING, amount BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
)
t_env.execute_sql(
    "CREATE TABLE totals (customer STRING, total BIGINT) "
    "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'totals')"
)
t_env.execute_sql("INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer")
