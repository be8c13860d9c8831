# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Records in machine code: what is done to each of a batch without calling the user.

Everything here exists in Python too, and does the same: columns are those of flott.runtime.record_columns.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Next
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE, PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from types import CodeType, EllipsisType

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    object PyLong_FromLongLong(long long number)
    Py_ssize_t Py_REFCNT(PyObject *value)
    object PyFloat_FromDouble(double number)
    double PyFloat_AS_DOUBLE(object number)
    object PyUnicode_DecodeUTF8(const char *data, Py_ssize_t size, const char *errors)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    MOST_COLUMNS = 32
    HEAD = 5  # so many records, so many fields of each


def all_tuples(list values, Py_ssize_t size):
    """Return whether all values are tuples of this size."""
    cdef Py_ssize_t number
    for number in range(PyList_GET_SIZE(values)):
        value = <object> PyList_GET_ITEM(values, number)
        if type(value) is not tuple or PyTuple_GET_SIZE(value) != size:
            return False
    return True


def items_at(list values, Py_ssize_t index):
    """Return the item of each tuple at an index from 0; None if one is no tuple, or too short."""
    cdef Py_ssize_t number, total = PyList_GET_SIZE(values)
    for number in range(total):
        value = <object> PyList_GET_ITEM(values, number)
        if type(value) is not tuple or PyTuple_GET_SIZE(value) <= index:
            return None
    cdef list items = PyList_New(total)
    for number in range(total):
        item = <object> PyTuple_GET_ITEM(<object> PyList_GET_ITEM(values, number), index)
        Py_INCREF(item)
        PyList_SET_ITEM(items, number, item)
    return items


cdef PyObject *CODE = <PyObject *> CodeType
cdef PyObject *ELLIPSIS = <PyObject *> EllipsisType
cdef enum:
    DEEPEST = 2000  # as marshal has it
    UNSHARED = 1  # references to a value that is in one container only


cdef inline bint leaf(object value) noexcept:
    kind = type(value)
    return (
        kind is str or kind is int or kind is float or value is None or kind is bool or kind is bytes
        or kind is complex or <PyObject *> kind == CODE or <PyObject *> kind == ELLIPSIS
    )


cdef inline bint plain(object value, set seen, int depth) except -1:
    return leaf(value) or plain_container(value, seen, depth)


cdef bint plain_container(object value, set seen, int depth) except -1:
    """Return whether a container holds only types that marshal keeps; one that was seen is not looked at again."""
    cdef Py_ssize_t number, place = 0
    cdef PyObject *key
    cdef PyObject *item
    kind = type(value)
    if depth == DEEPEST:
        return False
    if kind is not tuple and kind is not list and kind is not dict and kind is not set and kind is not frozenset:
        return False
    if Py_REFCNT(<PyObject *> value) > UNSHARED:
        address = <size_t> <PyObject *> value
        if address in seen:
            return True
        seen.add(address)
    if kind is tuple:
        for number in range(PyTuple_GET_SIZE(value)):
            if not plain(<object> PyTuple_GET_ITEM(value, number), seen, depth + 1):
                return False
    elif kind is list:
        for number in range(PyList_GET_SIZE(value)):
            if not plain(<object> PyList_GET_ITEM(value, number), seen, depth + 1):
                return False
    elif kind is dict:
        while PyDict_Next(value, &place, &key, &item):
            if not plain(<object> key, seen, depth + 1) or not plain(<object> item, seen, depth + 1):
                return False
    else:
        for one in value:
            if not plain(one, seen, depth + 1):
                return False
    return True


def is_plain(list values):
    """Return whether values consist of nothing but exact built-in types that marshal keeps."""
    return bool(plain(values, set(), 0))


cdef struct Column:
    char code
    int64_t *numbers  # whole numbers, the bits of others, the lengths of texts
    int64_t bits  # that whole numbers have, those of negative ones turned round
    char *text
    Py_ssize_t size
    Py_ssize_t room


cdef inline char code_of(object value) noexcept:
    kind = type(value)
    if kind is int:
        return b"q"
    if kind is str:
        return b"s"
    if kind is float:
        return b"d"
    return b"?" if kind is bool else 0


