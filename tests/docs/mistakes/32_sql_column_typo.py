"""SQL: a column that does not exist.

Line, column, and what was probably meant.
"""

from flott.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql(
    "CREATE TABLE orders (customer STRING, amount BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
)
t_env.execute_sql("SELECT custmer, amount FROM orders")
