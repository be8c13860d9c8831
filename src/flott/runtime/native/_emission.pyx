# cython: language_level=3, always_allow_keywords=False, boundscheck=False, wraparound=False
"""Records as they were when they were emitted, compiled. It does what flott.runtime.emission does in Python.

Besides, what nobody else refers to is not copied: an object with a single reference, all of whose contents have a
single one, was made for whoever holds it. References are borrowed here, so that counting them tells something.
"""

from cpython.dict cimport PyDict_Copy, PyDict_Items, PyDict_Next, PyDict_SetItem
from cpython.list cimport PyList_Append, PyList_GET_ITEM, PyList_GET_SIZE, PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_AsLong, PyLong_FromVoidPtr
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM

from weakref import getweakrefcount

from flott.common.types import Row
from flott.runtime import value_kinds
from flott.runtime.value_kinds import copy_unknown, kind_of, slots_of

cdef extern from "Python.h":
    ctypedef struct PyMemberDef:
        Py_ssize_t offset
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member
    PyTypeObject PyDict_Type, PyList_Type
    Py_ssize_t Py_REFCNT(PyObject *value)
    bint PyGen_CheckExact(object generator)
    int PyIter_Send(object generator, object sent, PyObject **result) except -1
    ctypedef object (*vectorcallfunc)(PyObject *call, PyObject **arguments, size_t flags, PyObject *names)
    vectorcallfunc PyVectorcall_Function(PyObject *call) noexcept
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    object PyType_GenericAlloc(PyTypeObject *kind, Py_ssize_t items)
    object PyList_GetSlice(PyObject *value, Py_ssize_t start, Py_ssize_t end)
    void Py_DECREF(PyObject *value)
    PyObject *PyDict_GetItemWithError(object where, object key) except? NULL
    object PyObject_GenericGetDict(PyObject *value, void *closure)
    int PyObject_GenericSetDict(object value, object attributes, void *closure) except -1

cdef enum:
    ENDED = 0  # what PyIter_Send answers at the end
    DEEP = 8  # deeper values are copied, without a look at who refers to them
    DEEPEST = 200  # what is deeper still is left to copy.deepcopy, which knows where to stop

cdef int IMMUTABLE = value_kinds.IMMUTABLE
cdef int TUPLE = value_kinds.TUPLE
cdef int NAMED_TUPLE = value_kinds.NAMED_TUPLE
cdef int FROZENSET = value_kinds.FROZENSET
cdef int FROZEN = value_kinds.FROZEN
cdef int LIST = value_kinds.LIST
cdef int DICT = value_kinds.DICT
cdef int SET = value_kinds.SET
cdef int ROW = value_kinds.ROW
cdef int INSTANCE = value_kinds.INSTANCE
cdef int ARRAY = value_kinds.ARRAY

cdef dict KINDS = value_kinds.KINDS
cdef PyTypeObject *ROW_TYPE = <PyTypeObject *> <PyObject *> Row
cdef dict SLOTS = {}
cdef object new_object = object.__new__
cdef object new_tuple = tuple.__new__


cdef Py_ssize_t offset_of(object member) except -1:
    """Return where in an object one of its class's __slots__ is."""
    if type(member).__name__ != "member_descriptor":
        raise TypeError(f"{member!r} is not a slot")
    return (<PyMemberDescrObject *> <PyObject *> member).d_member.offset


cdef Py_ssize_t FIELDS = offset_of(Row._fields)
cdef Py_ssize_t VALUES = offset_of(Row._values)
cdef Py_ssize_t ROW_KIND = offset_of(Row._row_kind)


cdef inline PyObject *slot(PyObject *value, Py_ssize_t offset) noexcept:
    return (<PyObject **> (<char *> value + offset))[0]


cdef inline void set_slot(object made, Py_ssize_t offset, PyObject *value) noexcept:
    Py_INCREF(<object> value)
    (<PyObject **> (<char *> <PyObject *> made + offset))[0] = value


