"""What ``help`` prints in ``flott sql``."""

from __future__ import annotations

import re

HELP = re.compile(r"\s*HELP\s*", re.IGNORECASE)
HELP_TEXT = """\
A statement ends with ';' and may take several lines.

  SELECT …, VALUES …              show a result, which changes in place; Ctrl-C ends the query
  CREATE TABLE t (…) WITH (…)     declare a table; 'connector' = 'datagen' makes rows up, 'print' prints them
  CREATE VIEW v AS SELECT …       name a query
  INSERT INTO t SELECT …          start a job; typed at the prompt, it lives on when the shell ends
  BEGIN STATEMENT SET; … END      several INSERTs as one job
  EXPLAIN SELECT …                show the plan of a statement
  SHOW TABLES, SHOW FUNCTIONS     list what there is; also VIEWS, CATALOGS, DATABASES
  DESCRIBE t                      list the columns of a table
  SET 'key' = 'value', SET        change a setting, show the settings; RESET takes changes back
  SHOW JOBS, STOP JOB 'id'        list jobs, cancel one; with WITH SAVEPOINT it can go on later
  HELP, QUIT                      show this, leave the shell
"""
