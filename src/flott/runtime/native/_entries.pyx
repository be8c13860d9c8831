# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""State of many keys, in machine code: what runs for each key of a batch, between a key and the bytes of its entry.

Everything here exists in Python too, and does the same: keys are written as flott.runtime.keys does, entries are laid
out as flott.runtime.state.points does, slots are those of flott.runtime.state.slot_table, and values are pickled.
Without a compiler at installation, the Python is what runs.

Memory is what makes this slow, not instructions: the slot and the entry of a key are anywhere. So a batch is worked on
in strides, and what the next step will touch is fetched while this one goes on.
"""

import pickle

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Contains, PyDict_Next, PyDict_SetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.math cimport floor
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memmove

from flott.runtime.keys import encode_key

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define FETCH(place) __builtin_prefetch(place)
    #else
    #define FETCH(place) ((void) 0)
    #endif
    """
    void FETCH(const void *place) noexcept nogil

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    const char *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    object PyLong_FromLongLong(long long number)
    object PyUnicode_DecodeUTF8(const char *data, Py_ssize_t size, const char *errors)
    double PyFloat_AS_DOUBLE(object number)
    bint PyUnicode_CheckExact(object one)
    bint PyLong_CheckExact(object one)
    bint PyBytes_CheckExact(object one)
    bint PyFloat_CheckExact(object one)
    bint PyTuple_CheckExact(object one)

# The layout of entries and slots; tests compare it with the Python modules named above.
cdef enum:
    LONG_KEY = 360
    GROUP_AND_COLUMN = 6
    ITEM_SIZE = 4       # what an item of a tuple says of its length
    HEAD = 8            # of an address: key group, column, length of the key
    HEADER = 10         # of an entry: size of the value, mark, length of the address
    STRIDE = 256        # so many keys are worked on at once
    STRIDE_BYTES = 65536
    DEEPEST = 8         # so deep may tuples be nested
    FIRST_BITS = 15     # a table of drafts begins with so many slots
    MOST_ITEMS = 64

cdef uint32_t GONE = 0xFFFFFFFF
cdef uint64_t PLACE = (<uint64_t> 1 << 40) - 1
cdef uint64_t TAG = (<uint64_t> 1 << 24) - 1
cdef uint32_t SPREAD = 0x9E3779B1


# ------------------------------------------------------------------------------------------------------- checksums

cdef uint32_t CRC[8][256]


cdef void make_checksum_tables() noexcept:
    cdef uint32_t number, value
    cdef int bit, table
    for number in range(256):
        value = number
        for bit in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        CRC[0][number] = value
    for number in range(256):
        for table in range(1, 8):
            value = CRC[table - 1][number]
            CRC[table][number] = (value >> 8) ^ CRC[0][value & 0xFF]


make_checksum_tables()