cdef inline int kind_at(PyObject *value) except -1:
    cdef PyTypeObject *kind = Py_TYPE(value)
    cdef PyObject *found
    if is_light(value):
        return IMMUTABLE
    if kind == &PyTuple_Type:
        return TUPLE
    if kind == &PyDict_Type:
        return DICT
    if kind == &PyList_Type:
        return LIST
    if kind == ROW_TYPE:
        return ROW
    found = PyDict_GetItemWithError(KINDS, <object> kind)
    return kind_of(<object> value) if found is NULL else PyLong_AsLong(<object> found)


cdef inline tuple slots_at(PyObject *value):
    cdef PyObject *found = PyDict_GetItemWithError(SLOTS, <object> Py_TYPE(value))
    if found is not NULL:
        return <tuple> <object> found
    if len(SLOTS) >= value_kinds.MOST_TYPES:
        SLOTS.clear()
    slots = SLOTS[<object> Py_TYPE(value)] = slots_of(<object> Py_TYPE(value))
    return slots


# Whether a value need not be copied


cdef bint stays(PyObject *value, Py_ssize_t references, int depth) except -1:
    """Return whether nobody can change a value: it is immutable, or has no more references than these.

    Args:
        value: The value.
        references: How many of its references are ours; 0 if others can come to it in another way.
        depth: How deep it is in the record.
    """
    cdef int kind
    cdef bint alone
    cdef Py_ssize_t number, place = 0
    cdef PyObject *key
    cdef PyObject *item
    if is_light(value):
        return True
    kind = kind_at(value)
    if kind == IMMUTABLE:
        return True
    alone = Py_REFCNT(value) <= references
    if depth == DEEP or (kind > FROZEN and not alone):
        return False
    if kind == TUPLE or kind == NAMED_TUPLE:
        for number in range(PyTuple_GET_SIZE(<object> value)):
            item = <PyObject *> PyTuple_GET_ITEM(<object> value, number)
            if not is_light(item) and not stays(item, alone, depth + 1):
                return False
        return True
    if kind == LIST:
        for number in range(PyList_GET_SIZE(<object> value)):
            item = <PyObject *> PyList_GET_ITEM(<object> value, number)
            if not is_light(item) and not stays(item, 1, depth + 1):
                return False
        return True
    if kind == DICT:
        while PyDict_Next(<object> value, &place, &key, &item):
            if not is_light(key) and not stays(key, 1, depth + 1):
                return False
            if not is_light(item) and not stays(item, 1, depth + 1):
                return False
        return True
    if kind == ROW:
        item = slot(value, VALUES)
        return Py_TYPE(item) == &PyList_Type and stays(item, 1, depth + 1)
    if kind == FROZEN or kind == INSTANCE:
        return attributes_stay(value, alone, depth)
    if kind == FROZENSET or kind == SET:
        if kind == SET and getweakrefcount(<object> value):
            return False
        for one in <object> value:
            if not stays(<PyObject *> one, 0, depth + 1):
                return False
        return True
    if kind == ARRAY:
        array = <object> value
        return array.base is None and not array.dtype.hasobject and getweakrefcount(array) == 0
    return False


cdef bint attributes_stay(PyObject *value, bint alone, int depth) except -1:
    cdef Py_ssize_t place = 0, held
    cdef PyObject *key
    cdef PyObject *item
    if alone and getweakrefcount(<object> value):
        alone = False
    if not alone and kind_at(value) == INSTANCE:
        return False
    for member in slots_at(value):
        try:
            one = member.__get__(<object> value)
        except AttributeError:
            continue
        if not stays(<PyObject *> one, 2 if alone else 0, depth + 1):
            return False
    if Py_TYPE(value).tp_dictoffset:
        attributes = PyObject_GenericGetDict(value, NULL)
        held = 1 if alone and Py_REFCNT(<PyObject *> attributes) <= 2 else 0
        if held == 0 and kind_at(value) == INSTANCE:
            return False
        while PyDict_Next(attributes, &place, &key, &item):
            if not is_light(item) and not stays(item, held, depth + 1):
                return False
    return True


# Copies


