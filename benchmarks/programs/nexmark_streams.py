"""Nexmark's queries as DataStream programs, in Python functions: the same on Flott and on PyFlink.

Each query is a function of the streams of persons, auctions and bids, which are tuples. Where a result changes as more
events come, the new one is emitted, with its key in front (``KEYED`` says how many fields that is): the last of each
key counts. q10, which writes files, and q12, which goes by the clock, are left out. tests/table/nexmark compares what
they end in with DuckDB.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
from datetime import datetime, timezone
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--statements", type=Path, required=True, help="JSON: the sets of files of each query")
    parser.add_argument("--parallelism", type=int, default=2)
    return parser.parse_args()


ENGINE = arguments().engine if __name__ == "__main__" else "flott"
common = importlib.import_module(f"{ENGINE}.common")
datastream = importlib.import_module(f"{ENGINE}.datastream")
state = importlib.import_module(f"{ENGINE}.datastream.state")
window = importlib.import_module(f"{ENGINE}.datastream.window")
assigner = importlib.import_module(f"{ENGINE}.common.watermark_strategy")
Types = common.Types

# Events are plain tuples: these are the places of their fields.
AUCTION, BIDDER, PRICE, CHANNEL, URL, BID_TIME, EXTRA = range(7)
ID, ITEM, BEGINS, EXPIRES, SELLER, CATEGORY = range(6)
ID, NAME, CITY, STATE, SINCE = range(5)

SECOND = 1_000
CHANNEL_ID = re.compile(r"(&|^)channel_id=([^&]*)")
KNOWN = {"apple": "0", "google": "1", "facebook": "2", "baidu": "3"}
KEYED = {"q4": 1, "q6": 1, "q9": 1, "q15": 1, "q16": 2, "q17": 2, "q18": 2, "q19": 1}


class TimeField(assigner.TimestampAssigner):
    """The time of an event is one of its fields."""

    def __init__(self, place):
        self.place = place

    def extract_timestamp(self, value, record_timestamp):
        return value[self.place]


def in_time(stream, place):
    strategy = common.WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(TimeField(place))
    return stream.assign_timestamps_and_watermarks(strategy)


def tumbling(seconds):
    return window.TumblingEventTimeWindows.of(common.Time.seconds(seconds))


def day(bid):
    return time.strftime("%Y-%m-%d", time.gmtime(bid[BID_TIME] // SECOND))


# ------------------------------------------------------------------------------------------- record by record


def q0(persons, auctions, bids):
    return bids.map(lambda bid: (bid[AUCTION], bid[BIDDER], bid[PRICE], bid[BID_TIME], bid[EXTRA]))


def q1(persons, auctions, bids):
    return bids.map(lambda bid: (bid[AUCTION], bid[BIDDER], 0.908 * bid[PRICE], bid[BID_TIME]))


def q2(persons, auctions, bids):
    return bids.filter(lambda bid: bid[AUCTION] % 123 == 0).map(lambda bid: (bid[AUCTION], bid[PRICE]))


def q13(persons, auctions, bids):
    side_input = {number: str(number) for number in range(60)}

    def enrich(bid):
        found = side_input.get(bid[AUCTION] % 100)
        if found is not None:
            yield bid[AUCTION], bid[BIDDER], bid[PRICE], bid[BID_TIME], found

    return bids.flat_map(enrich)


def q14(persons, auctions, bids):
    def time_of_day(bid):
        hour = bid[BID_TIME] // (3_600 * SECOND) % 24
        return "dayTime" if 8 <= hour <= 18 else "nightTime" if hour <= 6 or hour >= 20 else "otherTime"

    return bids.filter(lambda bid: 1_000_000 < 0.908 * bid[PRICE] < 50_000_000).map(
        lambda bid: (
            bid[AUCTION],
            bid[BIDDER],
            0.908 * bid[PRICE],
            time_of_day(bid),
            bid[BID_TIME],
            bid[EXTRA].count("c"),
        )
    )


def q21(persons, auctions, bids):
    def with_channel(bid):
        found = KNOWN.get(bid[CHANNEL].lower())
        if found is None:
            match = CHANNEL_ID.search(bid[URL])
            found = match and match.group(2)
        if found is not None:
            yield bid[AUCTION], bid[BIDDER], bid[PRICE], bid[CHANNEL], found

    return bids.flat_map(with_channel)


def q22(persons, auctions, bids):
    return bids.map(lambda bid: (bid[AUCTION], bid[BIDDER], bid[PRICE], bid[CHANNEL], *bid[URL].split("/")[3:6]))


# ------------------------------------------------------------------------------------------------------ joins


class Expand(datastream.KeyedCoProcessFunction):
    """Puts what is known of a key (it comes once) beside each record of the other stream, whichever comes first."""

    def __init__(self, make):
        self.make = make

    def open(self, runtime_context):
        self.known = runtime_context.get_state(state.ValueStateDescriptor("known", Types.PICKLED_BYTE_ARRAY()))
        self.waiting = runtime_context.get_list_state(state.ListStateDescriptor("waiting", Types.PICKLED_BYTE_ARRAY()))

    def process_element1(self, value, ctx):
        self.known.update(value)
        for other in self.waiting.get() or ():
            yield self.make(value, other)
        self.waiting.clear()

    def process_element2(self, value, ctx):
        known = self.known.value()
        if known is None:
            self.waiting.add(value)
        else:
            yield self.make(known, value)


def q3(persons, auctions, bids):
    local = persons.filter(lambda person: person[STATE] in {"OR", "ID", "CA"})
    wanted = auctions.filter(lambda auction: auction[CATEGORY] == 10)
    keyed = local.connect(wanted).key_by(lambda person: person[ID], lambda auction: auction[SELLER], Types.LONG())
    return keyed.process(Expand(lambda person, auction: (person[NAME], person[CITY], person[STATE], auction[ID])))


def q20(persons, auctions, bids):
    wanted = auctions.filter(lambda auction: auction[CATEGORY] == 10)
    keyed = wanted.connect(bids).key_by(lambda auction: auction[ID], lambda bid: bid[AUCTION], Types.LONG())
    return keyed.process(
        Expand(
            lambda one, bid: (
                bid[AUCTION],
                bid[BIDDER],
                bid[PRICE],
                one[ITEM],
                one[BEGINS],
                one[SELLER],
                one[CATEGORY],
            ),
        )
    )


class Bidders(datastream.KeyedProcessFunction):
    """Bids of somebody who also sells: the person, the auctions and the bids of one number, each with each."""

    def open(self, runtime_context):
        self.seen = [
            runtime_context.get_list_state(state.ListStateDescriptor(name, Types.PICKLED_BYTE_ARRAY()))
            for name in ("persons", "auctions", "bids")
        ]

    def process_element(self, value, ctx):
        number, event = value
        self.seen[number].add(event)
        sides = [[event] if side == number else list(seen.get() or ()) for side, seen in enumerate(self.seen)]
        if not all(sides):
            return
        for person in sides[0]:
            for auction in sides[1]:
                for bid in sides[2]:
                    yield (
                        bid[AUCTION],
                        bid[BIDDER],
                        bid[PRICE],
                        person[NAME],
                        person[CITY],
                        auction[ID],
                        auction[SELLER],
                    )


def q23(persons, auctions, bids):
    dear = bids.filter(lambda bid: bid[PRICE] > 5_000_000).map(lambda bid: (bid[BIDDER], (2, bid)))
    people = persons.map(lambda person: (person[ID], (0, person)))
    sales = auctions.map(lambda auction: (auction[SELLER], (1, auction)))
    keyed = people.union(sales, dear).key_by(lambda pair: pair[0], Types.LONG())
    return keyed.process(OfPair(Bidders()))


class OfPair(datastream.KeyedProcessFunction):
    """Hands the second of each pair to another function."""

    def __init__(self, function):
        self.function = function

    def open(self, runtime_context):
        self.function.open(runtime_context)

    def process_element(self, value, ctx):
        return self.function.process_element(value[1], ctx)


class Winning(datastream.KeyedCoProcessFunction):
    """The best valid bid of each auction so far: the dearest, of those the first."""

    def open(self, runtime_context):
        self.auction = runtime_context.get_state(state.ValueStateDescriptor("auction", Types.PICKLED_BYTE_ARRAY()))
        self.best = runtime_context.get_state(state.ValueStateDescriptor("best", Types.PICKLED_BYTE_ARRAY()))
        self.early = runtime_context.get_list_state(state.ListStateDescriptor("early", Types.PICKLED_BYTE_ARRAY()))

    def process_element1(self, value, ctx):
        self.auction.update(value)
        for bid in self.early.get() or ():
            yield from self.offer(value, bid)
        self.early.clear()

    def process_element2(self, value, ctx):
        auction = self.auction.value()
        if auction is None:
            self.early.add(value)
            return ()
        return self.offer(auction, value)

    def offer(self, auction, bid):
        best = self.best.value()
        better = best is None or (-bid[PRICE], bid[BID_TIME]) < (-best[PRICE], best[BID_TIME])
        if auction[BEGINS] <= bid[BID_TIME] <= auction[EXPIRES] and better:
            self.best.update(bid)
            yield auction, bid, best


def winning(auctions, bids):
    return (
        auctions.connect(bids)
        .key_by(lambda auction: auction[ID], lambda bid: bid[AUCTION], Types.LONG())
        .process(Winning())
    )


class Average(datastream.KeyedProcessFunction):
    """The average over what each auction won, as that changes."""

    def open(self, runtime_context):
        self.totals = runtime_context.get_state(state.ValueStateDescriptor("totals", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        auction, bid, before = value
        total, count = self.totals.value() or (0, 0)
        total, count = total + bid[PRICE] - (before[PRICE] if before else 0), count + (before is None)
        self.totals.update((total, count))
        yield auction[CATEGORY], total // count


def q4(persons, auctions, bids):
    return winning(auctions, bids).key_by(lambda won: won[0][CATEGORY], Types.LONG()).process(Average())


class LastTen(datastream.KeyedProcessFunction):
    """The average price of the ten auctions of a seller that were won last."""

    def open(self, runtime_context):
        self.won = runtime_context.get_map_state(
            state.MapStateDescriptor("won", Types.LONG(), Types.PICKLED_BYTE_ARRAY())
        )

    def process_element(self, value, ctx):
        auction, bid, _ = value
        self.won.put(auction[ID], (bid[BID_TIME], bid[PRICE]))
        latest = sorted(((at, number, price) for number, (at, price) in self.won.items()), reverse=True)[:10]
        yield auction[SELLER], sum(price for _, _, price in latest) // len(latest)


def q6(persons, auctions, bids):
    return winning(auctions, bids).key_by(lambda won: won[0][SELLER], Types.LONG()).process(LastTen())


def q9(persons, auctions, bids):
    return winning(auctions, bids).map(lambda won: (won[0][ID], won[0][ITEM], won[1][BIDDER], won[1][PRICE]))


# ---------------------------------------------------------------------------------------------------- windows


class CountBids(datastream.AggregateFunction):
    """Counts."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class WithWindow(datastream.ProcessWindowFunction):
    """Puts key and window beside a result."""

    def process(self, key, context, elements):
        for element in elements:
            yield context.window().end, key, element, context.window().start