cdef inline uint32_t checksum(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    """CRC-32 as zlib has it, eight bytes at a time."""
    cdef uint32_t value = 0xFFFFFFFF, low, high
    while size >= 8:
        low = value ^ (data[0] | <uint32_t> data[1] << 8 | <uint32_t> data[2] << 16 | <uint32_t> data[3] << 24)
        high = data[4] | <uint32_t> data[5] << 8 | <uint32_t> data[6] << 16 | <uint32_t> data[7] << 24
        value = (CRC[7][low & 0xFF] ^ CRC[6][low >> 8 & 0xFF] ^ CRC[5][low >> 16 & 0xFF] ^ CRC[4][low >> 24]
                 ^ CRC[3][high & 0xFF] ^ CRC[2][high >> 8 & 0xFF] ^ CRC[1][high >> 16 & 0xFF] ^ CRC[0][high >> 24])
        data += 8
        size -= 8
    while size:
        value = (value >> 8) ^ CRC[0][(value ^ data[0]) & 0xFF]
        data += 1
        size -= 1
    return ~value


# ------------------------------------------------------------------------------------------------------------- keys

cdef inline Py_ssize_t write_number(char *into, long long number) noexcept nogil:
    """Write a number in decimal digits; return how many bytes."""
    cdef char digits[24]
    cdef Py_ssize_t count = 0, written = 0
    cdef unsigned long long rest
    if number < 0:
        into[0] = b"-"
        written = 1
        rest = <unsigned long long> (-(number + 1)) + 1
    else:
        rest = <unsigned long long> number
    while True:
        digits[count] = <char> (48 + rest % 10)
        count += 1
        rest //= 10
        if rest == 0:
            break
    while count:
        count -= 1
        into[written] = digits[count]
        written += 1
    return written


cdef Py_ssize_t write_part(char *into, Py_ssize_t room, object key, int depth) except -2:
    """Write a key, or an item of one, as encode_key does; return how many bytes, or -1 if there is too little room."""
    cdef int overflow = 0
    cdef long long number
    cdef Py_ssize_t size, written
    cdef char digits[24]
    kind = type(key)
    if kind is int:
        number = PyLong_AsLongLongAndOverflow(key, &overflow)
        if not overflow:
            size = 1 + write_number(digits, number)
            if size > room:
                return -1
            into[0] = b"i"
            memcpy(into + 1, digits, size - 1)
            return size
    elif kind is str and PyUnicode_IS_COMPACT_ASCII(key):
        size = 1 + PyUnicode_GET_LENGTH(key)
        if size > room:
            return -1
        into[0] = b"s"
        memcpy(into + 1, PyUnicode_DATA(key), size - 1)
        return size
    elif key is None:
        if room < 1:
            return -1
        into[0] = b"n"
        return 1
    elif kind is tuple and depth < DEEPEST:
        if room < 1:
            return -1
        into[0] = b"t"
        written = 1
        for item in <tuple> key:
            size = write_part(into + written + ITEM_SIZE, room - written - ITEM_SIZE, item, depth + 1)
            if size < 0:
                return -1
            into[written] = <char> (size >> 24)
            into[written + 1] = <char> (size >> 16 & 0xFF)
            into[written + 2] = <char> (size >> 8 & 0xFF)
            into[written + 3] = <char> (size & 0xFF)
            written += ITEM_SIZE + size
        return written
    cdef bytes encoded = encode_key(key)
    size = PyBytes_GET_SIZE(encoded)
    if size > room:
        return -1
    memcpy(into, PyBytes_AS_STRING(encoded), size)
    return size


cdef inline Py_ssize_t write_key(char *into, object key) except -2:
    """Write a key as encode_key does; return how many bytes, or -1 for one that is too long to stand in an address."""
    return write_part(into, LONG_KEY, key, 0)


cdef bint is_plain(object key, int depth) noexcept:
    """Report whether a key is its own canonical form, without looking into what is neither a plain value nor a tuple."""
    cdef double real
    if PyUnicode_CheckExact(key) or PyLong_CheckExact(key) or key is None or PyBytes_CheckExact(key):
        return True
    if PyTuple_CheckExact(key):
        if depth == DEEPEST:
            return False
        for item in <tuple> key:
            if not is_plain(item, depth + 1):
                return False
        return True
    if PyFloat_CheckExact(key):
        real = PyFloat_AS_DOUBLE(key)
        return real == real and real != floor(real)
    return False


def plain(key):
    """Report whether a key is its own canonical form, and nothing in it can change; if not sure, no."""
    return is_plain(key, 0)


def all_plain(list keys):
    """Report whether all keys are their own canonical form; if not sure, no."""
    cdef Py_ssize_t number
    for number in range(PyList_GET_SIZE(keys)):
        if not is_plain(<object> PyList_GET_ITEM(keys, number), 0):
            return False
    return True


def encode_keys(list keys):
    """Return each key as encode_key writes it."""
    cdef char encoded[LONG_KEY]
    cdef Py_ssize_t size
    cdef list made = []
    for key in keys:
        size = write_key(encoded, key)
        made.append(encode_key(key) if size < 0 else PyBytes_FromStringAndSize(encoded, size))
    return made


def key_groups(list keys, uint32_t max_parallelism, int64_t[::1] into):
    """Work out the key group of each key."""
    cdef Py_ssize_t number
    if into.shape[0] != PyList_GET_SIZE(keys):
        raise ValueError("each key has one group")
    for number in range(PyList_GET_SIZE(keys)):
        into[number] = key_group(<object> PyList_GET_ITEM(keys, number), max_parallelism)


cdef int64_t key_group(object key, uint32_t max_parallelism) except -1:
    cdef char encoded[LONG_KEY]
    cdef Py_ssize_t size = write_key(encoded, key)
    if size >= 0:
        return group_of(encoded, size, max_parallelism)
    cdef bytes long_one = encode_key(key)
    return group_of(PyBytes_AS_STRING(long_one), PyBytes_GET_SIZE(long_one), max_parallelism)


cdef inline uint32_t group_of(const char *key, Py_ssize_t size, uint32_t max_parallelism) noexcept nogil:
    return (<uint32_t> (checksum(<const uint8_t *> key, size) * SPREAD) >> 12) % max_parallelism


cdef Py_ssize_t write_address(char *into, object key, const char *column, uint32_t max_parallelism) except -2:
    """Write the address of a key's entry; return how many bytes, or -1 for a key that is too long."""
    cdef Py_ssize_t size = write_key(into + HEAD, key)
    if size < 0:
        return -1
    cdef uint32_t group = group_of(into + HEAD, size, max_parallelism)
    into[0] = <char> (group >> 8)
    into[1] = <char> (group & 0xFF)
    memcpy(into + 2, column, 4)
    into[6] = <char> (size >> 8)
    into[7] = <char> (size & 0xFF)
    return HEAD + size


def addresses(list keys, bytes column, uint32_t max_parallelism):
    """Return the addresses of the entries of some keys; None for a key that is too long to stand in one."""
    cdef char address[HEAD + LONG_KEY]
    cdef Py_ssize_t size
    cdef list made = []
    for key in keys:
        size = write_address(address, key, PyBytes_AS_STRING(column), max_parallelism)
        made.append(None if size < 0 else PyBytes_FromStringAndSize(address, size))
    return made


def scatter(list keys, uint32_t max_parallelism, uint32_t parallelism, list values, list stamps):
    """Deal values out to the subtasks of their keys; so many lists of values, and as many of stamps if there are any."""
    cdef Py_ssize_t number, total = PyList_GET_SIZE(keys)
    cdef uint32_t target
    cdef list dealt = [[] for _ in range(parallelism)]
    cdef list stamped = [[] for _ in range(parallelism)]
    if PyList_GET_SIZE(values) != total or (stamps is not None and PyList_GET_SIZE(stamps) != total):
        raise ValueError("each value has one key, and one stamp if there are any")
    for number in range(total):
        target = <uint32_t> key_group(<object> PyList_GET_ITEM(keys, number), max_parallelism)
        target = <uint32_t> (<uint64_t> target * parallelism // max_parallelism)
        (<list> PyList_GET_ITEM(dealt, target)).append(<object> PyList_GET_ITEM(values, number))
        if stamps is not None:
            (<list> PyList_GET_ITEM(stamped, target)).append(<object> PyList_GET_ITEM(stamps, number))
    return dealt, stamped


# ----------------------------------------------------------------------------------------------------------- values

cdef class Bytes:
    """Bytes that grow. While somebody looks at them, they stay where they are."""

    cdef char *data
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef Py_ssize_t views

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.size, True, flags)
        self.views += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.views -= 1

    cdef char *more(self, Py_ssize_t count) except NULL:
        """Return where so many more bytes can be written; they count from now on."""
        cdef Py_ssize_t room
        cdef char *data
        if self.size + count > self.room:
            if self.views:
                raise BufferError("somebody looks at these bytes")
            room = max(2 * self.room, self.size + count, 4096)
            data = <char *> realloc(self.data, room)
            if data == NULL:
                raise MemoryError
            self.data, self.room = data, room
        self.size += count
        return self.data + self.size - count

    cdef bytes taken(self):
        """Return all bytes, and be empty again."""
        made = PyBytes_FromStringAndSize(self.data, self.size)
        self.size = 0
        return made


cdef inline int put(Bytes out, uint8_t code, uint64_t number, int width) except -1:
    """Write a pickle's code and a number of some bytes."""
    cdef char *into = out.more(1 + width)
    cdef int place
    into[0] = <char> code
    for place in range(width):
        into[1 + place] = <char> (number >> (8 * place))
    return 0


cdef int dump_some(Bytes out, object value, int depth) except -1:
    """Write what a pickle says of a value; return 0 if it is one of those that are left to pickle."""
    cdef int overflow = 0
    cdef long long number
    cdef Py_ssize_t size
    cdef double real
    cdef uint64_t bits
    cdef char *into
    cdef int place
    kind = type(value)
    if kind is int:
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            return 0
        if 0 <= number < 256:
            put(out, b"K", number, 1)
        elif 256 <= number < 65536:
            put(out, b"M", number, 2)
        elif -2147483648 <= number < 2147483648:
            put(out, b"J", <uint64_t> number, 4)
        else:
            into = out.more(10)
            into[0], into[1] = <char> 0x8A, 8
            memcpy(into + 2, &number, 8)
        return 1
    if kind is float:
        real = PyFloat_AS_DOUBLE(value)
        memcpy(&bits, &real, 8)
        into = out.more(9)
        into[0] = b"G"
        for place in range(8):
            into[1 + place] = <char> (bits >> (56 - 8 * place))
        return 1
    if kind is str:
        if not PyUnicode_IS_COMPACT_ASCII(value):
            return 0
        size = PyUnicode_GET_LENGTH(value)
        if size < 256:
            put(out, 0x8C, size, 1)
        elif size < 0xFFFFFFFF:
            put(out, b"X", size, 4)
        else:
            return 0
        memcpy(out.more(size), PyUnicode_DATA(value), size)
        return 1
    if kind is bytes:
        size = PyBytes_GET_SIZE(value)
        if size < 256:
            into = out.more(2 + size)
            into[0], into[1] = b"C", <char> size
            memcpy(into + 2, PyBytes_AS_STRING(value), size)
        elif size < 0xFFFFFFFF:
            put(out, b"B", size, 4)
            memcpy(out.more(size), PyBytes_AS_STRING(value), size)
        else:
            return 0
        return 1
    if value is None:
        put(out, b"N", 0, 0)
        return 1
    if kind is bool:
        put(out, 0x88 if value else 0x89, 0, 0)
        return 1
    if kind is tuple and depth < DEEPEST:
        # What is in a tuple can't be changed: whether it is one object twice, or two that are equal, nobody can tell.
        put(out, b"(", 0, 0)
        for item in <tuple> value:
            if not dump_some(out, item, depth + 1):
                return 0
        put(out, b"t", 0, 0)
        return 1
    if kind is list and depth == 0:
        put(out, b"]", 0, 0)
        put(out, b"(", 0, 0)
        for item in <list> value:
            if not dump_some(out, item, 1):
                return 0
        put(out, b"e", 0, 0)
        return 1
    return 0


cdef int dump(Bytes out, object value) except -1:
    """Write a value as a pickle."""
    cdef Py_ssize_t start = out.size
    cdef bytes pickled
    put(out, 0x80, 5, 1)
    if dump_some(out, value, 0):
        put(out, b".", 0, 0)
        return 0
    out.size = start
    pickled = pickle.dumps(value, 5)
    memcpy(out.more(PyBytes_GET_SIZE(pickled)), PyBytes_AS_STRING(pickled), PyBytes_GET_SIZE(pickled))
    return 0


cdef inline uint64_t number_at(const uint8_t *data, int width) noexcept nogil:
    cdef uint64_t number = 0
    cdef int place
    for place in range(width):
        number |= <uint64_t> data[place] << (8 * place)
    return number


cdef object UNKNOWN = object()


cdef object load_some(const uint8_t *data, Py_ssize_t size):
    """Read a pickle of plain values; UNKNOWN if there is anything else in it."""
    cdef list stack = []
    cdef list marks = []
    cdef Py_ssize_t place = 2, width
    cdef uint8_t code
    cdef uint64_t bits
    cdef double real
    cdef int number
    if size < 4 or data[0] != 0x80 or data[1] != 5:
        return UNKNOWN
    if data[2] == 0x95:
        place = 11
    while place < size:
        code = data[place]
        place += 1
        if code == 46:  # .
            return stack[0] if len(stack) == 1 and place == size else UNKNOWN
        if code == 0x94:
            continue  # Something to refer to later. Whoever does that is not understood.
        if code == 75 and place + 1 <= size:  # K
            stack.append(PyLong_FromLongLong(data[place]))
            place += 1
        elif code == 77 and place + 2 <= size:  # M
            stack.append(PyLong_FromLongLong(<long long> number_at(data + place, 2)))
            place += 2
        elif code == 74 and place + 4 <= size:  # J
            number = <int> number_at(data + place, 4)
            stack.append(PyLong_FromLongLong(number))
            place += 4
        elif code == 0x8A and place < size and data[place] <= 8 and place + 1 + data[place] <= size:
            width = data[place]
            bits = number_at(data + place + 1, <int> width)
            if 0 < width < 8 and data[place + width] & 0x80:
                bits |= ~<uint64_t> 0 << (8 * width)
            stack.append(PyLong_FromLongLong(<long long> bits))
            place += 1 + width
        elif code == 71 and place + 8 <= size:  # G
            bits = 0
            for width in range(8):
                bits = bits << 8 | data[place + width]
            memcpy(&real, &bits, 8)
            stack.append(real)
            place += 8
        elif code in (0x8C, 67, 88, 66):  # short text, C, X, B
            width = 1 if code == 0x8C or code == 67 else 4
            if place + width > size:
                return UNKNOWN
            bits = number_at(data + place, <int> width)
            place += width
            if bits > <uint64_t> (size - place):
                return UNKNOWN
            if code == 67 or code == 66:
                stack.append(PyBytes_FromStringAndSize(<const char *> data + place, <Py_ssize_t> bits))
            else:
                stack.append(PyUnicode_DecodeUTF8(<const char *> data + place, <Py_ssize_t> bits, "surrogatepass"))
            place += <Py_ssize_t> bits
        elif code == 78:  # N
            stack.append(None)
        elif code == 0x88 or code == 0x89:
            stack.append(code == 0x88)
        elif code == 40:  # (
            marks.append(len(stack))
        elif code == 116 and marks:  # t
            width = marks.pop()
            made = tuple(stack[width:])
            del stack[width:]
            stack.append(made)
        elif code == 41:  # )
            stack.append(())
        elif 0x85 <= code <= 0x87 and len(stack) >= code - 0x84:
            width = len(stack) - (code - 0x84)
            made = tuple(stack[width:])
            del stack[width:]
            stack.append(made)
        elif code == 93:  # ]
            stack.append([])
        elif code == 101 and marks:  # e
            width = marks.pop()
            if width < 1 or type(stack[width - 1]) is not list:
                return UNKNOWN
            (<list> stack[width - 1]).extend(stack[width:])
            del stack[width:]
        else:
            return UNKNOWN
    return UNKNOWN


cdef object load(const uint8_t *data, Py_ssize_t size):
    """Read a pickle."""
    # Most are one number, text or the like: no stack is needed for those.
    cdef const uint8_t *body = data + 2
    cdef Py_ssize_t rest = size - 2
    if size > 11 and data[2] == 0x95:
        body, rest = data + 11, size - 11
    if size >= 4 and data[0] == 0x80 and data[1] == 5 and data[size - 1] == 46:
        if body[0] == 75 and rest == 3:
            return PyLong_FromLongLong(body[1])
        if body[0] == 77 and rest == 4:
            return PyLong_FromLongLong(<long long> number_at(body + 1, 2))
        if body[0] == 67 and rest >= 3 and (
            rest == body[1] + 3 or (rest == body[1] + 4 and body[rest - 2] == 0x94)
        ):
            return PyBytes_FromStringAndSize(<const char *> body + 2, body[1])
        value = load_some(data, size)
        if value is not UNKNOWN:
            return value
    return pickle.loads(PyBytes_FromStringAndSize(<const char *> data, size))


def dumps(value):
    """Return a value as a pickle."""
    cdef Bytes out = Bytes()
    dump(out, value)
    return out.taken()


def loads(bytes data):
    """Return the value of a pickle."""
    return load(<const uint8_t *> PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


# ---------------------------------------------------------------------------------------------------------- entries

cdef inline uint32_t word_at(const uint8_t *data) noexcept nogil:
    cdef uint32_t word
    memcpy(&word, data, 4)
    return word


cdef inline uint16_t short_at(const uint8_t *data) noexcept nogil:
    cdef uint16_t short
    memcpy(&short, data, 2)
    return short


cdef inline void fetch_entry(const uint8_t *entry) noexcept nogil:
    """Bring an entry of usual size into the cache: fetching what is not there does no harm."""
    cdef int line
    for line in range(4):
        FETCH(entry + 64 * line)


cdef inline bint is_entry_of(const uint8_t *entry, const char *address, Py_ssize_t length) noexcept nogil:
    return short_at(entry + 8) == length and memcmp(entry + HEADER, address, length) == 0


cdef class Stride:
    """Some addresses that are looked up together."""

    cdef char data[STRIDE_BYTES]
    cdef Py_ssize_t starts[STRIDE]
    cdef Py_ssize_t lengths[STRIDE]
    cdef uint32_t marks[STRIDE]
    cdef uint64_t tags[STRIDE]
    cdef uint64_t slots[STRIDE]
    cdef uint64_t places[STRIDE]
    cdef Py_ssize_t count
    cdef Py_ssize_t size

    cdef inline bint full(self) noexcept:
        return self.count == STRIDE or self.size + HEAD + LONG_KEY > STRIDE_BYTES

    cdef inline void add(self, Py_ssize_t length, const uint64_t[::1] table, int shift) noexcept:
        """Take an address that was written at the end."""
        cdef uint32_t mark = checksum(<const uint8_t *> self.data + self.size, length)
        cdef uint64_t slot = <uint32_t> (mark * SPREAD) >> shift
        self.starts[self.count], self.lengths[self.count] = self.size, length
        self.marks[self.count], self.tags[self.count], self.slots[self.count] = mark, mark & TAG, slot
        FETCH(&table[slot])
        self.count += 1
        self.size += length

    cdef void find(self, const uint64_t[::1] table, const uint8_t[::1] log) noexcept nogil:
        """Find the places of the entries; 0 where there is none."""
        cdef uint64_t mask = table.shape[0] - 1, slot, word
        cdef Py_ssize_t number
        for number in range(self.count):
            word = table[self.slots[number]]
            if word >> 40 == self.tags[number]:
                fetch_entry(&log[word & PLACE])
        for number in range(self.count):
            slot = self.slots[number]
            self.places[number] = 0
            while True:
                word = table[slot]
                if word == 0:
                    break
                if word >> 40 == self.tags[number] and is_entry_of(
                    &log[word & PLACE], self.data + self.starts[number], self.lengths[number]
                ):
                    self.places[number] = word & PLACE
                    break
                slot = (slot + 1) & mask


cdef inline int shift_of(const uint64_t[::1] table) noexcept:
    cdef int bits = 0
    while (<Py_ssize_t> 1 << bits) < table.shape[0]:
        bits += 1
    return 32 - bits


def get_many(const uint64_t[::1] table, const uint8_t[::1] log, list wanted):
    """Return the values at addresses, or None."""
    cdef Stride stride = Stride()
    cdef int shift = shift_of(table)
    cdef Py_ssize_t begin = 0, total = PyList_GET_SIZE(wanted), number, length
    cdef const uint8_t *entry
    cdef list found = []
    while begin < total:
        stride.count = stride.size = 0
        while begin + stride.count < total and stride.count < STRIDE:
            address = <object> PyList_GET_ITEM(wanted, begin + stride.count)
            length = PyBytes_GET_SIZE(address)
            if stride.size + length > STRIDE_BYTES:
                break  # An address has less than that: its length is a number of 16 bits.
            memcpy(stride.data + stride.size, PyBytes_AS_STRING(address), length)
            stride.add(length, table, shift)
        stride.find(table, log)
        for number in range(stride.count):
            entry = &log[stride.places[number]]
            if stride.places[number] == 0 or word_at(entry) == GONE:
                found.append(None)
            else:
                entry += HEADER + stride.lengths[number]
                found.append(PyBytes_FromStringAndSize(
                    <const char *> entry, word_at(entry - HEADER - stride.lengths[number])
                ))
        begin += stride.count
    return found


cdef class Drafts:
    """Entries that were laid out before their epoch came to its end, and a table that finds them; each is there once."""

    cdef bytes column
    cdef uint32_t max_parallelism
    cdef Bytes data
    """The entries, one behind the other."""
    cdef Bytes starts
    """Where they begin."""
    cdef set dead
    """Where those begin that were replaced by others of another size."""
    cdef uint64_t *slots
    """As those of a log's table, but for the place, which is counted from 1."""
    cdef int bits
    cdef Py_ssize_t count

    def __cinit__(self, bytes column, uint32_t max_parallelism, Py_ssize_t expected=0):
        cdef int bits = FIRST_BITS
        while 2 * expected > <Py_ssize_t> 1 << bits:
            bits += 1
        self.column, self.max_parallelism = column, max_parallelism
        self.data, self.starts, self.dead = Bytes(), Bytes(), set()
        self.reserve(bits)

    def __dealloc__(self):
        free(self.slots)

    def __len__(self):
        return self.count

    cdef int reserve(self, int bits) except -1:
        """Make an empty table."""
        cdef uint64_t *slots = <uint64_t *> calloc(<size_t> 1 << bits, sizeof(uint64_t))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots, self.bits = slots, bits
        return 0

    cdef int grow(self, int bits) except -1:
        """Go over to a larger table."""
        cdef Py_ssize_t number, ahead, before = self.starts.size // 8
        cdef const uint64_t *begins = <const uint64_t *> self.starts.data
        cdef uint32_t mark
        self.reserve(bits)
        for number in range(before):
            ahead = number + 16
            if ahead < before:
                self.soon(word_at(self.at(begins[ahead]) + 4))
            if self.dead and begins[number] in self.dead:
                continue
            mark = word_at(self.at(begins[number]) + 4)
            self.slots[self.slot_of(mark, NULL, 0)] = self.word(mark, begins[number])
        return 0

    cdef inline uint8_t *at(self, uint64_t place) noexcept nogil:
        return <uint8_t *> self.data.data + place

    cdef inline uint64_t word(self, uint32_t mark, uint64_t place) noexcept nogil:
        return (<uint64_t> mark & TAG) << 40 | (place + 1)

    cdef inline uint32_t first(self, uint32_t mark) noexcept nogil:
        return <uint32_t> (mark * SPREAD) >> (32 - self.bits)

    cdef inline void soon(self, uint32_t mark) noexcept nogil:
        """A mark is about to be looked for."""
        FETCH(&self.slots[self.first(mark)])

    cdef inline uint32_t slot_of(self, uint32_t mark, const char *address, Py_ssize_t length) noexcept nogil:
        """Return the slot of an address, or the free one where it belongs; of no address, a free one."""
        cdef uint32_t slot = self.first(mark), mask = (<uint32_t> 1 << self.bits) - 1
        cdef uint64_t tag = <uint64_t> mark & TAG
        while self.slots[slot]:
            if address != NULL and self.slots[slot] >> 40 == tag and is_entry_of(
                self.at((self.slots[slot] & PLACE) - 1), address, length
            ):
                break
            slot = (slot + 1) & mask
        return slot

    cdef inline const uint8_t *find(self, uint32_t mark, const char *address, Py_ssize_t length) noexcept nogil:
        """Return the entry with an address, or NULL."""
        cdef uint64_t word = self.slots[self.slot_of(mark, address, length)]
        return self.at((word & PLACE) - 1) if word else NULL

    def add(self, dict written):
        """Lay out the entries of keys and their values, in place of those that are here already.

        Returns the keys that are too long to stand in an address. If a value can't be pickled, nothing was added.
        """
        cdef Py_ssize_t size = self.data.size, starts = self.starts.size, bits = self.bits
        cdef list too_long
        try:
            too_long = lay_out_into(self.data, self.starts, written, self.column, self.max_parallelism)
            while 2 * (self.count + (self.starts.size - starts) // 8) > <Py_ssize_t> 1 << bits:
                bits += 1
            if bits > self.bits:
                self.starts.size, added = starts, self.starts.size
                self.grow(<int> bits + 1)
                self.starts.size = added
        except BaseException:
            self.data.size, self.starts.size = size, starts
            raise
        self.settle(starts // 8)
        return too_long

    cdef int settle(self, Py_ssize_t first) except -1:
        """Find a slot for each of the last entries, from this one on.

        Where one is there already whose value has as many bytes, that takes the value: nobody has seen it yet. Those
        behind move up then.
        """
        cdef uint64_t *begins = <uint64_t *> self.starts.data
        cdef Py_ssize_t number, last = self.starts.size // 8, length, width
        cdef uint64_t end = self.data.size, kept, place, word
        cdef uint32_t mark, size, slot
        cdef uint8_t *entry
        cdef uint8_t *there
        cdef Py_ssize_t left = first
        if first == last:
            return 0
        kept = begins[first]
        for number in range(first, last):
            if number + 16 < last:
                self.soon(word_at(self.at(begins[number + 16]) + 4))
            entry = self.at(begins[number])
            width = <Py_ssize_t> ((begins[number + 1] if number + 1 < last else end) - begins[number])
            size, mark, length = word_at(entry), word_at(entry + 4), short_at(entry + 8)
            slot = self.slot_of(mark, <const char *> entry + HEADER, length)
            word = self.slots[slot]
            if word:
                place = (word & PLACE) - 1
                there = self.at(place)
                if word_at(there) == size:
                    if size != GONE:
                        memcpy(there + HEADER + length, entry + HEADER + length, size)
                    continue
                self.dead.add(place)
            else:
                self.count += 1
            if kept != begins[number]:
                memmove(self.at(kept), entry, width)
            self.slots[slot] = self.word(mark, kept)
            begins[left] = kept
            kept += width
            left += 1
        self.data.size, self.starts.size = <Py_ssize_t> kept, 8 * left
        return 0

    def get(self, key, default):
        """Return the value of a key, None if it was removed, or the default if it is not here."""
        cdef char address[HEAD + LONG_KEY]
        cdef Py_ssize_t length = write_address(
            address, key, PyBytes_AS_STRING(self.column), self.max_parallelism
        )
        if length < 0:
            return default
        cdef const uint8_t *entry = self.find(checksum(<const uint8_t *> address, length), address, length)
        if entry == NULL:
            return default
        return None if word_at(entry) == GONE else load(entry + HEADER + length, word_at(entry))

    def taken(self, Py_ssize_t most):
        """Return all entries as pairs of starts and bytes, each entry once, in batches of so many.

        As long as somebody has them, nothing can be added.
        """
        if not self.dead:
            return cut(self.starts, self.data, most)
        cdef const uint64_t *begins = <const uint64_t *> self.starts.data
        cdef Py_ssize_t number, count = self.starts.size // 8, width
        cdef uint64_t start, end
        cdef Bytes starts = Bytes(), data = Bytes()
        for number in range(count):
            if begins[number] in self.dead:
                continue
            end = begins[number + 1] if number + 1 < count else <uint64_t> self.data.size
            width, start = <Py_ssize_t> (end - begins[number]), data.size
            memcpy(starts.more(8), &start, 8)
            memcpy(data.more(width), self.at(begins[number]), width)
        return cut(starts, data, most)


cdef list cut(Bytes starts, Bytes data, Py_ssize_t most):
    """Return entries in batches of so many: pairs of their starts (numbers of 64 bits) and their bytes."""
    cdef const uint64_t *begins = <const uint64_t *> starts.data
    cdef uint64_t *into
    cdef Py_ssize_t first, last, number, total = starts.size // 8
    cdef uint64_t end
    cdef list batches = []
    cdef bytes own
    view = memoryview(data) if total else None
    for first in range(0, total, most):
        last = min(first + most, total)
        end = begins[last] if last < total else <uint64_t> data.size
        own = PyBytes_FromStringAndSize(NULL, 8 * (last - first))
        into = <uint64_t *> PyBytes_AS_STRING(own)
        for number in range(first, last):
            into[number - first] = begins[number] - begins[first]
        batches.append((own, view[begins[first]:end]))
    return batches


def fetch(
    const uint64_t[::1] table, const uint8_t[::1] log, list keys, bytes column, uint32_t max_parallelism,
    dict read, dict written, Drafts drafts,
):
    """Put the values of keys into ``read``, of those that are neither there nor in ``written``; None where there is none.

    What is among the drafts counts, not what the log has. Returns the keys that are too long to stand in an address.
    """
    cdef Stride stride = Stride()
    cdef int shift = shift_of(table)
    cdef Py_ssize_t begin = 0, total = PyList_GET_SIZE(keys), number, length
    cdef const uint8_t *entry
    cdef PyObject *waiting[STRIDE]
    cdef list too_long = []
    cdef bint any_written = len(written) > 0
    while begin < total:
        stride.count = stride.size = 0
        while begin < total and not stride.full():
            key = <object> PyList_GET_ITEM(keys, begin)
            begin += 1
            if PyDict_Contains(read, key) or (any_written and PyDict_Contains(written, key)):
                continue
            length = write_address(stride.data + stride.size, key, PyBytes_AS_STRING(column), max_parallelism)
            if length < 0:
                too_long.append(key)
                continue
            waiting[stride.count] = <PyObject *> key  # The list holds it.
            stride.add(length, table, shift)
            if drafts is not None:
                drafts.soon(stride.marks[stride.count - 1])
        stride.find(table, log)
        for number in range(stride.count):
            entry = NULL
            if drafts is not None:
                entry = drafts.find(
                    stride.marks[number], stride.data + stride.starts[number], stride.lengths[number]
                )
            if entry == NULL and stride.places[number] != 0:
                entry = &log[stride.places[number]]
            value = None
            if entry != NULL and word_at(entry) != GONE:
                value = load(entry + HEADER + stride.lengths[number], word_at(entry))
            PyDict_SetItem(read, <object> waiting[number], value)
    return too_long


def overwrite(
    const uint64_t[::1] table, uint8_t[::1] log, const uint8_t[::1] data, const uint64_t[::1] starts, uint64_t[::1] left
):
    """Put the values of laid out entries in the place of those in the log, where these have as many bytes.

    Writes the numbers of the others into ``left``; returns how many.
    """
    cdef int shift = shift_of(table)
    cdef uint64_t mask = table.shape[0] - 1, slot, word
    cdef uint64_t slots[STRIDE]
    cdef uint64_t tags[STRIDE]
    cdef Py_ssize_t begin = 0, total = starts.shape[0], count, number, length, done = 0
    cdef const uint8_t *entry
    cdef uint8_t *there
    cdef uint32_t mark, size
    with nogil:
        while begin < total:
            count = min(<Py_ssize_t> STRIDE, total - begin)
            for number in range(count):
                mark = word_at(&data[starts[begin + number]] + 4)
                slots[number] = <uint32_t> (mark * SPREAD) >> shift
                tags[number] = <uint64_t> mark & TAG
                FETCH(&table[slots[number]])
            for number in range(count):
                word = table[slots[number]]
                if word >> 40 == tags[number]:
                    fetch_entry(&log[word & PLACE])
            for number in range(count):
                slot = slots[number]
                entry = &data[starts[begin + number]]
                size, length = word_at(entry), short_at(entry + 8)
                while True:
                    word = table[slot]
                    if word == 0:
                        there = NULL
                        break
                    there = &log[word & PLACE]
                    if word >> 40 == tags[number] and is_entry_of(there, <const char *> entry + HEADER, length):
                        break
                    slot = (slot + 1) & mask
                if there != NULL and size != GONE and word_at(there) == size:
                    memcpy(there + HEADER + length, entry + HEADER + length, size)
                else:
                    left[done] = begin + number
                    done += 1
            begin += count
    return done


def insert(uint64_t[::1] table, const uint8_t[::1] log, const uint64_t[::1] places, uint64_t[::1] replaced):
    """Put entries of the log into a table that has room for them.

    Writes the places of those that they replace into ``replaced``; returns how many.
    """
    cdef int shift = shift_of(table)
    cdef uint64_t mask = table.shape[0] - 1, slot, word, there
    cdef uint64_t slots[STRIDE]
    cdef uint64_t words[STRIDE]
    cdef Py_ssize_t begin = 0, total = places.shape[0], count, number, done = 0
    cdef const uint8_t *entry
    cdef uint32_t mark
    with nogil:
        while begin < total:
            count = min(<Py_ssize_t> STRIDE, total - begin)
            for number in range(count):
                mark = word_at(&log[places[begin + number]] + 4)
                slots[number] = <uint32_t> (mark * SPREAD) >> shift
                words[number] = (<uint64_t> mark & TAG) << 40 | places[begin + number]
                FETCH(&table[slots[number]])
            for number in range(count):
                there = table[slots[number]]
                if there >> 40 == words[number] >> 40:
                    FETCH(&log[there & PLACE])
            for number in range(count):
                slot, word = slots[number], words[number]
                entry = &log[word & PLACE]
                while True:
                    there = table[slot]
                    if there == 0:
                        break
                    if there >> 40 == word >> 40 and is_entry_of(
                        &log[there & PLACE], <const char *> entry + HEADER, short_at(entry + 8)
                    ):
                        replaced[done] = there & PLACE
                        done += 1
                        break
                    slot = (slot + 1) & mask
                table[slot] = word
            begin += count
    return done


cdef list lay_out_into(Bytes data, Bytes starts, dict written, bytes column, uint32_t max_parallelism):
    """Lay out the entries of keys and their values, None for one that was removed, behind those that are there.

    Returns the keys that are too long to stand in an address.
    """
    cdef char address[HEAD + LONG_KEY]
    cdef PyObject *next_key = NULL
    cdef PyObject *next_value = NULL
    cdef Py_ssize_t position = 0, length, begin
    cdef uint64_t start
    cdef uint32_t size, mark
    cdef uint16_t short_length
    cdef char *into
    cdef list too_long = []
    while PyDict_Next(written, &position, &next_key, &next_value):
        key, value = <object> next_key, <object> next_value
        length = write_address(address, key, PyBytes_AS_STRING(column), max_parallelism)
        if length < 0:
            too_long.append(key)
            continue
        start = begin = data.size
        memcpy(starts.more(8), &start, 8)
        memcpy(data.more(HEADER + length) + HEADER, address, length)
        size = GONE
        if value is not None:
            dump(data, value)
            if data.size - begin - HEADER - length >= GONE:
                raise OverflowError("a value of 4 GB or more")
            size = <uint32_t> (data.size - begin - HEADER - length)
        mark, short_length = checksum(<const uint8_t *> address, length), <uint16_t> length
        into = data.data + begin
        memcpy(into, &size, 4)
        memcpy(into + 4, &mark, 4)
        memcpy(into + 8, &short_length, 2)
    return too_long


def lay_out(dict written, bytes column, uint32_t max_parallelism, Py_ssize_t most):
    """Lay out the entries of keys and their values, None for one that was removed, in batches of so many.

    Returns pairs of the entries' starts (numbers of 64 bits) and their bytes, and the keys that are too long to stand
    in an address.
    """
    cdef Bytes data = Bytes(), starts = Bytes()
    too_long = lay_out_into(data, starts, written, column, max_parallelism)
    return cut(starts, data, most), too_long


def gather(const uint8_t[::1] log, const uint64_t[::1] places, const uint64_t[::1] widths):
    """Return entries of the log, one behind the other."""
    cdef Py_ssize_t total = 0, number, ahead, count = places.shape[0]
    for number in range(count):
        if places[number] + widths[number] > <uint64_t> log.shape[0]:
            raise ValueError("an entry that is not in the log")
        total += widths[number]
    made = PyBytes_FromStringAndSize(NULL, total)
    cdef char *into = PyBytes_AS_STRING(made)
    with nogil:
        for number in range(count):
            ahead = number + 16
            if ahead < count:
                FETCH(&log[places[ahead]])
            memcpy(into, &log[places[number]], widths[number])
            into += widths[number]
    return made
