from __future__ import annotations

from doc_blocks import blocks_of, read_page
from run_docs import ROOT, all_pages, check_page, written

PAGE = """\
# A page

<!-- first
n = 2
-->
```python
print(n)
```

```
2
```

Text.

```
no output: there is text before it
```

<!-- not run: needs a broker -->
```python
connect("kafka:9092")
```

  <!-- any order -->
  ```python
  print(*{"a", "b"}, sep="\\n")
  ```

  ```
  b
  a
  ```
"""


def test_blocks_have_their_output_and_their_reasons():
    hidden, first, broker, indented = blocks_of(PAGE)
    assert (hidden.hidden, hidden.code, hidden.line) == (True, "n = 2\n", 4)
    assert (first.code, first.output, first.line, first.output_line) == ("print(n)\n", "2\n", 7, 11)
    assert (broker.runs, broker.not_run, broker.output) == (False, "needs a broker", None)
    assert (indented.any_order, indented.code, indented.output) == (True, 'print(*{"a", "b"}, sep="\\n")\n', "b\na\n")


def test_a_page_is_checked_and_mended(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    assert check_page(read_page(path)) == []
    path.write_text(PAGE.replace("n = 2", "n = 3"), encoding="utf-8")
    [finding] = check_page(read_page(path))
    assert str(finding) == f"{path}:7: the page says it prints \n2\n\nit prints\n3\n"
    path.write_text(written(read_page(path), path.read_text()), encoding="utf-8")
    assert check_page(read_page(path)) == []


def test_output_that_the_page_does_not_show_is_added(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("```python\nprint(1)\n```\n\nText.\n", encoding="utf-8")
    assert written(read_page(path), path.read_text()) == "```python\nprint(1)\n```\n\n```\n1\n```\n\nText.\n"


def test_every_block_runs_or_says_why_not():
    silent = []
    for path in all_pages():
        for block in read_page(path).blocks:
            if block.tested_by:
                test = ROOT / block.tested_by.partition(":")[0]
                assert path.name in test.read_text(encoding="utf-8"), f"{path}:{block.line} is not tested by {test}"
            if block.language == "console" and block.runs and path.name != "quickstart.md":
                silent.append(f"{path.relative_to(ROOT)}:{block.line}")
    assert silent == [], "not run: say why, with <!-- not run: … -->"


def test_few_blocks_are_not_run():
    left_out = [block for path in all_pages() for block in read_page(path).blocks if block.not_run]
    assert sum(block.language != "console" for block in left_out) <= 4, [block.not_run for block in left_out]
