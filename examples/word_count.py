"""How often each word occurs: the first program of every streaming engine.

    flott run examples/word_count.py

Lines become words, words go to the subtask that counts them (`key_by`), and `reduce` adds one count to the other. A
stream has no end that anybody could wait for, so each word that comes tells the new count: the last one is right.
"""

from __future__ import annotations

from drawing import bars
from sample_data import lines

from flott.datastream import StreamExecutionEnvironment


def count_words(env, text):
    return (
        env.from_collection(text)
        .flat_map(lambda line: [(word, 1) for word in line.split()])
        .key_by(lambda pair: pair[0])
        .reduce(lambda one, other: (one[0], one[1] + other[1]))
    )


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    updates, counts = 0, {}
    with count_words(env, lines()).execute_and_collect("word count") as results:
        for word, count in results:
            updates += 1
            counts[word] = count
    print(bars(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))
    print(f"\n{len(counts)} words, {updates:,} updates")


if __name__ == "__main__":
    main()
