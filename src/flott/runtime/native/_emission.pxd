from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_dictoffset
    PyTypeObject PyBool_Type, PyFloat_Type, PyLong_Type, PyTuple_Type, PyUnicode_Type
    PyTypeObject *Py_TYPE(PyObject *value)


cdef inline bint is_light(PyObject *value) noexcept:
    """Return whether a value is of one of the most common immutable types."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    return (
        kind == &PyUnicode_Type or kind == &PyLong_Type or kind == &PyFloat_Type
        or value == <PyObject *> None or kind == &PyBool_Type
    )


cdef inline bint is_simple(PyObject *value) noexcept:
    """Return whether a value is one of these, or a tuple of them: what most records are."""
    cdef Py_ssize_t number
    if Py_TYPE(value) != &PyTuple_Type:
        return is_light(value)
    for number in range(PyTuple_GET_SIZE(<object> value)):
        if not is_light(<PyObject *> PyTuple_GET_ITEM(<object> value, number)):
            return False
    return True


cdef object as_emitted(PyObject *value, Py_ssize_t references)
cdef int gather(list values, object results) except -1
