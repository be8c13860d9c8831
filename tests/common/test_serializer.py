from __future__ import annotations

from io import BytesIO

from flott.common import TypeSerializer
from flott.common.serializer import VoidNamespaceSerializer


class Fixed(TypeSerializer[int]):
    def __init__(self, width):
        self.width = width

    def serialize(self, element, stream):
        stream.write(element.to_bytes(self.width, "big"))

    def deserialize(self, stream):
        return int.from_bytes(stream.read(self.width), "big")


def test_values_in_one_stream():
    stream = BytesIO()
    for number in (1, 65_535):
        Fixed(2).serialize(number, stream)
    stream.seek(0)
    assert [Fixed(2).deserialize(stream), Fixed(2).deserialize(stream)] == [1, 65_535]


def test_serializers_are_compared_by_their_settings():
    assert Fixed(2) == Fixed(2)
    assert hash(Fixed(2)) == hash(Fixed(2))
    assert Fixed(2) != Fixed(4)
    assert Fixed(2) != VoidNamespaceSerializer()
    assert repr(Fixed(2)) == "Fixed()"


def test_the_void_namespace_takes_no_room():
    stream = BytesIO()
    VoidNamespaceSerializer().serialize(b"", stream)
    assert stream.getvalue() == b""
    assert VoidNamespaceSerializer().deserialize(stream) == b""
