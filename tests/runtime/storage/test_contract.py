"""What every storage has to do, asked of each."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress

import pytest
from tests.object_stores import objects_in_memory, s3_bucket, s3_server  # noqa: F401 - fixtures

from flott.errors import FlottError
from flott.runtime.storage import (
    ConflictError,
    LocalStorage,
    RemoteStorage,
    S3Storage,
    UncertainWriteError,
    open_storage,
)
from flott.runtime.storage.remote import is_refusal

CONDITIONAL = ["local", "objects", "s3"]


@pytest.fixture
def url(request, tmp_path):
    match request.param:
        case "local":
            return str(tmp_path / "files")
        case "objects":
            return f"{request.getfixturevalue('objects_in_memory')}/job"
        case "s3":
            return f"{request.getfixturevalue('s3_bucket')}/job"
    return f"memory://{tmp_path.name}"


every = pytest.mark.parametrize("url", [*CONDITIONAL, "memory"], indirect=True)
conditional = pytest.mark.parametrize("url", CONDITIONAL, indirect=True)


@every
def test_files_come_and_go(url):
    storage = open_storage(url)
    storage.write("a/b", b"one", memoryview(b"two"))
    storage.write("c", b"3")
    storage.sync(["a/b", "c"])
    assert storage.read("a/b") == b"onetwo"
    assert open_storage(url).names("") == ["a/b", "c"]
    assert storage.names("a") == ["a/b"]
    assert storage.sizes("") == {"a/b": 6, "c": 1}
    storage.write("c", b"four")
    assert storage.read("c") == b"four"
    storage.delete("c")
    storage.delete("c")
    with pytest.raises(FileNotFoundError):
        storage.read("c")
    storage.delete_folder("a")
    storage.delete_folder("a")
    assert storage.names("") == storage.names("a") == []
    assert storage.sizes("") == {}
    storage.remove_if_empty()
    storage.remove_if_empty()


@every
def test_a_directory_with_something_in_it_stays(url):
    storage = open_storage(url)
    storage.write("a/b", b"1")
    storage.remove_if_empty()
    assert storage.read("a/b") == b"1"


@every
@pytest.mark.parametrize("name", ["", "/a", "../a", "a/../b", "a//b", ".hidden", "a b"])
def test_names_that_lead_elsewhere_are_refused(url, name):
    storage = open_storage(url)
    for act in (storage.read, storage.delete, storage.delete_folder, lambda name: storage.write(name, b"")):
        with pytest.raises(FlottError, match="is not a name for a file"):
            act(name)


@every
def test_a_version_is_replaced_by_who_has_seen_it(url):
    storage, other = open_storage(url), open_storage(url)
    assert storage.read_version("head") is None
    first = storage.swap("head", b"one", None)
    assert other.read_version("head") == (b"one", first)
    second = other.swap("head", b"two", first)
    assert second != first
    assert storage.read_version("head") == (b"two", second)
    for stale in (None, first):
        with pytest.raises(ConflictError):
            storage.swap("head", b"three", stale)
    assert storage.read_version("head") == (b"two", second)


@every
def test_what_was_deleted_is_not_replaced(url):
    storage = open_storage(url)
    first = storage.swap("head", b"one", None)
    second = storage.swap("head", b"two", first)
    storage.delete_versioned("head")
    storage.delete_versioned("head")
    assert storage.read_version("head") is None
    for stale in (first, second):
        with pytest.raises(ConflictError):
            storage.swap("head", b"three", stale)
    assert storage.read_version("head") is None


@conditional
@pytest.mark.parametrize("existing", [False, True])
def test_of_many_one_wins(url, existing):
    version = open_storage(url).swap("head", b"start", None) if existing else None
    start = threading.Barrier(6)
    won = []

    def compete(number):
        storage = open_storage(url)
        content = b"writer %d" % number
        start.wait()
        with suppress(ConflictError):
            won.append((content, storage.swap("head", content, version)))

    threads = [threading.Thread(target=compete, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [open_storage(url).read_version("head")] == won


@conditional
def test_conditional_writes_are_declared(url):
    assert open_storage(url).conditional


def test_a_store_without_compare_and_set_says_so(tmp_path):
    assert not open_storage(f"memory://{tmp_path.name}").conditional
    assert type(open_storage(f"memory://{tmp_path.name}")) is RemoteStorage


@pytest.mark.parametrize("url", ["objects"], indirect=True)
def test_a_write_whose_answer_was_lost_recognises_itself(url, monkeypatch):
    storage = open_storage(url)
    assert isinstance(storage, S3Storage)
    first = storage.swap("head", b"one", None)
    call = storage.file_system.call_s3

    def repeated(*words, **named):
        call(*words, **named)
        return call(*words, **named)

    monkeypatch.setattr(storage.file_system, "call_s3", repeated)
    second = storage.swap("head", b"two", first)
    assert storage.read_version("head") == (b"two", second)


@pytest.mark.parametrize("url", ["objects"], indirect=True)
@pytest.mark.parametrize("existing", [False, True])
def test_a_refusal_while_the_file_is_as_expected_is_no_conflict(url, existing, monkeypatch):
    """S3 answers 409 when another conditional write, such as one of our own that timed out, is under way."""
    storage = open_storage(url)
    version = storage.swap("head", b"one", None) if existing else None
    call = storage.file_system.call_s3
    late = []

    def under_way(*words, **named):
        late.append(lambda: call(*words, **named))
        raise OSError(errno.EINVAL, "ConditionalRequestConflict")

    monkeypatch.setattr(storage.file_system, "call_s3", under_way)
    with pytest.raises(UncertainWriteError, match="head"):
        storage.swap("head", b"two", version)
    late.pop()()
    assert storage.read_version("head")[0] == b"two"


@pytest.mark.parametrize("url", ["objects"], indirect=True)
def test_a_refusal_that_can_not_be_looked_into_is_uncertain(url, monkeypatch):
    """The write was done, its answer lost, the repetition refused, and the connection is gone."""
    storage = open_storage(url)
    first = storage.swap("head", b"one", None)
    call = storage.file_system.call_s3

    def repeated(*words, **named):
        call(*words, **named)
        monkeypatch.setattr(storage, "read_version", unreachable)
        return call(*words, **named)

    monkeypatch.setattr(storage.file_system, "call_s3", repeated)
    with pytest.raises(UncertainWriteError, match="gone"):
        storage.swap("head", b"two", first)


def unreachable(*_):
    raise ConnectionError("gone")


@pytest.mark.parametrize(
    ("status", "refused"), [(412, True), (409, True), (404, True), (400, False), (403, False), (503, False)]
)
def test_a_refused_condition_differs_from_other_failures(status, refused):
    error = OSError(22, "whatever the client makes of it")
    error.__cause__ = RuntimeError()
    error.__cause__.response = {"ResponseMetadata": {"HTTPStatusCode": status}}
    assert is_refusal(error) is refused


class Paused(LocalStorage):
    """Lets others act between the look and the write of a conditional write."""

    meanwhile = staticmethod(lambda: None)

    def _partial(self, *words, **named):
        made = super()._partial(*words, **named)
        self.meanwhile()
        return made


def test_a_writer_that_pauses_blocks_nobody_and_changes_nothing(tmp_path):
    paused, other = Paused(tmp_path), LocalStorage(tmp_path)
    version = paused.swap("head", b"one", None)

    def overtake():
        paused.meanwhile = lambda: None
        after = other.swap("head", b"two", version)
        for number in range(3):
            after = other.swap("head", b"later %d" % number, after)

    paused.meanwhile = overtake
    with pytest.raises(ConflictError):
        paused.swap("head", b"stale", version)
    assert other.read_version("head")[0] == b"later 2"


def test_a_writer_that_pauses_does_not_bring_back_what_was_removed(tmp_path):
    paused, other = Paused(tmp_path), LocalStorage(tmp_path)
    version = paused.swap("head", b"one", None)
    paused.meanwhile = lambda: other.delete_versioned("head")
    with pytest.raises(ConflictError):
        paused.swap("head", b"stale", version)
    assert other.read_version("head") is None
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_pauses_does_not_create_what_was_created_meanwhile(tmp_path):
    paused, other = Paused(tmp_path), LocalStorage(tmp_path)

    def overtake():
        version = other.swap("head", b"one", None)
        for number in range(3):
            version = other.swap("head", b"later %d" % number, version)

    paused.meanwhile = overtake
    with pytest.raises(ConflictError):
        paused.swap("head", b"stale", None)
    assert other.read_version("head")[0] == b"later 2"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_plain_file_of_an_older_version_is_the_first_version(tmp_path):
    storage = LocalStorage(tmp_path)
    storage.write("head", b"plain")
    content, version = storage.read_version("head")
    assert content == b"plain"
    storage.swap("head", b"next", version)
    assert storage.read_version("head")[0] == b"next"
    assert storage.names("") == ["head.1"]


@pytest.mark.parametrize("error", [FileExistsError(errno.EEXIST, "taken"), OSError(errno.EIO, "no answer")])
def test_a_link_that_was_made_in_spite_of_an_error_counts(tmp_path, monkeypatch, error):
    """An NFS client repeats a request whose answer was lost, and says that the name is taken."""
    storage = LocalStorage(tmp_path)
    link = os.link

    def repeated(*words):
        link(*words)
        raise error

    monkeypatch.setattr(os, "link", repeated)
    version = storage.swap("head", b"one", storage.swap("head", b"zero", None))
    assert storage.read_version("head") == (b"one", version)


def test_a_link_that_was_not_made_wrote_nothing(tmp_path, monkeypatch):
    def impossible(*_):
        raise PermissionError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", impossible)
    with pytest.raises(PermissionError, match="no hard links"):
        LocalStorage(tmp_path).swap("head", b"zero", None)
    assert LocalStorage(tmp_path).read_version("head") is None
    assert list(tmp_path.iterdir()) == []


def test_sync_names_a_file_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="shared/gone"):
        LocalStorage(tmp_path).sync(["shared/gone"])


def test_files_and_directories_are_synced_once(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("flott.runtime.storage.local.sync_path", synced.append)
    storage = LocalStorage(tmp_path / "job")
    storage.write("shared/a", b"1")
    storage.write("shared/b", b"2")
    assert synced == []
    storage.sync(["shared/a", "shared/b"])
    shared = tmp_path / "job" / "shared"
    assert synced == [shared / "a", shared / "b", shared, shared.parent, tmp_path]
    synced.clear()
    storage.sync(["shared/b"])
    assert synced == [shared / "b", shared]


def test_nothing_is_synced_where_that_is_switched_off(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: pytest.fail("synced"))
    storage = open_storage(str(tmp_path), durable=False)
    storage.write("a", b"1")
    storage.sync(["a"])
    storage.swap("head", b"1", None)
