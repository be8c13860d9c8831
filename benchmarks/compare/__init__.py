"""``make compare``: has a revision become slower than another one? CONTRIBUTING.md says how to use it.

To see whether it finds a small loss on your machine, make an operator a tenth slower in a clone, commit it, and compare
``OLD=HEAD~1 SCENARIOS=dicts,keyed-count`` there. In ``KeyedProcess.process`` of runtime/operators/keyed_process.py::

    started = time.thread_time()
    call_for_each_keyed(...)
    end = time.thread_time() + 0.1 * (time.thread_time() - started)
    while time.thread_time() < end:
        pass

which is about 5 % of what the scenario ``dicts`` costs.
"""
