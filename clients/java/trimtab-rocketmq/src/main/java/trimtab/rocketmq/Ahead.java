package trimtab.rocketmq;

import trimtab.transport.KafkaTransport;

/**
 * Connects to Kafka while RocketMQ's client starts.
 *
 * <p>Either takes a new process most of a second, and only when RocketMQ's has started there is a member.
 */
final class Ahead {
    /** A consumer that has not started by then may never do so. */
    private static final long KEPT_MS = 60_000;

    private Ahead() {}

    /** Begins; what was prepared for nobody is given up after a minute. */
    static void connect(Client client, KafkaTransport kafka) {
        if (client.isBroadcasting()) {
            return; // it never becomes a member
        }
        Thread thread = new Thread(() -> keep(client.group(), kafka), "trimtab-rocketmq-connect");
        thread.setDaemon(true);
        thread.start();
    }

    private static void keep(String group, KafkaTransport kafka) {
        kafka.prepare(group);
        try {
            Thread.sleep(KEPT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kafka.forgo();
    }
}
