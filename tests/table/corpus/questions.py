"""What Flink is asked: every function and operator over columns of every type.

A question is an expression over one or two columns `a` and `b`; it has an answer for each row of edge values.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

from tests.table.corpus.edge_values import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INTEGERS = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*INTEGERS, "decimal", "large_decimal", "float", "double")
STRINGS = ("string", "char", "varchar")
TIMESTAMPS = ("timestamp", "fine_timestamp", "moment")
TIMES = (*TIMESTAMPS, "date", "time")
NESTED = ("array", "array_of_strings", "map", "row")
EVERYTHING = tuple(name for name in COLUMNS if name != "json")
COMMON = ("boolean", "int", "decimal", "double", "string", "date", "time", "timestamp", "moment")
"""One type of each kind."""
FIELDS = (
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOW", "DOY", "HOUR", "MINUTE", "SECOND",
    "MILLISECOND" )  # fmt: skip
UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
TARGETS = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(5, 2)", "DECIMAL(38, 10)", "DECIMAL(10, 0)", "FLOAT",
    "DOUBLE", "STRING", "CHAR(3)", "VARCHAR(2)", "BYTES", "BINARY(2)", "VARBINARY(4)", "DATE", "TIME(0)", "TIME(3)",
    "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(0)", "TIMESTAMP_LTZ(3)",
)  # fmt: skip
ROUNDED = tuple(f"{name}(a TO {unit})" for name in ("FLOOR", "CEIL") for unit in (*UNITS, "MILLISECOND"))
PATTERNS = (
    "yyyy-MM-dd HH:mm:ss",
    "yyyyMMdd",
    "dd.MM.yy",
    "HH:mm:ss.SSS",
    "M/d/yyyy h:mm a",
    "EEE MMM",
    "yyyy-DDD",
    "'Q'MM",
)


@dataclass(frozen=True, slots=True)
class Question:
    """An expression over columns."""

    text: str
    columns: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it is called in lists."""
        return f"{self.text} [{', '.join(self.columns)}]"


