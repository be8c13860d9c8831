"""The shared buffer of a key: the events that partial matches hold, each kept once, linked backwards.

A node stands for an event taken by a stage. Its edges lead to the nodes before it, one for each partial match that
came this way, told apart by their Dewey versions. Nodes and edges are counted: what no partial match needs any more
goes at once, and an event goes with its last node.
"""

from __future__ import annotations

from typing import Any

from flott.cep.dewey import Version, is_compatible

__all__ = ["NodeId", "SharedBuffer"]

NodeId = tuple[int, int]
"""The number of an event, and the stage that took it."""

# What is stored, in plain lists, so that it can be pickled fast:
# entry = [event, {stage: node}], node = [references, [edge, ...]], edge = [node before or None, version, references]
EVENT, NODES = 0, 1
REFERENCES, EDGES = 0, 1
BEFORE, VERSION, USES = 0, 1, 2


class SharedBuffer:
    """The events of one key's partial matches.

    >>> buffer = SharedBuffer({})
    >>> first = buffer.put(0, "a", 7, None, (1,))
    >>> buffer.lock(first, (1, 0))
    >>> second = buffer.put(1, "b", 8, first, (1, 0))
    >>> buffer.lock(second, (1, 0, 0))
    >>> buffer.path(second, (1, 0, 0))
    [(7, 0), (8, 1)]
    >>> buffer.release(second, (1, 0, 0))
    >>> buffer.release(first, (1, 0))
    >>> buffer.entries
    {}
    """

    __slots__ = ("entries", "touched")

    def __init__(self, entries: dict[int, list[Any]]) -> None:
        self.entries = entries
        self.touched: set[int] = set()
        """The events whose entries changed since they were stored."""

    def put(self, stage: int, event: Any, number: int, before: NodeId | None, version: Version) -> NodeId:
        """Add an event to the match of ``version`` that ends in ``before``; return its node."""
        if before is not None:
            self.lock(before, version)
        entry = self.entries.get(number)
        if entry is None:
            entry = self.entries[number] = [event, {}]
        self.touched.add(number)
        node = entry[NODES].get(stage)
        if node is None:
            node = entry[NODES][stage] = [0, []]
        node[EDGES].append([before, version, 0])
        return number, stage

    def extend(
        self, stage: int, event: Any, number: int, before: NodeId | None, version: Version, after: Version
    ) -> NodeId:
        """Add an event to a match that goes on as ``after`` and in no other way.

        The same as to put the event, lock its node, and release the node before: whose counts that leaves as they are.
        """
        self.touched.add(number)
        entry = self.entries.get(number)
        if entry is None:
            self.entries[number] = [event, {stage: [1, [[before, version, 1]]]}]
            return number, stage
        node = entry[NODES].get(stage)
        if node is None:
            entry[NODES][stage] = [1, [[before, version, 1]]]
            return number, stage
        node[EDGES].append([before, version, 0])
        self.lock((number, stage), after)
        return number, stage

    def lock(self, node_id: NodeId, version: Version) -> None:
        """Count one more user of a node."""
        number, stage = node_id
        node = self.entries[number][NODES][stage]
        node[REFERENCES] += 1
        self.touched.add(number)
        for edge in node[EDGES]:
            if is_compatible(version, edge[VERSION]):
                edge[USES] += 1

    def release(self, node_id: NodeId | None, version: Version) -> None:
        """Count one user of a node less, and remove what nobody uses any more."""
        todo = [(node_id, version)]
        while todo:
            node_id, version = todo.pop()
            if node_id is None or node_id[0] not in self.entries:
                continue
            number, stage = node_id
            nodes = self.entries[number][NODES]
            node = nodes.get(stage)
            if node is None:
                continue
            self.touched.add(number)
            kept = []
            for edge in node[EDGES]:
                if is_compatible(version, edge[VERSION]):
                    edge[USES] -= 1
                    if edge[USES] <= 0:
                        todo.append((edge[BEFORE], edge[VERSION]))
                        continue
                kept.append(edge)
            node[EDGES] = kept
            node[REFERENCES] -= 1
            if node[REFERENCES] <= 0:
                del nodes[stage]
                if not nodes:
                    del self.entries[number]

    def path(self, node_id: NodeId | None, version: Version) -> list[NodeId]:
        """Return the nodes of a partial match, the first event first."""
        path: list[NodeId] = []
        while node_id is not None:
            path.append(node_id)
            number, stage = node_id
            # Of several ways the one added last is this match's own: the others branched off before.
            for edge in reversed(self.entries[number][NODES][stage][EDGES]):
                if is_compatible(version, edge[VERSION]):
                    node_id, version = edge[BEFORE], edge[VERSION]
                    break
            else:
                break
        path.reverse()
        return path
