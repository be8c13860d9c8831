// Flink's own valve, for cases with several input channels: which watermark goes on, if any. Compiled as Steps.java is.

package flott.oracle;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

public final class Valve implements PushingAsyncDataInput.DataOutput {
    private final StatusWatermarkValve valve;
    private Long passed;

    public Valve(int channels) {
        valve = new StatusWatermarkValve(channels);
    }

    /** Takes a watermark of a channel; returns the one that goes on, or null. */
    public Long watermark(int channel, long timestamp) throws Exception {
        passed = null;
        valve.inputWatermark(new Watermark(timestamp), channel, this);
        return passed;
    }

    /** Takes a status of a channel; returns the watermark that goes on, or null. */
    public Long status(int channel, boolean active) throws Exception {
        passed = null;
        valve.inputWatermarkStatus(active ? WatermarkStatus.ACTIVE : WatermarkStatus.IDLE, channel, this);
        return passed;
    }

    public void emitWatermark(Watermark watermark) {
        passed = Long.valueOf(watermark.getTimestamp());
    }

    public void emitWatermark(WatermarkEvent event) {}

    public void emitWatermarkStatus(WatermarkStatus status) {}

    public void emitRecord(StreamRecord record) {}

    public void emitLatencyMarker(LatencyMarker marker) {}

    public void emitRecordAttributes(RecordAttributes attributes) {}
}
