from __future__ import annotations

from datetime import timedelta

import pytest

from flott.cep import AfterMatchSkipStrategy, MalformedPatternError, Pattern, SimpleCondition, WithinType
from flott.cep.compile_nfa import compile_nfa
from flott.cep.conditions import ALWAYS, And, Or
from flott.cep.quantifier import ConsumingStrategy, QuantifierKind, Times
from flott.common import Duration, Time


def a():
    return Pattern.begin("a")


def yes(event):
    return True


# -- what a pattern says -----------------------------------------------------------------------------------


def test_a_pattern_is_a_chain_that_points_backwards():
    first = a()
    last = first.next("b").followed_by("c")
    assert last.get_name() == "c"
    assert last.get_previous().get_previous() is first
    assert first.get_previous() is None
    assert list(last.names()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("call", "strategy"),
    [
        ("next", ConsumingStrategy.STRICT),
        ("followed_by", ConsumingStrategy.SKIP_TILL_NEXT),
        ("followed_by_any", ConsumingStrategy.SKIP_TILL_ANY),
        ("not_next", ConsumingStrategy.NOT_NEXT),
        ("not_followed_by", ConsumingStrategy.NOT_FOLLOW),
    ],
)
def test_each_call_has_its_contiguity(call, strategy):
    assert getattr(a(), call)("b").get_quantifier().strategy is strategy


def test_conditions_add_up():
    pattern = a()
    assert pattern.get_condition() is ALWAYS
    first = pattern.where(yes).get_condition()
    both = pattern.where(yes).get_condition()
    assert isinstance(both, And)
    assert both.left is first
    assert isinstance(pattern.or_where(yes).get_condition(), Or)
    assert isinstance(pattern.subtype(int).get_condition(), And)


def test_quantifiers():
    assert a().times(3).get_times() == Times(3, 3)
    assert a().times(2, 4).get_times() == Times(2, 4)
    assert a().times(2, Duration.of_seconds(1)).get_times() == Times(2, 2, 1000)
    assert a().times(2, 4, Time.seconds(1)).get_times() == Times(2, 4, 1000)
    assert a().one_or_more().get_quantifier().kind is QuantifierKind.LOOPING
    assert a().times_or_more(2, timedelta(seconds=2)).get_times() == Times(2, 2, 2000)
    maybe = a().times(0, 2)
    assert maybe.get_quantifier().optional
    assert maybe.get_times() == Times(1, 2)
    assert a().optional().one_or_more().get_quantifier().optional


def test_time_limits():
    pattern = a().within(Duration.of_seconds(5)).next("b").within(100, WithinType.PREVIOUS_AND_CURRENT)
    assert pattern.get_window_size() is None
    assert pattern.get_window_size(WithinType.PREVIOUS_AND_CURRENT) == 100
    assert compile_nfa(pattern).window == 5000


def test_the_least_time_limit_counts():
    assert compile_nfa(a().within(50).next("b").within(20).next("c").within(30)).window == 20
    assert compile_nfa(a().next("b")).window == 0


def test_the_skip_strategy_is_the_one_of_the_beginning():
    skip = AfterMatchSkipStrategy.skip_past_last_event()
    assert Pattern.begin("a", skip).next("b").get_after_match_skip_strategy() == skip
    assert a().get_after_match_skip_strategy() == AfterMatchSkipStrategy.no_skip()


def test_a_pattern_shows_itself():
    group = Pattern.begin("x").next("y")
    shown = a().followed_by("b").one_or_more().greedy().next(group).times(2).not_followed_by("n").within(9)
    assert repr(shown) == "begin(a) followed_by(b){1,}+ next(begin(x) next(y)){2} not_followed_by(n) within 9 ms"