cdef inline int add(Column *column, object value, Py_ssize_t number) except -1:
    """Put a value into a column: 1, or 0 if it does not fit."""
    cdef int overflow = 0
    cdef int64_t whole
    cdef double real
    cdef const char *text
    cdef char *moved
    cdef Py_ssize_t size = 0
    if code_of(value) != column.code:
        return 0
    if column.code == b"q":
        whole = PyLong_AsLongLongAndOverflow(value, &overflow)
        column.numbers[number] = whole
        column.bits |= whole ^ (whole >> 63)
        return overflow == 0
    if column.code == b"d":
        real = PyFloat_AS_DOUBLE(value)
        memcpy(&column.numbers[number], &real, 8)
        return 1
    if column.code == b"?":
        column.numbers[number] = value is True
        return 1
    try:
        text = PyUnicode_AsUTF8AndSize(value, &size)
    except UnicodeEncodeError:  # half a character of UTF-16
        return 0
    if column.size + size > column.room:
        column.room = 2 * (column.size + size) + 4096
        moved = <char *> realloc(column.text, column.room)
        if moved is NULL:
            raise MemoryError
        column.text = moved
    memcpy(column.text + column.size, text, size)
    column.size += size
    column.numbers[number] = size
    column.bits |= size
    return 1


cdef inline int width_of(int64_t bits) noexcept:
    if bits < 1 << 7:
        return 1
    if bits < 1 << 15:
        return 2
    return 4 if bits < <int64_t> 1 << 31 else 8


cdef inline int bytes_of(char code) noexcept:
    return 1 if code == b"b" or code == b"?" else 2 if code == b"h" else 4 if code == b"i" else 8


cdef inline char whole_of(int width) noexcept:
    return b"b" if width == 1 else b"h" if width == 2 else b"i" if width == 4 else b"q"


cdef void write_numbers(char *into, const int64_t *numbers, Py_ssize_t total, int width) noexcept nogil:
    cdef Py_ssize_t number
    cdef int8_t byte
    cdef int16_t half
    cdef int32_t word
    if width == 8:
        memcpy(into, numbers, 8 * total)
    elif width == 4:
        for number in range(total):
            word = <int32_t> numbers[number]
            memcpy(into + 4 * number, &word, 4)
    elif width == 2:
        for number in range(total):
            half = <int16_t> numbers[number]
            memcpy(into + 2 * number, &half, 2)
    else:
        for number in range(total):
            byte = <int8_t> numbers[number]
            memcpy(into + number, &byte, 1)


cdef inline int64_t number_at(const char *data, int width) noexcept nogil:
    cdef int64_t whole
    cdef int16_t half
    cdef int32_t word
    if width == 8:
        memcpy(&whole, data, 8)
        return whole
    if width == 4:
        memcpy(&word, data, 4)
        return word
    if width == 2:
        memcpy(&half, data, 2)
        return half
    return <int8_t> data[0]


def to_columns(list values):
    """Return records as columns; None if they are not all numbers, texts, or alike tuples of these."""
    cdef Py_ssize_t total = PyList_GET_SIZE(values), number
    cdef Column columns[MOST_COLUMNS]
    cdef int64_t *scratch
    cdef int count, place
    cdef bint in_tuples
    if total == 0 or total > 0x7FFFFFFF:
        return None
    first = <object> PyList_GET_ITEM(values, 0)
    in_tuples = type(first) is tuple
    count = <int> PyTuple_GET_SIZE(first) if in_tuples and PyTuple_GET_SIZE(first) <= MOST_COLUMNS else not in_tuples
    if count == 0:
        return None
    for place in range(count):
        columns[place].code = code_of(<object> PyTuple_GET_ITEM(first, place) if in_tuples else first)
        columns[place].bits = columns[place].size = columns[place].room = 0
        columns[place].text = NULL
        if columns[place].code == 0:
            return None
    scratch = <int64_t *> malloc(8 * total * count)
    if scratch is NULL:
        raise MemoryError
    try:
        for place in range(count):
            columns[place].numbers = scratch + place * total
        for number in range(total):
            record = <object> PyList_GET_ITEM(values, number)
            if not in_tuples:
                if not add(&columns[0], record, number):
                    return None
                continue
            if type(record) is not tuple or PyTuple_GET_SIZE(record) != count:
                return None
            for place in range(count):
                if not add(&columns[place], <object> PyTuple_GET_ITEM(record, place), number):
                    return None
        return written(columns, count, in_tuples, total)
    finally:
        free(scratch)
        for place in range(count):
            free(columns[place].text)


