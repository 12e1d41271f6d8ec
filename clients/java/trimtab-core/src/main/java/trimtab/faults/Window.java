package trimtab.faults;

import java.util.Arrays;
import trimtab.protocol.Report.Figures;

/**
 * One broker's requests since the last report: counts, the maximum, and a sample of the latencies.
 *
 * <p>Once there are many, every n-th latency is kept: a thousand give the same p99 as a million. So
 * what is kept does not grow with traffic. Any thread may enter a request.
 */
public final class Window {
    /** Latencies kept of a window, as the producer in Python keeps. */
    private static final int SAMPLES_MAX = 1_000;

    private final double[] samples = new double[2 * SAMPLES_MAX];
    private int kept;
    private long stride = 1;
    private long count;
    private long errors;
    private double longestMs;

    /** Enters a request that took so long, and whether it failed. */
    public synchronized void note(double latencyMs, boolean failed) {
        if (count % stride == 0) {
            if (kept == samples.length) {
                thin();
            }
            samples[kept++] = latencyMs;
        }
        count++;
        errors += failed ? 1 : 0;
        longestMs = Math.max(longestMs, latencyMs);
    }

    /** Sums the window up and opens the next one; null: nothing was in it. */
    public synchronized Figures close() {
        if (count == 0) {
            return null;
        }
        double[] ranked = Arrays.copyOf(samples, kept);
        Arrays.sort(ranked);
        double p50 = ranked[(kept - 1) / 2];
        double p99 = ranked[(int) ((kept - 1) * 99L / 100)];
        Figures figures = new Figures(count, errors, rounded(p50), rounded(p99), rounded(longestMs));
        kept = 0;
        stride = 1;
        count = 0;
        errors = 0;
        longestMs = 0;
        return figures;
    }

    private void thin() {
        kept = 0;
        for (int at = 0; at < samples.length; at += 2) {
            samples[kept++] = samples[at];
        }
        stride *= 2;
    }

    private static double rounded(double milliseconds) {
        return Math.round(milliseconds * 100) / 100.0;
    }
}