# -- what is refused, with the reason ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: a().next("a"), "'a' stands for two stages"),
        (lambda: a().next(Pattern.begin("b").next("a")), "'a' stands for two stages"),
        (lambda: Pattern.begin(""), "a stage has a name"),
        (lambda: Pattern.begin(3), "a stage has a name"),
        (lambda: Pattern.begin("a", "no_skip"), "is no skip strategy"),
        (lambda: a().times(2).times(3), "a quantifier was already applied"),
        (lambda: a().one_or_more().times_or_more(3), "a quantifier was already applied"),
        (lambda: a().optional().optional(), "optional\\(\\) was already applied"),
        (lambda: a().times(0), "whole numbers from 1 on"),
        (lambda: a().times(3, 2), "the smaller first"),
        (lambda: a().times_or_more(1.5), "whole numbers"),
        (lambda: a().greedy(), "for stages that repeat"),
        (lambda: a().consecutive(), "for stages that repeat"),
        (lambda: a().allow_combinations(), "for stages that repeat"),
        (lambda: a().one_or_more().consecutive().allow_combinations(), "exclude each other"),
        (lambda: a().one_or_more().consecutive().consecutive(), "consecutive\\(\\) was already applied"),
        (lambda: a().one_or_more().allow_combinations().greedy(), "exclude each other"),
        (lambda: a().one_or_more().greedy().allow_combinations(), "exclude each other"),
        (lambda: a().until(yes), "until\\(...\\) is for loops"),
        (lambda: a().times(2).until(yes), "until\\(...\\) is for loops"),
        (lambda: a().one_or_more().until(yes).until(yes), "was already given"),
        (lambda: a().not_next("b").optional(), "a NOT stage can't be optional"),
        (lambda: a().not_next("b").one_or_more(), "can't be applied to the NOT stage 'b'"),
        (lambda: a().not_followed_by("b").times(2), "can't be applied to the NOT stage 'b'"),
        (lambda: a().not_followed_by("b").greedy(), "can't be applied to the NOT stage 'b'"),
        (lambda: a().optional().not_next("b"), "which may be absent"),
        (lambda: a().optional().not_followed_by("b"), "which may be absent"),
        (lambda: Pattern.begin(a().optional()).not_next("b"), "which may be absent"),
        (lambda: a().not_next(Pattern.begin("b")), "a group can't be negated"),
        (lambda: a().one_or_more().greedy().next("b").optional(), "can't be optional after the greedy stage 'a'"),
        (lambda: Pattern.begin(a()).where(yes), "is for single stages"),
        (lambda: Pattern.begin(a()).or_where(yes), "is for single stages"),
        (lambda: Pattern.begin(a()).subtype(int), "is for single stages"),
        (lambda: Pattern.begin(a().optional()).one_or_more().greedy(), "a group can't be greedy"),
        (lambda: a().where(5), "is no condition"),
        (lambda: a().where(SimpleCondition), "the class SimpleCondition itself"),
        (lambda: a().where(lambda: True), "called with \\(event\\) or with \\(event, ctx\\)"),
        (lambda: a().where(lambda one, two, three: True), "called with \\(event\\) or with \\(event, ctx\\)"),
        (lambda: a().subtype(5), "give a class"),
        (lambda: a().within(0), "a time above zero"),
        (lambda: a().within("5 s"), "no length of time"),
    ],
)
def test_what_can_not_mean_anything_is_refused_at_once(build, reason):
    with pytest.raises(MalformedPatternError, match=reason):
        build()


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (a().not_followed_by("b"), "no time limit"),
        (Pattern.begin("a", AfterMatchSkipStrategy.skip_to_first("x")), "a stage that the pattern does not have"),
        (a().next("b").within(50, WithinType.PREVIOUS_AND_CURRENT).within(20), "the whole match only 20 ms"),
        (a().next("b").times(2, 2, 50).within(20), "the whole match only 20 ms"),
        (Pattern.begin(a().optional()).one_or_more(), "must take an event each time"),
    ],
)
def test_what_only_the_whole_pattern_shows_is_refused_when_it_is_compiled(pattern, reason):
    with pytest.raises(MalformedPatternError, match=reason):
        compile_nfa(pattern)


def test_only_a_strategy_that_goes_to_a_stage_can_miss_it():
    with pytest.raises(TypeError, match="can't miss"):
        AfterMatchSkipStrategy.skip_to_next().throw_exception_on_miss()


def test_a_skip_may_go_to_a_stage_inside_a_group():
    skip = AfterMatchSkipStrategy.skip_to_last("b")
    assert compile_nfa(Pattern.begin(Pattern.begin("b", skip).next("c"), skip)).skip == skip