cdef inline bint is_flat(PyObject *value, int kind) except -1:
    """Return whether a list or dict holds nothing but values of immutable types."""
    cdef Py_ssize_t number, place = 0
    cdef PyObject *key
    cdef PyObject *item
    if kind == LIST:
        for number in range(PyList_GET_SIZE(<object> value)):
            item = <PyObject *> PyList_GET_ITEM(<object> value, number)
            if not is_light(item) and not stays(item, 0, 0):
                return False
        return True
    while PyDict_Next(<object> value, &place, &key, &item):
        if not is_light(key) and not stays(key, 0, 0):
            return False
        if not is_light(item) and not stays(item, 0, 0):
            return False
    return True


cdef object copy_value(PyObject *value, dict memo, Py_ssize_t references, int depth):
    """Copy a value. What has more references than these may come again in the same record."""
    cdef int kind
    if is_light(value):
        return <object> value
    kind = kind_at(value)
    if kind == IMMUTABLE:
        return <object> value
    cdef PyObject *known
    cdef bint shared = Py_REFCNT(value) > references
    if shared:
        known = PyDict_GetItemWithError(memo, PyLong_FromVoidPtr(value))
        if known is not NULL:
            return <object> known
    if depth == DEEPEST:
        return copy_unknown(<object> value, memo)
    if kind == TUPLE or kind == NAMED_TUPLE:
        return copy_tuple(value, memo, shared, depth)
    if kind == LIST:
        return copy_list(value, memo, shared, depth)
    if kind == DICT:
        return copy_dict(value, memo, shared, depth)
    if kind == ROW:
        return copy_row(value, memo, shared, depth)
    if kind == SET or kind == FROZENSET:
        return copy_set(value, kind, memo, shared, depth)
    if kind == FROZEN and stays(value, 0, 0):
        return <object> value
    if kind == FROZEN or kind == INSTANCE:
        return copy_instance(value, memo, shared, depth)
    if kind == ARRAY and not (<object> value).dtype.hasobject:
        made = (<object> value).copy("K")
        remember(value, made, memo, shared)
        return made
    return copy_unknown(<object> value, memo)


cdef inline int remember(PyObject *value, object made, dict memo, bint shared) except -1:
    if shared:
        PyDict_SetItem(memo, PyLong_FromVoidPtr(value), made)
    return 0


cdef object copy_tuple(PyObject *value, dict memo, bint shared, int depth):
    cdef Py_ssize_t number, size = PyTuple_GET_SIZE(<object> value)
    cdef PyObject *known
    cdef bint changed = False
    cdef tuple items = PyTuple_New(size)
    for number in range(size):
        item = copy_value(<PyObject *> PyTuple_GET_ITEM(<object> value, number), memo, 1, depth + 1)
        changed = changed or <PyObject *> item != <PyObject *> PyTuple_GET_ITEM(<object> value, number)
        Py_INCREF(item)
        PyTuple_SET_ITEM(items, number, item)
    if not changed:
        remember(value, <object> value, memo, shared)
        return <object> value
    if shared:  # one of its items may refer back to it
        known = PyDict_GetItemWithError(memo, PyLong_FromVoidPtr(value))
        if known is not NULL:
            return <object> known
    made = items if Py_TYPE(value) == &PyTuple_Type else new_tuple(<object> Py_TYPE(value), items)
    remember(value, made, memo, shared)
    return made


cdef object copy_list(PyObject *value, dict memo, bint shared, int depth):
    cdef Py_ssize_t number = 0, size = PyList_GET_SIZE(<object> value)
    cdef PyObject *item
    cdef list made
    if is_flat(value, LIST):
        made = PyList_New(size)
        for number in range(size):
            item = <PyObject *> PyList_GET_ITEM(<object> value, number)
            Py_INCREF(<object> item)
            PyList_SET_ITEM(made, number, <object> item)
        remember(value, made, memo, shared)
        return made
    made = []
    remember(value, made, memo, shared)
    while number < PyList_GET_SIZE(<object> value):  # copying an object may run code of the user's
        item = <PyObject *> PyList_GET_ITEM(<object> value, number)
        Py_INCREF(<object> item)
        try:
            PyList_Append(made, copy_value(item, memo, 2, depth + 1))
        finally:
            Py_DECREF(item)
        number += 1
    return made


