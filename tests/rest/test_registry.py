from __future__ import annotations

import json
import os
import stat

from flott.rest.registry import LOST, RegisteredJob, Registration, registered_jobs

ID = "0" * 31


def register(directory, number=1, **told):
    job = RegisteredJob(f"{ID}{number}", "orders", "RUNNING", "http://127.0.0.1:1", 42, started=number, **told)
    return Registration(directory, job)


def test_a_job_is_found_while_it_runs_and_after(tmp_path):
    first, second = register(tmp_path, 1), register(tmp_path, 2)
    first.update(status="RESTARTING")
    assert [(job.job_id[-1], job.status, job.is_over) for job in registered_jobs(tmp_path)] == [
        ("2", "RUNNING", False),
        ("1", "RESTARTING", False),
    ]
    [_, job] = registered_jobs(tmp_path)
    assert stat.S_IMODE((tmp_path / f"{job.job_id}.json").stat().st_mode) == 0o600
    far = 2**60
    first.close(status="FINISHED", ended=far, savepoint="/savepoints/1")
    first.close(status="FAILED", ended=far)
    second.close(status="CANCELED", ended=far)
    [_, job] = registered_jobs(tmp_path)
    assert (job.status, job.savepoint, job.rest, job.is_over) == ("FINISHED", "/savepoints/1", None, True)


def test_a_job_whose_driver_is_gone_is_lost(tmp_path):
    registration = register(tmp_path)
    os.close(registration._lock)  # as when the process ends, however it does
    [job] = registered_jobs(tmp_path)
    assert (job.status, job.is_over, job.rest) == (LOST, True, None)


def test_what_was_over_long_ago_is_forgotten(tmp_path):
    over, alive = register(tmp_path, 1), register(tmp_path, 2)
    over.close(status="FINISHED", ended=1)
    for file in tmp_path.glob("*.json"):
        os.utime(file, (0, 0))
    assert [job.job_id[-1] for job in registered_jobs(tmp_path)] == ["2"]
    assert {file.stem[-1] for file in tmp_path.iterdir()} == {"2"}
    alive.close(status="FINISHED", ended=1)


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / f"{ID}3.json").write_text("half a fi")
    (tmp_path / f"{ID}4.json").write_text(json.dumps({"job_id": 1, "status": "NO SUCH"}))
    assert registered_jobs(tmp_path) == []
    assert registered_jobs(tmp_path / "none") == []
