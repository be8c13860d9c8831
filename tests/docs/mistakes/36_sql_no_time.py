"""SQL: a window over a column that is no time attribute.

Declare it in the table: `WATERMARK FOR at AS at - INTERVAL '5' SECOND`.
"""

from flott.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql("CREATE TABLE orders (amount BIGINT, at TIMESTAMP(3)) WITH ('connector' = 'datagen')")
t_env.execute_sql("""
    SELECT window_end, SUM(amount) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE))
    GROUP BY window_start, window_end
""")
