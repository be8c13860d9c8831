// The functions of the cases for Flink's own operators. Elements are the texts of Steps.java. Compiled as that is.

package flott.oracle;

import java.util.Iterator;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.delta.DeltaFunction;
import org.apache.flink.streaming.api.windowing.assigners.SessionWindowTimeGapExtractor;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** All there is to do with an element: its key, its value as a gap or a distance, and the sum of two. */
public final class Functions implements KeySelector, SessionWindowTimeGapExtractor, DeltaFunction, ReduceFunction {

    public Object getKey(Object element) {
        return ((String) element).split(" ")[3];
    }

    public long extract(Object element) {
        return value(element);
    }

    public double getDelta(Object one, Object other) {
        return Math.abs(value(one) - value(other));
    }

    public Object reduce(Object one, Object other) {
        String[] parts = ((String) one).split(" ");
        return "element 0 " + parts[2] + " " + parts[3] + " " + (value(one) + value(other));
    }

    static long value(Object element) {
        return Long.parseLong(((String) element).split(" ")[4]);
    }

    /** Sum, count, max or mean; the accumulator holds what all of them need. */
    public static final class Aggregate implements AggregateFunction {
        private final String kind;

        public Aggregate(String kind) {
            this.kind = kind;
        }

        public Object createAccumulator() {
            return new long[] {0, 0, Long.MIN_VALUE};
        }

        public Object add(Object element, Object accumulator) {
            long value = value(element);
            return merge(accumulator, new long[] {value, 1, value});
        }

        public Object merge(Object one, Object other) {
            long[] a = (long[]) one;
            long[] b = (long[]) other;
            return new long[] {a[0] + b[0], a[1] + b[1], Math.max(a[2], b[2])};
        }

        public Object getResult(Object accumulator) {
            long[] a = (long[]) accumulator;
            if (kind.equals("mean")) {
                return String.valueOf((double) a[0] / a[1]);
            }
            return String.valueOf(kind.equals("sum") ? a[0] : kind.equals("count") ? a[1] : a[2]);
        }
    }

    /** Hands on what the window holds, as JSON, with case, key, window, and the watermark of that moment. */
    public static final class Tell extends ProcessWindowFunction {
        private final String number;
        private final String holds;

        public Tell(String number, String holds) {
            this.number = number;
            this.holds = holds;
        }

        public void process(Object key, ProcessWindowFunction.Context context, Iterable elements, Collector out) {
            String result = "";
            for (Iterator each = elements.iterator(); each.hasNext(); ) {
                Object element = each.next();
                boolean raw = element != null && (holds.equals("list") || holds.equals("reduce"));
                result += (result.isEmpty() ? "" : ", ") + (raw ? String.valueOf(value(element)) : element);
            }
            String bounds = "null";
            if (context.window() instanceof TimeWindow) {
                TimeWindow window = (TimeWindow) context.window();
                bounds = "[" + window.getStart() + ", " + window.getEnd() + "]";
            }
            out.collect("{\"case\": " + number + ", \"key\": \"" + key + "\", \"result\": "
                    + (holds.equals("list") ? "[" + result + "]" : result) + ", \"bounds\": " + bounds
                    + ", \"watermark\": " + context.currentWatermark() + "}");
        }
    }
}
