"""The window operator for sessions that fire at their end: a record that extends a session costs next to nothing."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.state.kinds import SESSIONS
from flott.runtime.state.values import SingleValue
from flott.runtime.timer_queue import NEVER
from flott.runtime.timers import TimerService
from flott.runtime.windowing.assigner import no_timestamp
from flott.runtime.windowing.contents import Aggregating, Reducing
from flott.runtime.windowing.operator import MANY_RESULTS, WindowOperator
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.windowing.spec import WindowSpec

START, END, ACCUMULATOR, TIMER = range(4)
Session = list[Any]
"""``[start, end, accumulator, timer]``. The timer is never later than what is due next, but may be earlier: when a
session grows, its timer stays, and moves on when it fires."""


class KeySessions(SingleValue):
    """The open sessions of each key, in the order of time."""

    __slots__ = ()

    @property
    def written(self) -> dict[Any, list[Session] | None]:
        """What may have changed in this epoch, by key."""
        return self._written

    def of(self, key: Any) -> list[Session]:
        """Return the sessions of a key, to be changed."""
        sessions: list[Session] | None = self._written.get(key)
        if sessions is None:
            sessions = [] if key in self._written else self._fetch(key) or []
            self._written[key] = sessions
        return sessions

    def close(self, key: Any, session: Session) -> None:
        """Forget a session."""
        sessions = self.of(key)
        sessions.remove(session)
        if not sessions:
            self._written[key] = None


class SessionWindowOperator(WindowOperator):
    """Event-time sessions with a fixed gap, one accumulator each, that fire at their end and for late records."""

    sessions: KeySessions

    def __init__(self, spec: WindowSpec, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(spec, key_selector)
        assigner: Any = spec.assigner
        self._gap: int = assigner._session_gap  # noqa: SLF001 - the two know each other

    def _make_timers(self) -> TimerService:
        context = self.context
        backend = context.keyed("what sessions hold")
        return TimerService(backend, "session-timers", context.clock, self._on_session_time, self._on_session_time)

    def _make_contents(self) -> Any:
        backend, spec = self.panes.backend, self.spec
        self.sessions = backend.part("sessions", SESSIONS, lambda: KeySessions(backend, "sessions"))
        self._accumulation = Reducing(spec.reduce) if spec.aggregate is None else Aggregating(spec.aggregate)
        return None  # Sessions hold their contents themselves.

    def _process_all(self, records: Iterator[Any], keys: list[Any], stamps: list[int | None] | None) -> None:
        times: Any = repeat(None) if stamps is None else stamps
        add, gap, written = self._accumulation.add, self._gap, self.sessions.written
        watermark = self.timers.current_watermark()
        for value, key, time in zip(records, keys, times, strict=False):
            if time is None:
                raise no_timestamp(self.assigner, value)
            sessions = written.get(key)
            if sessions:
                session = sessions[-1]
                end = session[END]
                if session[START] <= time <= end and watermark < session[TIMER] < end:
                    if time + gap > end:
                        session[END] = time + gap
                    session[ACCUMULATOR] = add(session[ACCUMULATOR], value)
                    continue
            self.scope.key = key
            self._put(value, key, time)

    def _put(self, value: Any, key: Any, time: int) -> None:
        """Put a record into the session it belongs to, whatever that takes."""
        sessions = self.sessions.of(key)
        end = time + self._gap
        touching = [session for session in sessions if session[START] <= end and session[END] >= time]
        watermark = self.timers.current_watermark()
        if touching:
            session = self._join(key, touching)
            session[START] = min(session[START], time)
            session[END] = max(session[END], end)
            session[ACCUMULATOR] = self._accumulation.add(session[ACCUMULATOR], value)
        elif min(end - 1 + self.lateness, MAX_WATERMARK) <= watermark:
            self._drop_late(value, time)
            if not sessions:
                self.sessions.written[key] = None
            return
        else:
            session = [time, end, self._accumulation.first(value), NEVER]
            sessions.append(session)
        sessions.sort(key=_start)
        self._schedule(key, session)
        if session[END] - 1 <= watermark:
            self._fire_session(key, session)

    def _join(self, key: Any, touching: list[Session]) -> Session:
        """Make one session of several: the first, whose accumulator the others are merged into."""
        session, *others = touching
        for other in others:
            session[ACCUMULATOR] = self._accumulation.merge(session[ACCUMULATOR], other[ACCUMULATOR])
            session[END] = max(session[END], other[END])
            self.sessions.close(key, other)
            self._release(key, other[TIMER])
        return session

    def _schedule(self, key: Any, session: Session) -> None:
        """See that a timer stands no later than the session's end, or after that, than the end of its lateness."""
        due = session[END] - 1
        watermark = self.timers.current_watermark()
        if due <= watermark:
            due += self.lateness
        timer = session[TIMER]
        if watermark < timer <= due:
            return
        self._set_timer(key, session, due)
        self._release(key, timer)

    def _set_timer(self, key: Any, session: Session, due: int) -> None:
        session[TIMER] = NEVER
        if due < MAX_WATERMARK:
            session[TIMER] = due
            self.timers.events.add(key, due)

    def _release(self, key: Any, timer: int) -> None:
        """Take a timer back, unless another session of the key waits for it too."""
        if timer != NEVER and all(session[TIMER] != timer for session in self.sessions.of(key)):
            self.timers.events.remove(key, timer)

    def _on_session_time(self, time: int, key: Any) -> None:
        sessions = self.sessions.of(key)
        for session in [session for session in sessions if session[TIMER] == time]:
            last = session[END] - 1
            if time == last:
                self._fire_session(key, session)
            if time == last + self.lateness:
                self.sessions.close(key, session)
                self.firing.clear(TimeWindow(session[START], session[END]))
            else:
                # Other timers may be due in this pass, so what counts is this one's time, not the watermark.
                self._set_timer(key, session, last if time < last else last + self.lateness)
        if len(self.results.values) >= MANY_RESULTS:
            self.results.emit(self.output)

    def _fire_session(self, key: Any, session: Session) -> None:
        window = TimeWindow(session[START], session[END])
        try:
            produced = self.firing.fire(key, window, [self._accumulation.result(session[ACCUMULATOR])])
            if produced is not None:
                self.put_out(produced, window)
        except USER_CODE_RAISES as error:  # whatever a user's function raises
            raise self.failure_of(error, f"none: key {key!r}, {window!r}") from None


def _start(session: Session) -> int:
    start: int = session[START]
    return start
