"""Plays window transcripts on PyFlink and on Flink's Java API; PyFlink's Python runs this, without Flott.

    python play.py questions.json answers.json

Questions are cases as question.py writes them, by engine and group. All cases of a group are branches of one job,
since a job takes seconds to start. When a job fails, the halves of its group run on their own, until the case
that makes it fail stands alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import flink_windows
import java_classes
import pyflink_windows
from pyflink.common import Configuration, Types
from pyflink.datastream import DataStream, StreamExecutionEnvironment

ENGINES = {"PyFlink": pyflink_windows, "Flink": flink_windows}
NO_TIMESTAMP = -(2**63)


def environment_with(jar):
    """Return an environment for one job."""
    configuration = Configuration()
    configuration.set_string("pipeline.auto-watermark-interval", "0 ms")  # None but those of the steps.
    # PyFlink lets a watermark wait for the end of a bundle: with longer ones, when a window fires is chance.
    configuration.set_string("python.fn-execution.bundle.size", "1")
    configuration.set_string("taskmanager.memory.network.min", "512m")  # There are hundreds of tasks.
    configuration.set_string("taskmanager.memory.network.max", "512m")
    environment = StreamExecutionEnvironment.get_execution_environment(configuration)
    environment.set_parallelism(1)
    environment.add_jars(jar.as_uri())
    environment.add_python_file(pyflink_windows.__file__)
    return environment


def steps_of(question):
    """Return the steps as texts; those of several channels have passed Flink's valve."""
    valve = java_classes.new("Valve", question["channels"]) if question["channels"] > 1 else None
    for kind, value in question["steps"]:
        if kind == "element":
            at = NO_TIMESTAMP if value["at"] is None else value["at"]
            yield f"element {at} {question['number']} {value['key']} {value['value']}"
            continue
        if valve is None:
            passed = value[1]
        elif kind == "watermark":
            passed = valve.watermark(*value)
        else:
            passed = valve.status(value, kind == "active")
        if passed is not None:
            yield f"watermark {passed}"


def elements_of(environment, question):
    """Return a Java stream of the elements, with timestamps and watermarks if the case has any."""
    steps = list(steps_of(question))
    stream = environment.from_collection(steps, Types.STRING())._j_data_stream
    if all(step.startswith(f"element {NO_TIMESTAMP} ") for step in steps):
        return stream
    timed = java_classes.new("Steps")
    return stream.assignTimestampsAndWatermarks(timed).filter(timed)


def play(engine, questions, jar):
    """Run one job; return an answer for each case."""
    answers = {question["number"]: {"emits": [], "late": []} for question in questions}
    environment = environment_with(jar)
    streams = [
        DataStream(stream)
        for question in questions
        for stream in ENGINES[engine].branch(elements_of(environment, question), question)
    ]
    with streams[0].union(*streams[1:]).execute_and_collect("transcripts") as lines:
        for line in lines:
            if line.startswith("element "):
                _, _, number, key, value = line.split(" ")
                answers[int(number)]["late"].append({"key": key, "value": int(value)})
            else:
                told = json.loads(line)
                answers[told.pop("case")]["emits"].append(told)
    return {question["case"]: answers[question["number"]] for question in questions}


def ask(engine, questions, jar):
    """Run jobs until every case has an answer or has failed alone."""
    try:
        return play(engine, questions, jar)
    except Exception as error:  # noqa: BLE001  Whatever a case brings about is its answer.
        if len(questions) == 1:
            return {questions[0]["case"]: {"error": str(error)}}
    half = len(questions) // 2
    return {**ask(engine, questions[:half], jar), **ask(engine, questions[half:], jar)}


def main(questions_file, answers_file):
    """Answer all groups of questions."""
    engines = json.loads(Path(questions_file).read_text(encoding="utf-8"))
    answers = {engine: {} for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        jar = Path(folder) / "steps.jar"
        java_classes.compile_to(jar)
        for engine, groups in engines.items():
            for name, questions in groups.items():
                answers[engine] |= ask(engine, questions, jar)
                sys.stderr.write(f"{engine}: {name}: {len(questions)} cases\n")
    Path(answers_file).write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