cdef object copy_dict(PyObject *value, dict memo, bint shared, int depth):
    cdef dict made
    cdef PyObject *pair
    cdef Py_ssize_t number
    cdef list items
    if is_flat(value, DICT):
        made = PyDict_Copy(<object> value)
        remember(value, made, memo, shared)
        return made
    made = {}
    remember(value, made, memo, shared)
    items = PyDict_Items(<object> value)
    for number in range(PyList_GET_SIZE(items)):
        pair = <PyObject *> PyList_GET_ITEM(items, number)
        key = copy_value(<PyObject *> PyTuple_GET_ITEM(<object> pair, 0), memo, 2, depth + 1)
        item = copy_value(<PyObject *> PyTuple_GET_ITEM(<object> pair, 1), memo, 2, depth + 1)
        PyDict_SetItem(made, key, item)
    return made


cdef object copy_set(PyObject *value, int kind, dict memo, bint shared, int depth):
    cdef list items = list(<object> value)
    cdef bint changed = False
    cdef set made = set()
    if kind == SET:
        remember(value, made, memo, shared)
    for item in items:
        made_item = copy_value(<PyObject *> item, memo, 0, depth + 1)
        changed = changed or made_item is not item
        made.add(made_item)
    if kind == SET:
        return made
    return frozenset(made) if changed else <object> value


cdef object copy_row(PyObject *value, dict memo, bint shared, int depth):
    made = PyType_GenericAlloc(ROW_TYPE, 0)
    remember(value, made, memo, shared)
    set_slot(made, FIELDS, slot(value, FIELDS))
    set_slot(made, ROW_KIND, slot(value, ROW_KIND))
    values = copy_value(slot(value, VALUES), memo, 1, depth + 1)
    set_slot(made, VALUES, <PyObject *> values)
    return made


cdef object copy_instance(PyObject *value, dict memo, bint shared, int depth):
    cls = <object> Py_TYPE(value)
    made = new_object(cls)
    remember(value, made, memo, shared)
    for member in slots_at(value):
        try:
            item = member.__get__(<object> value)
        except AttributeError:
            continue
        member.__set__(made, copy_value(<PyObject *> item, memo, 0, depth + 1))
    if Py_TYPE(value).tp_dictoffset:
        attributes = PyObject_GenericGetDict(value, NULL)
        copied_attributes = copy_dict(<PyObject *> attributes, memo, False, depth)
        PyObject_GenericSetDict(made, copied_attributes, NULL)
    return made


# Copies of what holds nothing but immutable values: nothing in it can come twice, so there is nothing to remember


cdef object copy_flat(PyObject *value, int kind):
    """Copy a value, or return None if it is not flat."""
    cdef PyObject *inner
    if kind == DICT:
        return PyDict_Copy(<object> value) if is_flat(value, DICT) else None
    if kind == LIST:
        return PyList_GetSlice(value, 0, PyList_GET_SIZE(<object> value)) if is_flat(value, LIST) else None
    if kind == TUPLE:
        return copy_flat_tuple(value)
    if kind == ROW:
        inner = slot(value, VALUES)
        if Py_TYPE(inner) != &PyList_Type or not is_flat(inner, LIST):
            return None
        made = PyType_GenericAlloc(ROW_TYPE, 0)
        set_slot(made, FIELDS, slot(value, FIELDS))
        set_slot(made, ROW_KIND, slot(value, ROW_KIND))
        values = PyList_GetSlice(inner, 0, PyList_GET_SIZE(<object> inner))
        set_slot(made, VALUES, <PyObject *> values)
        return made
    if kind == INSTANCE and Py_TYPE(value).tp_dictoffset and not slots_at(value):
        attributes = PyObject_GenericGetDict(value, NULL)
        if not is_flat(<PyObject *> attributes, DICT):
            return None
        made = new_object(<object> Py_TYPE(value))
        PyObject_GenericSetDict(made, PyDict_Copy(attributes), NULL)
        return made
    return None


