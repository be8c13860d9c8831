# cython: language_level=3, wraparound=False
"""Calls of the user's functions in machine code: the loop over records, and the values that they ask for.

Everything here exists in Python too, and does the same: flott.runtime.operators.calls and
flott.runtime.state.live_values. What is saved is what Python takes for itself between the user's own lines.
"""

from cpython.dict cimport PyDict_SetItem
from cpython.list cimport PyList_Append
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from flott.runtime.native cimport _emission
from flott.runtime.state.changed_in_place import UNCHANGING
from flott.runtime.state.key_scope import KeyScope

cdef extern from "Python.h":
    ctypedef struct PyMemberDef:
        Py_ssize_t offset
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member
    PyObject *PyDict_GetItemWithError(object where, object key) except? NULL
    bint PyGen_CheckExact(object generator)
    bint PyLong_CheckExact(object one)
    bint PyUnicode_CheckExact(object one)
    bint PyFloat_CheckExact(object one)
    bint PyTuple_CheckExact(object one)
    int PyIter_Send(object generator, object sent, PyObject **result) except -1
    void Py_DECREF(PyObject *one)
    void Py_XDECREF(PyObject *one)

cdef enum:
    ENDED = 0  # what PyIter_Send answers at the end


cdef Py_ssize_t offset_of(object member) except -1:
    """Return where in an object one of its class's __slots__ is."""
    if type(member).__name__ != "member_descriptor":
        raise TypeError(f"{member!r} is no slot")
    return (<PyMemberDescrObject *> <PyObject *> member).d_member.offset


# Python's way to a slot is a look at the class and a call; with its offset it takes one step.
cdef Py_ssize_t KEY = offset_of(KeyScope.key)


cdef inline PyObject **slot_of(object scope) noexcept:
    return <PyObject **> (<char *> <PyObject *> scope + KEY)


cdef inline object key_of(object scope):
    cdef PyObject *key = slot_of(scope)[0]
    return scope.key if key is NULL else <object> key  # if it is not set, the scope says what to do about it


cdef inline void set_key(object scope, object key) noexcept:
    cdef PyObject **slot = slot_of(scope)
    cdef PyObject *before = slot[0]
    Py_INCREF(key)
    slot[0] = <PyObject *> key
    Py_XDECREF(before)


cdef bint may_change(object value):
    """Return whether a value, or something in it, can be changed in place."""
    if PyLong_CheckExact(value) or PyUnicode_CheckExact(value) or PyFloat_CheckExact(value) or value is None:
        return False
    if not PyTuple_CheckExact(value):
        return type(value) not in UNCHANGING
    for item in <tuple> value:
        if may_change(item):
            return True
    return False


cdef class LiveValues:
    """A value per key: ``_written`` holds this epoch's, ``_read`` those before.

    Subclasses define ``_fetch`` and ``_living``.
    """

    cdef public dict _read
    cdef public dict _written
    cdef public dict _handed
    cdef public object _expiry
    cdef readonly object _scope

    def __cinit__(self, *_, **__):
        self._scope = KeyScope("?")

    def __init__(self, scope):
        if not isinstance(scope, KeyScope):
            raise TypeError(f"{scope!r} is no KeyScope")
        self._scope = scope
        self._read = {}
        self._written = {}
        self._handed = None
        self._expiry = None

    def current(self):
        """Return the value of the current key, or None."""
        key = key_of(self._scope)
        cdef PyObject *value = PyDict_GetItemWithError(self._written, key)
        if value is not NULL:
            found = <object> value
        else:
            value = PyDict_GetItemWithError(self._read, key)
            found = self._fetch(key) if value is NULL else <object> value
            if self._handed is not None and may_change(found):
                PyDict_SetItem(self._handed, key, found)
        return found if self._expiry is None else self._living(key, found)

    def replace(self, value):
        """Set the value of the current key; None removes it."""
        kept = value if self._expiry is None else self._expiry.stamped(value)
        PyDict_SetItem(self._written, key_of(self._scope), kept)


def call_for_each(records, list keys, list times, call, ctx, scope, list values, list stamps, take, bint copies):
    """Call ``call(record, ctx)`` for each record and gather the results, each with the timestamp of its record.

    Args:
        records: An iterator; it shows how far this came.
        keys: What ``scope.key`` is to be for each record; None if the stream is not keyed.
        times: The timestamps of the records; None if they have none.
        call: A method of the user's function.
        ctx: Its second argument; has the timestamp as ``stamp``.
        scope: A KeyScope, or None.
        values: Where results go.
        stamps: Where their timestamps go; None like ``times``.
        take: Called with ``values`` and what ``call`` returned, if that is neither a generator nor a list.
        copies: Whether results are kept as they are when they are emitted.
    """
    cdef Py_ssize_t number = 0, before = 0, after
    cdef PyObject *result = NULL
    if keys is not None and not isinstance(scope, KeyScope):
        raise TypeError(f"{scope!r} is no KeyScope")
    if times is None:
        ctx.stamp = None
    for record in records:
        if keys is not None:
            set_key(scope, keys[number])
        if times is not None:
            stamp = times[number]
            ctx.stamp = stamp
        number += 1
        produced = call(record, ctx)
        if produced is None:
            continue
        if copies and (PyGen_CheckExact(produced) or type(produced) is list):
            _emission.gather(values, produced)
        elif PyGen_CheckExact(produced):
            while PyIter_Send(produced, None, &result) != ENDED:
                value = <object> result
                Py_DECREF(result)
                PyList_Append(values, value)
            Py_DECREF(result)
        elif type(produced) is list:
            values.extend(produced)
        else:
            take(values, produced)
        if times is not None:
            after = len(values)
            while before < after:
                PyList_Append(stamps, stamp)
                before += 1
