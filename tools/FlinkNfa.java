// Runs pattern cases on Flink's own NFA (flink-cep) and prints what it finds: one JSON case in, one JSON answer out.
// Started by flink_nfa.py as a single-file program; needs a JDK and Flink's jars on the class path.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.StateTransition;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBuffer;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferAccessor;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.WithinType;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

public final class FlinkNfa {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
        }
        System.exit(0); // Flink's shared buffer leaves a thread behind.
    }

    private static ObjectNode answer(JsonNode test) {
        ObjectNode answer = JSON.createObjectNode();
        try {
            AfterMatchSkipStrategy skip = skip(test.get("skip"));
            Pattern<String, String> pattern = pattern(test.get("pattern"), skip);
            NFA<String> nfa = NFACompiler.compileFactory(pattern, true).createNFA();
            answer.set("states", states(nfa));
            answer.set("steps", steps(nfa, skip, test.get("events")));
        } catch (Exception error) {
            answer.put("error", error.getClass().getSimpleName() + ": " + error.getMessage());
        }
        return answer;
    }

    // Running

    private static ArrayNode steps(NFA<String> nfa, AfterMatchSkipStrategy skip, JsonNode events) throws Exception {
        ArrayNode steps = JSON.createArrayNode();
        NFAState state = nfa.createInitialNFAState();
        SharedBuffer<String> buffer = new SharedBuffer<>(new Store(), StringSerializer.INSTANCE);
        for (JsonNode event : events) {
            ObjectNode step = steps.addObject();
            ArrayNode matches = step.putArray("matches");
            ArrayNode timedOut = step.putArray("timed_out");
            long time = event.get(1).asLong();
            try (SharedBufferAccessor<String> accessor = buffer.getAccessor()) {
                Tuple2<Collection<Map<String, List<String>>>, Collection<Tuple2<Map<String, List<String>>, Long>>>
                        advanced = nfa.advanceTime(accessor, state, time, skip);
                for (Map<String, List<String>> match : advanced.f0) {
                    matches.add(match(match));
                }
                for (Tuple2<Map<String, List<String>>, Long> match : advanced.f1) {
                    timedOut.addArray().add(match(match.f0)).add(match.f1);
                }
            }
            if (event.get(0).isNull()) {
                continue;
            }
            try (SharedBufferAccessor<String> accessor = buffer.getAccessor()) {
                for (Map<String, List<String>> match :
                        nfa.process(accessor, state, event.get(0).asText(), time, skip, () -> time)) {
                    matches.add(match(match));
                }
            }
            step.put("partials", state.getPartialMatches().size());
            step.put("events", buffer.getEventsBufferSize());
        }
        buffer.releaseCacheStatisticsTimer();
        return steps;
    }

    private static ObjectNode match(Map<String, List<String>> found) {
        ObjectNode node = JSON.createObjectNode();
        for (Map.Entry<String, List<String>> entry : found.entrySet()) {
            ArrayNode events = node.putArray(entry.getKey());
            entry.getValue().forEach(events::add);
        }
        return node;
    }

    private static ObjectNode states(NFA<String> nfa) {
        ObjectNode node = JSON.createObjectNode();
        for (State<String> state : nfa.getStates()) {
            ObjectNode one = node.putObject(state.getName());
            one.put("kind", state.getStateType().name());
            ArrayNode edges = one.putArray("edges");
            for (StateTransition<String> edge : state.getStateTransitions()) {
                edges.add(edge.getAction().name() + " " + edge.getTargetState().getName());
            }
        }
        return node;
    }

    // Patterns

    private static AfterMatchSkipStrategy skip(JsonNode skip) {
        String kind = skip.get(0).asText();
        boolean strict = skip.size() > 2 && skip.get(2).asBoolean();
        switch (kind) {
            case "no_skip":
                return AfterMatchSkipStrategy.noSkip();
            case "to_next":
                return AfterMatchSkipStrategy.skipToNext();
            case "past_last_event":
                return AfterMatchSkipStrategy.skipPastLastEvent();
            case "to_first":
                return strict
                        ? AfterMatchSkipStrategy.skipToFirst(skip.get(1).asText()).throwExceptionOnMiss()
                        : AfterMatchSkipStrategy.skipToFirst(skip.get(1).asText());
            case "to_last":
                return strict
                        ? AfterMatchSkipStrategy.skipToLast(skip.get(1).asText()).throwExceptionOnMiss()
                        : AfterMatchSkipStrategy.skipToLast(skip.get(1).asText());
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    private static Pattern<String, String> pattern(JsonNode stages, AfterMatchSkipStrategy skip) {
        Pattern<String, String> pattern = null;
        for (JsonNode stage : stages) {
            pattern = quantified(stage, placed(pattern, stage, skip));
        }
        return pattern;
    }

    private static Pattern<String, String> placed(
            Pattern<String, String> previous, JsonNode stage, AfterMatchSkipStrategy skip) {
        String how = stage.get("contiguity").asText();
        if (stage.has("group")) {
            Pattern<String, String> group = pattern(stage.get("group"), skip);
            if (previous == null) {
                return Pattern.begin(group, skip);
            }
            switch (how) {
                case "STRICT":
                    return previous.next(group);
                case "SKIP_TILL_NEXT":
                    return previous.followedBy(group);
                default:
                    return previous.followedByAny(group);
            }
        }
        String name = stage.get("name").asText();
        Pattern<String, String> pattern;
        if (previous == null) {
            pattern = Pattern.begin(name, skip);
        } else if (how.equals("STRICT")) {
            pattern = previous.next(name);
        } else if (how.equals("SKIP_TILL_NEXT")) {
            pattern = previous.followedBy(name);
        } else if (how.equals("SKIP_TILL_ANY")) {
            pattern = previous.followedByAny(name);
        } else if (how.equals("NOT_NEXT")) {
            pattern = previous.notNext(name);
        } else {
            pattern = previous.notFollowedBy(name);
        }
        if (stage.has("letters")) {
            pattern = pattern.where(new Letters(stage.get("letters").asText()));
        }
        if (stage.has("rising")) {
            pattern = pattern.where(new Rising(name));
        }
        return pattern;
    }

    private static Pattern<String, String> quantified(JsonNode stage, Pattern<String, String> pattern) {
        Duration gap = stage.has("gap") ? Duration.ofMillis(stage.get("gap").asLong()) : null;
        switch (stage.get("kind").asText()) {
            case "LOOPING":
                pattern = pattern.timesOrMore(stage.get("from").asInt(), gap);
                break;
            case "TIMES":
                pattern = pattern.times(stage.get("from").asInt(), stage.get("to").asInt(), gap);
                break;
            default:
        }
        if (stage.path("optional").asBoolean()) {
            pattern = pattern.optional();
        }
        if (stage.path("inner").asText().equals("STRICT")) {
            pattern = pattern.consecutive();
        }
        if (stage.path("inner").asText().equals("SKIP_TILL_ANY")) {
            pattern = pattern.allowCombinations();
        }
        if (stage.path("greedy").asBoolean()) {
            pattern = pattern.greedy();
        }
        if (stage.has("until")) {
            pattern = pattern.until(new Letters(stage.get("until").asText()));
        }
        if (stage.has("within")) {
            pattern = pattern.within(Duration.ofMillis(stage.get("within").asLong()));
        }
        if (stage.has("within_gap")) {
            pattern = pattern.within(
                    Duration.ofMillis(stage.get("within_gap").asLong()), WithinType.PREVIOUS_AND_CURRENT);
        }
        return pattern;
    }

    /** Holds for events that start with one of some letters. */
    private static final class Letters extends IterativeCondition<String> {
        private final String letters;

        Letters(String letters) {
            this.letters = letters;
        }

        @Override
        public boolean filter(String event, Context<String> context) {
            return letters.indexOf(event.charAt(0)) >= 0;
        }
    }

    /** Holds for events whose number is above those of all events that the stage holds already. */
    private static final class Rising extends IterativeCondition<String> {
        private final String name;

        Rising(String name) {
            this.name = name;
        }

        @Override
        public boolean filter(String event, Context<String> context) throws Exception {
            int number = Integer.parseInt(event.substring(1));
            for (String before : context.getEventsForPattern(name)) {
                if (Integer.parseInt(before.substring(1)) >= number) {
                    return false;
                }
            }
            return true;
        }
    }

    // State in memory

    private static final class Store implements KeyedStateStore {
        @Override
        public <K, V> MapState<K, V> getMapState(
                org.apache.flink.api.common.state.MapStateDescriptor<K, V> descriptor) {
            return new MemoryMap<>();
        }

        @Override
        public <T> org.apache.flink.api.common.state.ValueState<T> getState(
                org.apache.flink.api.common.state.ValueStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> org.apache.flink.api.common.state.ListState<T> getListState(
                org.apache.flink.api.common.state.ListStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> org.apache.flink.api.common.state.ReducingState<T> getReducingState(
                org.apache.flink.api.common.state.ReducingStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <I, A, O> org.apache.flink.api.common.state.AggregatingState<I, O> getAggregatingState(
                org.apache.flink.api.common.state.AggregatingStateDescriptor<I, A, O> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ValueState<T> getValueState(
                org.apache.flink.api.common.state.v2.ValueStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ListState<T> getListState(
                org.apache.flink.api.common.state.v2.ListStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <K, V> org.apache.flink.api.common.state.v2.MapState<K, V> getMapState(
                org.apache.flink.api.common.state.v2.MapStateDescriptor<K, V> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ReducingState<T> getReducingState(
                org.apache.flink.api.common.state.v2.ReducingStateDescriptor<T> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <I, A, O> org.apache.flink.api.common.state.v2.AggregatingState<I, O> getAggregatingState(
                org.apache.flink.api.common.state.v2.AggregatingStateDescriptor<I, A, O> descriptor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String getBackendTypeIdentifier() {
            return "memory";
        }
    }

    private static final class MemoryMap<K, V> implements MapState<K, V> {
        private final Map<K, V> map = new HashMap<>();

        @Override
        public V get(K key) {
            return map.get(key);
        }

        @Override
        public void put(K key, V value) {
            map.put(key, value);
        }

        @Override
        public void putAll(Map<K, V> entries) {
            map.putAll(entries);
        }

        @Override
        public void remove(K key) {
            map.remove(key);
        }

        @Override
        public boolean contains(K key) {
            return map.containsKey(key);
        }

        @Override
        public Iterable<Map.Entry<K, V>> entries() {
            return new ArrayList<>(map.entrySet());
        }

        @Override
        public Iterable<K> keys() {
            return new ArrayList<>(map.keySet());
        }

        @Override
        public Iterable<V> values() {
            return new ArrayList<>(map.values());
        }

        @Override
        public Iterator<Map.Entry<K, V>> iterator() {
            return map.entrySet().iterator();
        }

        @Override
        public boolean isEmpty() {
            return map.isEmpty();
        }

        @Override
        public void clear() {
            map.clear();
        }
    }
}