ONE: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (EVERYTHING, ("a = a", "CONCAT('<', CAST(a AS STRING), '>')", "JSON_STRING(a)", "CASE WHEN a IS NULL THEN NULL ELSE a END")),
    (COMMON, (
        "a IS NULL", "a IS NOT NULL", "COALESCE(a, a)", "CASE WHEN a IS NULL THEN 1 ELSE 2 END", "NULLIF(a, a)",
        "IFNULL(a, a)", "a = a", "a <> a", "a IS DISTINCT FROM a", "CASE WHEN a IS NULL THEN NULL ELSE a END",
        "a IN (a, a)", "CONCAT('<', CAST(a AS STRING), '>')", "IF(a IS NULL, a, a)", "GREATEST(a, a)", "a < a",
        "JSON_OBJECT('k' VALUE a)", "JSON_ARRAY(a NULL ON NULL)", "JSON_STRING(a)", "ARRAY[a]", "MAP['k', a]", "ROW(a, 1)",
    )),
    (("boolean", "int", "decimal", "double", "string", "date", "time", "timestamp", "moment", "bytes"), tuple(f"TRY_CAST(a AS {kind})" for kind in TARGETS)),
    (("double",), tuple(f"CAST(a AS {kind})" for kind in TARGETS)),
    (("boolean",), (
        "NOT a", "a IS TRUE", "a IS NOT TRUE", "a IS FALSE", "a IS NOT FALSE", "a IS UNKNOWN", "a IS NOT UNKNOWN",
        "a AND TRUE", "a AND FALSE", "a OR TRUE", "a OR FALSE", "a AND NULL", "a OR NULL", "IF(a, 1, 2)",
        "CASE a WHEN TRUE THEN 'y' WHEN FALSE THEN 'n' ELSE '?' END", "a = TRUE", "a <> FALSE", "a > FALSE",
    )),
    (("tinyint", "bigint", "float", "large_decimal"), (
        "-a", "ABS(a)", "FLOOR(a)", "CEIL(a)", "ROUND(a, 1)", "ROUND(a, -1)", "a * 2", "a / 3", "a + 1.5", "a % 7", "SQRT(a)",
        "a BETWEEN 0 AND 5", "a IN (0, 1, 7)", "COALESCE(a, 1.5)", "GREATEST(a, 5)", "TO_TIMESTAMP_LTZ(a, 0)", "a = 1",
        "CAST(a AS STRING) || 'x'", "POWER(a, 2)", "CASE WHEN a > 0 THEN a ELSE 0.5 END",
    )),
    (("int", "decimal", "double"), (
        "-a", "+a", "ABS(a)", "SIGN(a)", "FLOOR(a)", "CEIL(a)", "CEILING(a)", "ROUND(a)", "ROUND(a, 1)", "ROUND(a, -1)",
        "ROUND(a, 3)", "SQRT(a)", "EXP(a)", "LN(a)", "LOG10(a)", "LOG2(a)", "SIN(a)", "COS(a)", "TAN(a)", "POWER(a, 2)",
        "POWER(2, a)", "POW(a, 0.5)", "a + 1", "a - 1.5", "a * 2", "a * 1.05", "a / 2", "a / 3", "a / 1.5", "MOD(a, 3)",
        "a % 7", "-a - 1", "1 - a", "a = 1", "a > 0.5", "a BETWEEN 0 AND 5", "a NOT BETWEEN -1 AND 1",
        "a BETWEEN SYMMETRIC 5 AND 0", "a IN (0, 1, 7)", "a IN (0, NULL)", "a NOT IN (0, 1)", "NULLIF(a, 0)", "NULLIF(a, 1)",
        "COALESCE(a, 1)", "COALESCE(a, 1.5)", "IFNULL(a, 0)", "GREATEST(a, 5)", "GREATEST(a, 1.5, 0)", "LEAST(a, 5)",
        "IF(a > 0, 'p', 'n')", "IF(a > 0, a, 0)", "CASE WHEN a > 1 THEN 'x' WHEN a < 0 THEN 'yy' END",
        "CASE a WHEN 1 THEN 'one' WHEN 0 THEN 'zero' ELSE 'many' END", "CASE WHEN a > 0 THEN a ELSE 0.5 END",
        "CONCAT('n', CAST(a AS STRING))", "TO_TIMESTAMP_LTZ(a, 0)", "TO_TIMESTAMP_LTZ(a, 3)", "a IS DISTINCT FROM 1",
        "a IS NOT DISTINCT FROM NULL", "CHAR_LENGTH(CAST(a AS STRING))", "CAST(a AS STRING) || 'x'",
    )),
    (("int",), (
        "REPEAT('ab', a % 100)", "LEFT('stream', a)", "RIGHT('stream', a)", "SUBSTRING('stream', a)", "SUBSTRING('stream', 2, a)",
        "SUBSTRING('stream', a, 2)", "LPAD('7', a % 100, '0')", "RPAD('äö', a % 100, 'xy')", "SPLIT_INDEX('a,b,,c', ',', a)",
        "ROUND(123.456, a)", "ROUND(CAST(123.456 AS DOUBLE), a)", "REGEXP_EXTRACT('ab12', '([a-z]+)([0-9]+)', a)",
        "INTERVAL '1' DAY * a", "TIMESTAMPADD(SECOND, a, TIMESTAMP '2020-02-29 12:00:00')",
        "TIMESTAMPADD(DAY, a, DATE '2020-02-29')", "TIMESTAMPADD(MONTH, a, DATE '2020-02-29')", "ARRAY[10, 20, 30][1 + a]",
    )),
    (("char", "varchar"), (
        "UPPER(a)", "CHAR_LENGTH(a)", "TRIM(a)", "REVERSE(a)", "LEFT(a, 2)", "LPAD(a, 5, '*')", "a || 'x'", "a = 'abc'", "a = 'a'",
        "a LIKE 'a%'", "COALESCE(a, 'x')", "REPLACE(a, 'a', 'zz')", "MD5(a)", "CASE WHEN a = 'abc' THEN a ELSE 'other' END",
    )),
    (("string",), (
        "UPPER(a)", "LOWER(a)", "UCASE(a)", "LCASE(a)", "CHAR_LENGTH(a)", "CHARACTER_LENGTH(a)", "REVERSE(a)", "INITCAP(a)",
        "TRIM(a)", "TRIM(LEADING FROM a)", "TRIM(TRAILING FROM a)", "TRIM(BOTH 'a' FROM a)", "TRIM(LEADING 'ab ' FROM a)",
        "TRIM(TRAILING 'c' FROM a)", "LTRIM(a)", "RTRIM(a)", "LTRIM(a, 'a ')", "RTRIM(a, 'c ')", "MD5(a)", "SHA256(a)",
        "LEFT(a, 2)", "RIGHT(a, 2)", "LEFT(a, 0)", "LEFT(a, -1)", "RIGHT(a, 0)", "LEFT(a, 100)", "SUBSTRING(a, 2)",
        "SUBSTRING(a, 2, 2)", "SUBSTRING(a, -2)", "SUBSTRING(a, 0, 2)", "SUBSTRING(a, -100, 3)", "SUBSTRING(a FROM 3 FOR 1)",
        "SUBSTR(a, 2)", "SUBSTR(a, 1, 0)", "SUBSTRING(a, 1, -1)", "LPAD(a, 5, '*')", "RPAD(a, 5, '*')", "LPAD(a, 2, 'xy')",
        "RPAD(a, 0, 'x')", "LPAD(a, 8, 'xyz')", "LPAD(a, 5, '')", "REPEAT(a, 2)", "REPEAT(a, 0)", "REPEAT(a, -1)",
        "REPLACE(a, 'a', 'zz')", "REPLACE(a, '', '-')", "REPLACE(a, 'ab', '')", "POSITION('b' IN a)", "POSITION('' IN a)",
        "INSTR(a, 'b')", "LOCATE('b', a)", "LOCATE('c', a, 2)", "LOCATE('', a)", "SPLIT_INDEX(a, ',', 0)",
        "SPLIT_INDEX(a, ',', 2)", "SPLIT_INDEX(a, ',', -1)", "SPLIT_INDEX(a, '', 0)", "SPLIT_INDEX(a, 'X', 1)",
        "CONCAT(a, 'x')", "CONCAT_WS('-', a, 'x', NULL)", "CONCAT_WS(a, 'x', 'y')", "a || a", "a || 1", "a LIKE 'a%'",
        "a LIKE '%b%'", "a LIKE '_'", "a LIKE '___'", "a LIKE ''", "a LIKE '%'", "a LIKE '%!%!_%' ESCAPE '!'",
        "a NOT LIKE '%a%'", "a LIKE 'a%c'", "a LIKE '%\\d%'", "a SIMILAR TO '(a|b)%'", "a SIMILAR TO '[0-9]+'",
        "a NOT SIMILAR TO '%a%'", "REGEXP(a, 'b')", "REGEXP(a, '^[a-c]+$')", "a RLIKE 'b'", "REGEXP(a, '')",
        "REGEXP_REPLACE(a, '[a-c]', '#')", "REGEXP_REPLACE(a, '(a)(.)', '$2$1')", "REGEXP_REPLACE(a, '\\.', '!')",
        "REGEXP_REPLACE(a, '', '-')", "REGEXP_EXTRACT(a, '([a-z])(.*)', 0)", "REGEXP_EXTRACT(a, '([a-z])(.*)', 2)",
        "REGEXP_EXTRACT(a, '([a-z])')", "REGEXP_EXTRACT(a, '(x)?b', 1)", "a = 'abc'", "a = 'a'", "a < 'b'", "a > 'Z'",
        "a BETWEEN 'a' AND 'c'", "a IN ('a', 'abc')", "a IN ('12', NULL)", "a <> ''", "COALESCE(a, 'x')", "NULLIF(a, '')",
        "IF(a = '', 'empty', a)", "CASE a WHEN 'a' THEN 1 WHEN '' THEN 2 ELSE 3 END", "GREATEST(a, 'b')", "LEAST(a, 'b')",
        "TO_DATE(a)", "TO_TIMESTAMP(a)", "TO_TIMESTAMP(a, 'yyyy-MM-dd')", "TO_TIMESTAMP(a, 'yyyy-MM-dd HH:mm:ss.SSS')",
        "TO_DATE(a, 'yyyy-MM-dd')", "UNIX_TIMESTAMP(a)", "UNIX_TIMESTAMP(a, 'yyyy-MM-dd')", "DATE_FORMAT(a, 'yyyy/MM/dd')",
        "JSON_QUOTE(a)", "JSON_UNQUOTE(a)", "a IS JSON", "a IS JSON VALUE", "a IS JSON SCALAR", "a IS NOT JSON OBJECT",
        "JSON_EXISTS(a, '$')", "JSON_VALUE(a, '$')", "JSON_QUERY(a, '$')", "CHAR_LENGTH(TRIM(a))", "UPPER(a) = a" )),
    (("bytes",), ("a = a", "CAST(a AS STRING)", "a = x'616263'", "a IS NULL", "CHAR_LENGTH(CAST(a AS STRING))")),
    (("date",), tuple(f"EXTRACT({field} FROM a)" for field in FIELDS)),
    (("timestamp", "moment"), tuple(f"EXTRACT({field} FROM a)" for field in FIELDS)),
    (("time",), tuple(f"EXTRACT({field} FROM a)" for field in ("HOUR", "MINUTE", "SECOND", "MILLISECOND"))),
    (("date", "timestamp", "moment"), (
        "YEAR(a)", "QUARTER(a)", "MONTH(a)", "WEEK(a)", "DAYOFYEAR(a)", "DAYOFMONTH(a)", "DAYOFWEEK(a)", "HOUR(a)",
        "MINUTE(a)", "SECOND(a)", *ROUNDED, "a + INTERVAL '1' DAY", "a - INTERVAL '1' DAY", "a + INTERVAL '1' MONTH",
        "a - INTERVAL '1' MONTH", "a + INTERVAL '1' YEAR", "a - INTERVAL '13' MONTH", "a + INTERVAL '1-2' YEAR TO MONTH",
        "a + INTERVAL '2' HOUR", "a - INTERVAL '1:30' HOUR TO MINUTE", "a + INTERVAL '1.5' SECOND",
        "a + INTERVAL '2 03:04:05' DAY TO SECOND", "a + INTERVAL '1' WEEK", "a - INTERVAL '1' QUARTER",
        "INTERVAL '1' DAY + a", *(f"TIMESTAMPADD({unit}, -3, a)" for unit in UNITS),
        *(f"DATE_FORMAT(a, '{one.replace(chr(39), chr(39) * 2)}')" for one in PATTERNS),
        *(f"TIMESTAMPDIFF({unit}, a, TIMESTAMP '2020-02-29 12:00:00')" for unit in UNITS),
        *(f"TIMESTAMPDIFF({unit}, DATE '2019-12-31', a)" for unit in UNITS),
        "CAST(a AS STRING)", "CAST(CAST(a AS STRING) AS TIMESTAMP(3))", "a = TIMESTAMP '2020-03-01 00:00:00'",
        "a > DATE '2020-02-28'", "a BETWEEN DATE '2020-01-01' AND DATE '2020-12-31'", "a = '2020-02-29'",
        "GREATEST(a, a)", "UNIX_TIMESTAMP(CAST(a AS STRING))", "CASE WHEN a < DATE '2000-01-01' THEN 'old' ELSE 'new' END",
        "a IN (DATE '2020-02-29')", "COALESCE(a, DATE '2000-01-01')", "NULLIF(a, DATE '2020-02-29')",
    )),
    (("time",), (
        "HOUR(a)", "MINUTE(a)", "SECOND(a)", "a + INTERVAL '1' SECOND", "a - INTERVAL '1' HOUR", "a + INTERVAL '1' DAY",
        "a + INTERVAL '1.5' SECOND", "a = TIME '12:34:56'", "a < TIME '12:00:00'", "TIMESTAMPDIFF(MINUTE, a, TIME '12:00:00')",
        "TIMESTAMPDIFF(HOUR, TIME '01:30:00', a)", "TIMESTAMPADD(MINUTE, -3, a)", "FLOOR(a TO MINUTE)", "CEIL(a TO HOUR)",
        "DATE_FORMAT(a, 'HH:mm')", "a BETWEEN TIME '01:00:00' AND TIME '13:00:00'", "a = '12:34:56'",
    )),
    (NESTED, ("CARDINALITY(a)", "CAST(a AS STRING)", "a IS NOT DISTINCT FROM a")),
    (("array", "array_of_strings"), ("a[1]", "a[2]", "a[9]", "a[CARDINALITY(a)]", "ARRAY[a, a]", "a = ARRAY[a[1]]")),
    (("map",), ("a['a']", "a['b']", "a['']", "MAP['x', a['a']]")),
    (("row",), ("a.x", "a.y", "a.x + 1", "ROW(a.x, a.y) = a", "UPPER(a.y)")),
)  # fmt: skip
TWO: tuple[tuple[Iterable[tuple[str, ...]], tuple[str, ...]], ...] = (
    (product(("int", "bigint", "decimal", "large_decimal", "double"), ("int", "bigint", "decimal", "double")), (
        "a + b", "a - b", "a * b", "a / NULLIF(b, 0)", "a % NULLIF(b, 0)", "a = b", "a < b", "a >= b",
        "a IS NOT DISTINCT FROM b", "COALESCE(a, b)", "NULLIF(a, b)", "GREATEST(a, b)", "CASE WHEN a > b THEN a ELSE b END",
        "a IN (b, 1)",
    )),
    (((name, name) for name in ("int", "decimal", "double")), ("a / b", "a % b", "MOD(a, b)", "POWER(a, b)", "a <> b", "a <= b")),
    ((("string", "string"), ("char", "varchar"), ("varchar", "string")), (
        "a || b", "CONCAT(a, b)", "CONCAT_WS(',', a, b)", "a = b", "a <> b", "a < b", "a >= b", "a LIKE b", "a SIMILAR TO b",
        "REGEXP(a, b)", "REGEXP_REPLACE(a, b, '#')", "REGEXP_EXTRACT(a, b)", "REPLACE(a, b, 'x')", "POSITION(a IN b)",
        "INSTR(a, b)", "LOCATE(a, b)", "LPAD(a, 6, b)", "RPAD(a, 6, b)", "SPLIT_INDEX(a, b, 0)", "SPLIT_INDEX(a, b, 1)",
        "TRIM(BOTH a FROM b)", "LTRIM(a, b)", "RTRIM(a, b)", "COALESCE(a, b)", "NULLIF(a, b)", "GREATEST(a, b)", "LEAST(a, b)",
        "CASE WHEN a > b THEN a ELSE b END", "IF(a = b, a, b)", "TO_TIMESTAMP(a, b)", "DATE_FORMAT(a, b)", "a IN (b, 'a')",
    )),
    ((("boolean", "boolean"),), (
        "a AND b", "a OR b", "a = b", "a <> b", "a IS DISTINCT FROM b", "NOT (a AND b)", "CASE WHEN a THEN b ELSE NOT b END",
        "a > b", "COALESCE(a, b)", "(a OR b) AND NOT (a AND b)",
    )),
    ((("date", "date"), ("date", "timestamp"), ("timestamp", "timestamp"), ("moment", "moment"), ("timestamp", "moment")), (
        *(f"TIMESTAMPDIFF({unit}, a, b)" for unit in UNITS), "a = b", "a <> b", "a < b", "a >= b", "COALESCE(a, b)",
        "GREATEST(a, b)", "a BETWEEN b AND b", "CASE WHEN a > b THEN a ELSE b END", "IF(a IS NULL, b, a)", "NULLIF(a, b)",
    )),
    ((("string", "int"),), (
        "LEFT(a, b)", "RIGHT(a, b)", "SUBSTRING(a, b)", "SUBSTRING(a, b, 2)", "SUBSTRING(a, 2, b)", "REPEAT(a, b % 100)",
        "LPAD(a, b % 100, '-+')", "RPAD(a, b % 100, '-+')", "SPLIT_INDEX(a, ',', b)", "a || b", "a = b", "REGEXP_EXTRACT(a, '(a)(b)?', b)",
    )),
    (product(("date", "timestamp", "moment", "time"), ("int",)), (
        "TIMESTAMPADD(SECOND, b, a)", "TIMESTAMPADD(HOUR, b, a)", "TIMESTAMPADD(DAY, b, a)", "TIMESTAMPADD(MONTH, b, a)",
        "a + INTERVAL '1' DAY * b",
    )),
    ((("array", "int"),), ("a[1 + b]", "ARRAY[b]", "CARDINALITY(ARRAY[b, 1])")),
    ((("map", "string"),), ("a[b]", "MAP[b, 1]", "MAP['a', 1, 'b', 2][b]")),
    (combinations((name for name in COMMON if name != "string"), 2), ("a = b", "CASE WHEN a IS NULL THEN b ELSE a END")),
)  # fmt: skip
PATHS = ("$", "$.a", "$.b", "$.b[0]", "$.b[1]", "$.b[9]", "$.b[*]", "$.c.d", "$.e", "$.f", "$.n", "$.m", "$[0]", "$.*",
         "lax $.a", "strict $.a", "strict $.nope", "$['a b']")  # fmt: skip
