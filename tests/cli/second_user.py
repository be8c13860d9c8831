"""What another user of the machine can do: run as root, with the uid to become; reads the targets as JSON.

It needs nothing but Python: where Python and Flott are installed, the other user may not be able to read.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
from pathlib import Path


def become(uid):
    """Drop everything that root may do; return the ids and capabilities that are left."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    status = Path("/proc/self/status").read_text()
    capabilities = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff"))
    return [*os.getresuid(), *os.getresgid(), int(capabilities, 16)]


def can(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return False
    return True


def read(path):
    with path.open("rb") as file:
        file.read(1)


def write(path):
    with path.open("r+b"):
        pass


def plant(directory):
    planted = directory / "planted"
    planted.touch()
    planted.unlink()


def files(root):
    """Try all that can be found below a directory, and list what works."""
    done = {"read": [], "written": [], "planted": [], "moved": []}
    for place, directories, names in os.walk(root):
        here = Path(place)
        if can(plant, here):
            done["planted"].append(place)
        for name in (*directories, *names):
            path = here / name
            if can(path.rename, path.with_name(f"{name}-moved")):
                done["moved"].append(str(path))
        for name in names:
            done["read"] += [str(here / name)] * can(read, here / name)
            done["written"] += [str(here / name)] * can(write, here / name)
    return done


def known(paths):
    """Try paths whose names the other user has learnt somehow; list those that open."""
    return [path for path in paths if can(read, Path(path)) or can(write, Path(path)) or can(os.listdir, path)]


def requests(port, wanted, tokens):
    """Send each request without a token and with wrong ones; return the statuses."""
    seen = {}
    for method, path in wanted:
        for token in tokens:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            connection.request(method, path, body="{}" if method == "POST" else None, headers=headers)
            answer = connection.getresponse()
            answer.read()
            seen.setdefault(f"{method} {path}", []).append(answer.status)
            connection.close()
    return seen


def process(pid):
    """Return the command line of a process, what else of it can be read, and which signals it takes."""
    place = Path("/proc") / str(pid)
    return {
        "command": (place / "cmdline").read_text().split("\0"),
        "read": [name for name in ("environ", "maps", "mem") if can(read, place / name)]
        + [name for name in ("fd", "cwd", "root") if can(os.listdir, place / name)],
        "signals": [int(one) for one in (0, signal.SIGINT, signal.SIGTERM, signal.SIGKILL) if can(os.kill, pid, one)],
    }


def main():
    targets = json.load(sys.stdin)
    "127.0.0.1".encode("idna")  # an import that sockets make late
    left = become(targets["uid"])
    if left != [targets["uid"]] * 6 + [0]:
        raise SystemExit(f"still privileged: {left}")
    result = {
        "files": files(targets["root"]),
        "known": known(targets["known"]),
        "requests": requests(targets["port"], targets["requests"], targets["tokens"]),
        "process": process(targets["pid"]),
    }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
