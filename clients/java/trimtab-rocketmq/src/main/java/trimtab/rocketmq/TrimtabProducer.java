package trimtab.rocketmq;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.ServiceState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.protocol.Report;
import trimtab.protocol.Report.Figures;
import trimtab.protocol.UndecodableRecord;
import trimtab.session.Incarnation;
import trimtab.transport.Unreachable;
import trimtab.transport.VerdictLink;

/**
 * Has a producer of RocketMQ report how its brokers answer, and avoid those that are out of use.
 *
 * <pre>
 * DefaultMQProducer producer = new DefaultMQProducer("checkout");
 * TrimtabProducer.attach(producer, ProducerOptions.of("kafka-1:9092"));
 * producer.start();
 * </pre>
 *
 * <p>One thread does all that must not happen while a message is sent. While it can read no verdict, the
 * producer selects as without us. It ends when the producer is shut down.
 */
public final class TrimtabProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");
    /** The longest wait for a verdict, and so how late a shutdown or the end of a verdict is noticed. */
    private static final Duration TURN = Duration.ofMillis(200);
    /** A producer that has not started by then may never do so. */
    private static final long START_NS = 60_000_000_000L;
    /** Between two tries at what did not work. */
    private static final long RETRY_MS = 1_000;
    /** The same trouble again is told once in this time. */
    private static final long TROUBLE_MS = 60_000;

    private final DefaultMQProducerImpl producer;
    private final ProducerOptions options;
    private final String reporter;
    private final String incarnation =
            Incarnation.first(System.currentTimeMillis(), ThreadLocalRandom.current().nextInt());
    private final SendTimes times = new SendTimes();
    private final Clusters clusters;
    private final Verdicts verdicts;
    private final Tolerance tolerance;
    private final VerdictLink link;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "trimtab-producer");
    private volatile boolean closed;
    private long sequence;
    private final long attachedAt = System.nanoTime();
    private long windowSince = attachedAt;
    /** What was told lately, and when. */
    private final Map<String, Long> told = new HashMap<>();

    private TrimtabProducer(DefaultMQProducer attached, ProducerOptions options) {
        this.producer = attached.getDefaultMQProducerImpl();
        this.options = options;
        this.reporter = options.reporter == null
                ? String.format(Locale.ROOT, "%s-%08x", attached.getClientIP(), ThreadLocalRandom.current().nextInt())
                : options.reporter;
        this.clusters = new Clusters(producer, options.cluster);
        this.verdicts = new Verdicts(reporter, clusters);
        this.link = new VerdictLink(options.servers, options.prefix, options.kafka);
        this.tolerance = Tolerance.before(producer, verdicts);
        producer.registerSendMessageHook(times);
        thread.setDaemon(true); // a report is no reason to stay
        thread.start();
    }

    /**
     * Attaches a producer, best before it is started, so that its first message goes to no broker that is
     * out of use, and not more than a minute before. What {@code setSendLatencyFaultEnable} says at this moment is
     * what holds between verdicts.
     *
     * @throws IllegalStateException it was attached before, or is of a release that is not known
     */
    public static TrimtabProducer attach(DefaultMQProducer producer, ProducerOptions options) {
        return new TrimtabProducer(producer, options);
    }

    /** Waits until all verdicts that there are were read; says whether they were in this time. */
    public boolean awaitVerdicts(Duration patience) throws InterruptedException {
        return ready.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether a verdict keeps messages from a broker at this moment. */
    public boolean avoids(String broker) {
        return verdicts.avoid(broker);
    }

    /** The name that it reports under. */
    public String reporter() {
        return reporter;
    }

    /** Reports what is left, and leaves the producer to itself. */
    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.join();
    }

    private void run() {
        try {
            if (open()) {
                while (!isOver()) {
                    turn();
                }
                report();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) { // also an Error, of the client's or of Kafka's: nobody would hear of it
            LOG.error("{} reports no more, and no verdict counts for it: {}", reporter, e.toString(), e);
        } finally {
            verdicts.forget();
            tolerance.look();
            link.close();
        }
    }

    private boolean open() throws InterruptedException {
        while (!isOver()) {
            try {
                link.open();
                return true;
            } catch (Unreachable e) {
                trouble("no verdicts, so RocketMQ's own rules decide: " + e.getMessage());
                Thread.sleep(RETRY_MS);
            }
        }
        return false;
    }

    private void turn() throws InterruptedException {
        try {
            link.poll(TURN, this::read);
        } catch (KafkaException e) { // of verdicts: reports may go out all the same
            trouble("Kafka: " + e.getMessage());
            Thread.sleep(RETRY_MS);
        }
        tolerance.look();
        if (link.hasCaughtUp()) {
            ready.countDown();
        }
        if (System.nanoTime() - windowSince >= options.window.toNanos()) {
            report();
        }
        String refusal = link.refusal();
        if (refusal != null) {
            trouble("no report reaches Kafka", ": " + refusal);
        }
    }

    private void read(byte[] key, byte[] value, long appendedMs) {
        try {
            verdicts.read(key, value, appendedMs, link.hasCaughtUp());
        } catch (UndecodableRecord e) {
            trouble("a verdict cannot be read: " + e.getMessage());
        }
    }

    /** One record for each cluster that was sent to. */
    private void report() {
        long now = System.nanoTime();
        long windowMs = Math.max(1, (now - windowSince) / 1_000_000);
        windowSince = now;
        clusters.refresh();
        Map<String, Report> reports = new HashMap<>();
        for (Map.Entry<String, Figures> seen : times.close().entrySet()) {
            String cluster = clusters.of(seen.getKey());
            if (cluster != null) {
                Report report = reports.computeIfAbsent(
                        cluster, it -> new Report(reporter, incarnation, ++sequence, windowMs));
                report.add(seen.getKey(), clusters.address(seen.getKey()), seen.getValue());
            }
        }
        reports.forEach((cluster, report) -> link.report(cluster, report.written()));
    }

    private boolean isOver() {
        ServiceState state = producer.getServiceState();
        boolean isOver = isOver(state, System.nanoTime() - attachedAt);
        if (isOver && !closed && state != ServiceState.SHUTDOWN_ALREADY) {
            trouble("it has not started in a minute, so it reports nothing, and no verdict counts for it");
        }
        return closed || isOver;
    }

    /** Whether a producer is shut down, or will hardly start any more: RocketMQ's does not shut down what failed to start. */
    static boolean isOver(ServiceState state, long attachedForNs) {
        return state == ServiceState.SHUTDOWN_ALREADY
                || (state != ServiceState.RUNNING && attachedForNs > START_NS);
    }

    private void trouble(String what) {
        trouble(what, "");
    }

    /** With a detail that may be another one each time. */
    private void trouble(String what, String detail) {
        long now = System.currentTimeMillis();
        told.values().removeIf(at -> now - at >= TROUBLE_MS);
        if (told.putIfAbsent(what, now) == null) {
            LOG.warn("{}: {}{}", reporter, what, detail);
        }
    }
}