cdef bytes written(Column *columns, int count, bint in_tuples, Py_ssize_t total):
    cdef Py_ssize_t size = HEAD
    cdef uint32_t records = <uint32_t> total
    cdef int place, width
    cdef char *into
    for place in range(count):
        width = 1 if columns[place].code == b"?" else 8 if columns[place].code == b"d" else width_of(columns[place].bits)
        size += 1 + total * width + (1 + columns[place].size if columns[place].code == b"s" else 0)
    made = PyBytes_FromStringAndSize(NULL, size)
    into = PyBytes_AS_STRING(made)
    memcpy(into, &records, 4)
    into[4] = <char> (count if in_tuples else 0)
    into += HEAD
    for place in range(count):
        if columns[place].code == b"?" or columns[place].code == b"d":
            into[0] = columns[place].code
            width = bytes_of(columns[place].code)
        else:
            if columns[place].code == b"s":
                into[0] = b"s"
                into += 1
            width = width_of(columns[place].bits)
            into[0] = whole_of(width)
        write_numbers(into + 1, columns[place].numbers, total, width)
        into += 1 + total * width
        if columns[place].code == b"s":
            memcpy(into, columns[place].text, columns[place].size)
            into += columns[place].size
    return made


cdef struct Reading:
    char code
    int width
    const char *numbers
    const char *text


cdef inline object value_at(Reading *column, Py_ssize_t number):
    cdef double real
    cdef Py_ssize_t size
    cdef const char *text
    if column.code == b"d":
        memcpy(&real, column.numbers + 8 * number, 8)
        return PyFloat_FromDouble(real)
    if column.code == b"?":
        return column.numbers[number] != 0
    if column.code == b"s":
        size = number_at(column.numbers + column.width * number, column.width)
        text = column.text
        column.text += size
        return PyUnicode_DecodeUTF8(text, size, NULL)
    return PyLong_FromLongLong(number_at(column.numbers + column.width * number, column.width))


def from_columns(const uint8_t[::1] data not None):
    """Read records back from columns."""
    cdef Reading columns[MOST_COLUMNS]
    cdef const char *place = <const char *> &data[0]
    cdef const char *end = place + data.shape[0]
    cdef uint32_t total
    cdef int fields, count, column
    cdef Py_ssize_t number, size
    if data.shape[0] < HEAD or place[4] < 0 or place[4] > MOST_COLUMNS:
        raise ValueError("these are no columns of records")
    memcpy(&total, place, 4)
    fields = place[4]
    count = fields or 1
    place += HEAD
    for column in range(count):
        if end - place < 2:
            raise ValueError("columns of records are cut off")
        columns[column].code = place[0]
        if place[0] == b"s":
            place += 1
        columns[column].width = bytes_of(place[0])
        columns[column].numbers = place + 1
        size = <Py_ssize_t> total * columns[column].width
        if end - place - 1 < size:
            raise ValueError("columns of records are cut off")
        place += 1 + size
        if columns[column].code == b"s":
            columns[column].text = place
            for number in range(total):
                size = number_at(columns[column].numbers + columns[column].width * number, columns[column].width)
                if size < 0 or size > end - place:
                    raise ValueError("columns of records are cut off")
                place += size
    if place != end:
        raise ValueError("columns of records are longer than they should be")
    cdef list records = PyList_New(total)
    for number in range(total):
        if fields == 0:
            record = value_at(&columns[0], number)
        else:
            record = PyTuple_New(count)
            for column in range(count):
                value = value_at(&columns[column], number)
                Py_INCREF(value)
                PyTuple_SET_ITEM(record, column, value)
        Py_INCREF(record)
        PyList_SET_ITEM(records, number, record)
    return records
