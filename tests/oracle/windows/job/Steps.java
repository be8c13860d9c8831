// Turns the steps of a case, as texts, into elements with timestamps and into watermarks, each right where it stands.
// Compiled by java_classes.py with the compiler that Flink's distribution brings along, which knows no type parameters.

package flott.oracle;

import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FilterFunction;

/** Steps are {@code element <timestamp> <case> <key> <value>} and {@code watermark <timestamp>}; elements pass the filter. */
public final class Steps implements WatermarkStrategy, WatermarkGenerator, TimestampAssigner, FilterFunction {

    public WatermarkGenerator createWatermarkGenerator(WatermarkGeneratorSupplier.Context context) {
        return this;
    }

    public TimestampAssigner createTimestampAssigner(TimestampAssignerSupplier.Context context) {
        return this;
    }

    public long extractTimestamp(Object step, long before) {
        return isElement(step) ? time(step) : before;
    }

    public void onEvent(Object step, long timestamp, WatermarkOutput output) {
        if (!isElement(step)) {
            output.emitWatermark(new Watermark(time(step)));
        }
    }

    public void onPeriodicEmit(WatermarkOutput output) {}

    public boolean filter(Object step) {
        return isElement(step);
    }

    private static boolean isElement(Object step) {
        return ((String) step).startsWith("element ");
    }

    private static long time(Object step) {
        return Long.parseLong(((String) step).split(" ", 3)[1]);
    }
}