OF_PATHS = (
    "JSON_VALUE(DOC, 'PATH')", "JSON_QUERY(DOC, 'PATH')", "JSON_EXISTS(DOC, 'PATH')",
    "JSON_VALUE(DOC, 'PATH' RETURNING INT NULL ON ERROR)", "JSON_VALUE(DOC, 'PATH' DEFAULT 'e' ON EMPTY DEFAULT 'r' ON ERROR)",
    "JSON_QUERY(DOC, 'PATH' WITH WRAPPER)", "JSON_QUERY(DOC, 'PATH' WITH CONDITIONAL ARRAY WRAPPER)",
)  # fmt: skip
OF_JSON = ("DOC IS JSON", "DOC IS JSON OBJECT", "DOC IS JSON ARRAY", "DOC IS JSON SCALAR", "JSON_QUOTE(DOC)",
           "JSON_UNQUOTE(DOC)", "JSON_OBJECT('k' VALUE DOC)", "JSON_ARRAY(DOC, 1)", "JSON(DOC)")  # fmt: skip


def questions() -> list[Question]:
    """Return every question, in the same order each time."""
    return list(dict.fromkeys(_all()))


def _all() -> Iterator[Question]:
    for names, texts in ONE:
        yield from (Question(text, (name,)) for name in names for text in texts)
    for pairs, texts in TWO:
        yield from (Question(text, pair) for pair in tuple(pairs) for text in texts)
    for path in PATHS:
        quoted = path.replace("'", "''")
        yield from (Question(text.replace("DOC", "a").replace("PATH", quoted), ("json",)) for text in OF_PATHS)
    yield from (Question(text.replace("DOC", "a"), ("json",)) for text in OF_JSON)