cdef object copy_flat_tuple(PyObject *value):
    """Copy a tuple in which one item has to be copied, and is flat."""
    cdef Py_ssize_t number, place = -1, size = PyTuple_GET_SIZE(<object> value)
    cdef PyObject *item
    for number in range(size):
        item = <PyObject *> PyTuple_GET_ITEM(<object> value, number)
        if not is_light(item) and not stays(item, 0, 1):
            if place >= 0:
                return None
            place = number
    if place < 0:
        return None
    item = <PyObject *> PyTuple_GET_ITEM(<object> value, place)
    copied = copy_flat(item, kind_at(item))
    if copied is None:
        return None
    cdef tuple made = PyTuple_New(size)
    for number in range(size):
        one = copied if number == place else <object> PyTuple_GET_ITEM(<object> value, number)
        Py_INCREF(one)
        PyTuple_SET_ITEM(made, number, one)
    return made


# What operators call


cdef object as_emitted(PyObject *value, Py_ssize_t references):
    """Return what is emitted for a value, so many of whose references are the caller's."""
    if is_simple(value) or stays(value, references, 0):
        return <object> value
    copied = copy_flat(value, kind_at(value))
    return copy_value(value, {}, 0, 0) if copied is None else copied


def emitted(value):
    """Return what is emitted for a value: the same object, or a copy if anybody else can change it."""
    return value if is_simple(<PyObject *> value) else as_emitted(<PyObject *> value, 1)



cdef int gather(list values, object results) except -1:
    """Add what a function returned: each result as it is when the function yields it."""
    cdef PyObject *result = NULL
    cdef Py_ssize_t number, mine
    if PyGen_CheckExact(results):
        while PyIter_Send(results, None, &result) != ENDED:
            value = <object> result
            Py_DECREF(result)
            PyList_Append(values, value if is_simple(<PyObject *> value) else as_emitted(<PyObject *> value, 1))
        Py_DECREF(result)
    elif type(results) is list:
        mine = Py_REFCNT(<PyObject *> results) == 1  # else what is in it can be changed through it
        for number in range(PyList_GET_SIZE(results)):
            PyList_Append(values, as_emitted(<PyObject *> PyList_GET_ITEM(results, number), mine))
    else:
        for value in results:
            PyList_Append(values, as_emitted(<PyObject *> value, 1))
    return 0


def extend(list values, results):
    """Add results to a list, each as it is when it is yielded."""
    gather(values, results)


def map_into(list values, call, list records):
    """Add what a function returns for each record; after an error as many are there as records were done."""
    cdef vectorcallfunc run = PyVectorcall_Function(<PyObject *> call)
    cdef PyObject *arguments[2]
    cdef Py_ssize_t number
    if run is NULL:
        for record in records:
            result = call(record)
            PyList_Append(values, result if is_simple(<PyObject *> result) else as_emitted(<PyObject *> result, 1))
        return
    for number in range(PyList_GET_SIZE(records)):
        # Directly, so that one call of Python from C costs no more than one from Python.
        arguments[1] = <PyObject *> PyList_GET_ITEM(records, number)
        result = run(<PyObject *> call, &arguments[1], 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
        PyList_Append(values, result if is_simple(<PyObject *> result) else as_emitted(<PyObject *> result, 1))


cdef list all_as_emitted(list values, Py_ssize_t references):
    cdef Py_ssize_t number, size = PyList_GET_SIZE(values)
    cdef PyObject *value
    cdef list made = None
    for number in range(size):
        value = <PyObject *> PyList_GET_ITEM(values, number)
        if is_simple(value) or stays(value, references, 0):
            continue
        if made is None:
            made = values[:]
            references += references != 0  # the new list has one too
        made[number] = as_emitted(value, references)
        if PyList_GET_SIZE(values) != size:
            raise RuntimeError("the list of records changed its size while they were copied")
    return values if made is None else made


def copies(list values):
    """Return a list with a copy of each value; the same list if all are immutable."""
    return all_as_emitted(values, 0)


def owned(list values):
    """Return a list with a copy of each value that has other references; the same list if no value has any."""
    return all_as_emitted(values, 1)