class Hottest(datastream.KeyedProcessFunction):
    """Of the auctions of a window, those with the most bids, once the window is over."""

    def open(self, runtime_context):
        self.counts = runtime_context.get_list_state(state.ListStateDescriptor("counts", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        self.counts.add((value[1], value[2]))
        ctx.timer_service().register_event_time_timer(value[0])

    def on_timer(self, timestamp, ctx):
        counts = list(self.counts.get())
        self.counts.clear()
        most = max(count for _, count in counts)
        yield from (pair for pair in counts if pair[1] == most)


def q5(persons, auctions, bids):
    sliding = window.SlidingEventTimeWindows.of(common.Time.seconds(10), common.Time.seconds(2))
    counts = in_time(bids, BID_TIME).key_by(lambda bid: bid[AUCTION], Types.LONG()).window(sliding)
    counted = counts.aggregate(CountBids(), WithWindow())
    return counted.key_by(lambda count: count[0], Types.LONG()).process(Hottest())


class Dearest(datastream.AggregateFunction):
    """The bids with the highest price."""

    def create_accumulator(self):
        return ()

    def add(self, value, accumulator):
        return self.merge(accumulator, (value,))

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        if not acc_a or not acc_b or acc_a[0][PRICE] == acc_b[0][PRICE]:
            return acc_a + acc_b
        return acc_a if acc_a[0][PRICE] > acc_b[0][PRICE] else acc_b


class DearestOfAll(datastream.KeyedProcessFunction):
    """Of the dearest bids of each part of a window, the dearest, once the window is over."""

    def open(self, runtime_context):
        self.bids = runtime_context.get_list_state(state.ListStateDescriptor("bids", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        self.bids.add(value[2])
        ctx.timer_service().register_event_time_timer(value[0])

    def on_timer(self, timestamp, ctx):
        bids = [bid for some in self.bids.get() for bid in some]
        self.bids.clear()
        top = max(bid[PRICE] for bid in bids)
        yield from ((bid[AUCTION], bid[PRICE], bid[BIDDER]) for bid in bids if bid[PRICE] == top)


def q7(persons, auctions, bids):
    parts = in_time(bids, BID_TIME).key_by(lambda bid: bid[BIDDER] % 64, Types.LONG()).window(tumbling(10))
    best = parts.aggregate(Dearest(), WithWindow())
    return best.key_by(lambda part: part[0], Types.LONG()).process(DearestOfAll())


class NewSellers(datastream.ProcessWindowFunction):
    """Who came and sold something in the same window."""

    def process(self, key, context, elements):
        names = [name for _, name in elements]
        if None in names:
            for name in sorted({name for name in names if name is not None}):
                yield key, name, context.window().start


def q8(persons, auctions, bids):
    people = in_time(persons, SINCE).map(lambda person: (person[ID], person[NAME]))
    sales = in_time(auctions, BEGINS).map(lambda auction: (auction[SELLER], None))
    keyed = people.union(sales).key_by(lambda pair: pair[0], Types.LONG())
    return keyed.window(tumbling(10)).process(NewSellers())


def q11(persons, auctions, bids):
    sessions = window.EventTimeSessionWindows.with_gap(common.Time.seconds(10))
    counted = in_time(bids, BID_TIME).key_by(lambda bid: bid[BIDDER], Types.LONG()).window(sessions)
    return counted.aggregate(CountBids(), WithWindow()).map(lambda one: (one[1], one[2], one[3], one[0]))


# ------------------------------------------------------------------------------------------------- aggregates


class Statistics(datastream.KeyedProcessFunction):
    """Counts of bids, and of those who bid and what on, that are seen for the first time."""

    def __init__(self, add, distinct):
        self.add = add
        self.distinct = distinct

    def open(self, runtime_context):
        self.totals = runtime_context.get_state(state.ValueStateDescriptor("totals", Types.PICKLED_BYTE_ARRAY()))
        self.seen = runtime_context.get_map_state(
            state.MapStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY(), Types.BOOLEAN())
        )

    def process_element(self, value, ctx):
        fresh = []
        for number, found in enumerate(self.distinct(value)):
            is_new = found is not None and not self.seen.contains((number, found))
            if is_new:
                self.seen.put((number, found), True)
            fresh.append(is_new)
        totals = self.add(self.totals.value(), value, fresh)
        self.totals.update(totals)
        yield (*ctx.get_current_key(), *totals)


def q15(persons, auctions, bids):
    def distinct(bid):
        cheap, dear = bid[PRICE] < 10_000, bid[PRICE] >= 1_000_000
        return bid[BIDDER], bid[BIDDER] if cheap else None, bid[AUCTION], bid[AUCTION] if dear else None

    def add(totals, bid, fresh):
        cheap, dear = bid[PRICE] < 10_000, bid[PRICE] >= 1_000_000
        more = (1, cheap, not cheap and not dear, dear, *fresh)
        return tuple(map(sum, zip(totals or (0,) * 8, more)))  # noqa: B905 - PyFlink's examples run on Python 3.9

    return bids.key_by(lambda bid: (day(bid),)).process(Statistics(add, distinct))


def q16(persons, auctions, bids):
    def distinct(bid):
        return bid[BIDDER], bid[AUCTION] if bid[PRICE] < 10_000 else None

    def add(totals, bid, fresh):
        minute = time.strftime("%H:%M", time.gmtime(bid[BID_TIME] // SECOND))
        latest, count, bidders, cheap = totals or ("", 0, 0, 0)
        return max(latest, minute), count + 1, bidders + fresh[0], cheap + fresh[1]

    return bids.key_by(lambda bid: (bid[CHANNEL], day(bid))).process(Statistics(add, distinct))


def q17(persons, auctions, bids):
    def add(totals, bid, _):
        price = bid[PRICE]
        count, cheap, least, most, _, total = totals or (0, 0, price, price, 0, 0)
        count, total = count + 1, total + price
        return count, cheap + (price < 10_000), min(least, price), max(most, price), total // count, total

    return bids.key_by(lambda bid: (bid[AUCTION], day(bid))).process(Statistics(add, lambda _: ()))


class Latest(datastream.KeyedProcessFunction):
    """The last bid of each bidder on each auction."""

    def open(self, runtime_context):
        self.time = runtime_context.get_state(state.ValueStateDescriptor("time", Types.LONG()))

    def process_element(self, value, ctx):
        before = self.time.value()
        if before is None or value[BID_TIME] >= before:
            self.time.update(value[BID_TIME])
            yield value[AUCTION], value[BIDDER], value[PRICE]


def q18(persons, auctions, bids):
    return bids.key_by(lambda bid: (bid[AUCTION], bid[BIDDER])).process(Latest())


class TopTen(datastream.KeyedProcessFunction):
    """The ten dearest bids of each auction."""

    def open(self, runtime_context):
        self.top = runtime_context.get_state(state.ValueStateDescriptor("top", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        before = self.top.value() or []
        top = sorted([*before, (value[PRICE], value[BIDDER])], key=lambda one: -one[0])[:10]
        if top != before:
            self.top.update(top)
            yield value[AUCTION], tuple(top)


def q19(persons, auctions, bids):
    return bids.key_by(lambda bid: bid[AUCTION], Types.LONG()).process(TopTen())


QUERIES = {
    name: function
    for name, function in sorted(globals().items(), key=lambda item: (len(item[0]), item[0]))
    if re.fullmatch(r"q\d+", name)
}


# -------------------------------------------------------------------------------------------------- as a program


SECONDS = {}


def millis(text):
    """Return the milliseconds of a time such as 2024-01-01 00:00:00.123; few seconds are ever new."""
    second = text[:19]
    found = SECONDS.get(second)
    if found is None:
        at = datetime.fromisoformat(second).replace(tzinfo=timezone.utc)
        found = SECONDS[second] = int(at.timestamp()) * SECOND
    return found + int(text[20:23] or 0)


def person_of(line):
    number, name, _, _, city, home, since, _ = line.split(",")
    return int(number), name, city, home, millis(since)


def auction_of(line):
    number, item, _, _, _, begins, expires, seller, category, _ = line.split(",")
    return int(number), item, millis(begins), millis(expires), int(seller), int(category)


def bid_of(line):
    auction, bidder, price, channel, url, at, extra = line.split(",")
    return int(auction), int(bidder), int(price), channel, url, millis(at), extra


def seconds(query, folder, options):
    """Run a query over the files of a folder, into nowhere; return the job's own time."""
    files = importlib.import_module(f"{ENGINE}.datastream.connectors.file_system")
    configuration = common.Configuration()
    if ENGINE == "flott":
        configuration.set_string("flott.spark.master", f"local[{options.parallelism}]")
    else:
        configuration.set_string("python.execution-mode", "thread")
        configuration.set_string("python.executable", sys.executable)
    env = datastream.StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(options.parallelism)

    def read(name, parse):
        source = files.FileSource.for_record_stream_format(files.StreamFormat.text_line_format(), f"{folder}/{name}")
        return env.from_source(source.build(), common.WatermarkStrategy.no_watermarks(), name).map(parse)

    discard(query(read("person", person_of), read("auction", auction_of), read("bid", bid_of)), ENGINE)
    return env.execute(query.__name__).get_net_runtime() / 1000


def main():
    options = arguments()
    asked = json.loads(options.statements.read_text())
    started, told = time.monotonic(), {}
    for name, sizes in asked["over"].items():
        told[name] = {}
        for size in sizes:
            try:
                told[name][size] = seconds(QUERIES[name], options.statements.parent / size, options)
            except Exception as error:  # noqa: BLE001 - one query that fails must not end a run
                told[name]["error"] = " ".join(str(error).split())[-300:]
                break
            print(f"{ENGINE} {name} {size}: {told[name][size]:.2f} s", file=sys.stderr, flush=True)
    print(json.dumps({"queries": told, "net_seconds": time.monotonic() - started}))


if __name__ == "__main__":
    from discarding import discard

    main()
