package trimtab.protocol;

import java.util.Comparator;
import java.util.Objects;

/** A queue: a partition of a Kafka topic, whose broker has no name, or a queue on a broker of RocketMQ. */
public final class Queue implements Comparable<Queue> {
    private static final Comparator<Queue> ORDER =
            Comparator.comparing((Queue it) -> it.topic)
                    .thenComparing(it -> it.broker)
                    .thenComparing(it -> it.id);

    public final String topic;
    public final String broker;
    public final int id;

    public Queue(String topic, String broker, int id) {
        this.topic = topic;
        this.broker = broker;
        this.id = id;
    }

    @Override
    public int compareTo(Queue other) {
        return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Queue && compareTo((Queue) other) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(topic, broker, id);
    }

    @Override
    public String toString() {
        return topic + "-" + (broker.isEmpty() ? "" : broker + "-") + id;
    }
}
