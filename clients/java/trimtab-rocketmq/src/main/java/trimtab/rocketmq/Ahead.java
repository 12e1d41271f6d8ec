package trimtab.rocketmq;

import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.common.ServiceState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import trimtab.transport.KafkaTransport;

/**
 * Connects to Kafka while RocketMQ's client starts.
 *
 * <p>In a new process each of the two takes most of a second. But RocketMQ's start fails if it has no answer of its
 * name server after three seconds, so on a slow machine it must not be slowed until then. And the member begins only
 * when RocketMQ's client has started: one whose name server does not answer must not have a share.
 */
final class Ahead {
    /** A consumer that has not started by then may never do so. */
    private static final long KEPT_MS = 60_000;
    private static final long LOOK_MS = 10;
    /** RocketMQ's client knows its topics by the end of its start. */
    private static final long PATIENCE_MS = 15_000;
    private static final Logger LOG = LoggerFactory.getLogger("trimtab");

    private final Client client;
    private final KafkaTransport kafka;
    private final Thread thread = new Thread(this::run, "trimtab-rocketmq-connect");

    Ahead(Client client, KafkaTransport kafka) {
        this.client = client;
        this.kafka = kafka;
        thread.setDaemon(true);
    }

    /** Begins, unless the consumer never becomes a member. */
    void begin() {
        if (!client.isBroadcasting()) {
            thread.start();
        }
    }

    /** Gives up what was prepared, if there is no member. */
    void end() {
        thread.interrupt();
    }

    private void run() {
        try {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(KEPT_MS);
            long startedAt = 0;
            boolean wasSaid = false;
            while (!client.knowsQueues()) {
                long now = System.nanoTime();
                if (now > until) {
                    return;
                }
                startedAt = startedAt == 0 && client.state() == ServiceState.RUNNING ? now : startedAt;
                if (!wasSaid && startedAt != 0 && now - startedAt > TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS)) {
                    wasSaid = true;
                    LOG.warn("this consumer does not join {}: RocketMQ's client knows no queue of {} since {} s."
                            + " Do these topics exist at its name server?",
                            client.group(), client.topics(), PATIENCE_MS / 1_000);
                }
                Thread.sleep(LOOK_MS);
            }
            kafka.prepare(client.group());
            Thread.sleep(KEPT_MS);
        } catch (InterruptedException e) {
            // it is not to be kept
        } finally {
            Thread.interrupted(); // or Kafka's clients do not close
            kafka.forgo();
        }
    }
}
