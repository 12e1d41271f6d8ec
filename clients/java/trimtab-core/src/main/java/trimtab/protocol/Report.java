package trimtab.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one producer saw of its brokers in a window. */
public final class Report {
    private final Map<String, Object> said = new LinkedHashMap<>();
    private final List<Map<String, Object>> brokers = new ArrayList<>();

    public Report(String reporter, String incarnation, long sequence, long windowMs) {
        said.put("v", 1);
        said.put("kind", "report");
        said.put("reporter", reporter);
        said.put("incarnation", incarnation);
        said.put("sequence", sequence);
        said.put("window_ms", windowMs);
        said.put("brokers", brokers);
    }

    /** Adds one broker; its address may be null. */
    public void add(String broker, String address, Figures figures) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("broker", broker);
        seen.put("count", figures.count);
        seen.put("errors", figures.errors);
        seen.put("p50_ms", figures.p50Ms);
        seen.put("p99_ms", figures.p99Ms);
        seen.put("max_ms", figures.maxMs);
        seen.put("address", address);
        brokers.add(seen);
    }

    /** The record as JSON. */
    public String written() {
        return JsonWriter.write(said);
    }

    /** One broker's requests that ended in the window, failed ones too. */
    public static final class Figures {
        public final long count;
        public final long errors;
        public final double p50Ms;
        public final double p99Ms;
        public final double maxMs;

        public Figures(long count, long errors, double p50Ms, double p99Ms, double maxMs) {
            this.count = count;
            this.errors = errors;
            this.p50Ms = p50Ms;
            this.p99Ms = p99Ms;
            this.maxMs = maxMs;
        }
    }
}
