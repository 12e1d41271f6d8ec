package trimtab.checks;

import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.broker.BrokerController;

/** Tells how far a group has committed at a broker, whenever that changes. */
final class OffsetWatch extends Thread {
    /** Queues of a topic, at most. */
    private static final int WATCHED = 32;
    private static final int PAUSE_MS = 5;

    /** Is told of a queue, and of the offset that is committed now. */
    interface Heard {
        void changed(int queue, long offset);
    }

    private final BrokerController broker;
    private final String group;
    private final String topic;
    private final Heard heard;

    OffsetWatch(BrokerController broker, String group, String topic, Heard heard) {
        super("offsets of " + group);
        this.broker = broker;
        this.group = group;
        this.topic = topic;
        this.heard = heard;
        setDaemon(true);
    }

    @Override
    public void run() {
        Map<Integer, Long> reached = new TreeMap<>();
        try {
            while (true) {
                for (int queue = 0; queue < WATCHED; queue++) {
                    long now = broker.getConsumerOffsetManager().queryOffset(group, topic, queue);
                    Long before = reached.put(queue, now);
                    if (now != (before == null ? -1 : before)) { // -1: none
                        heard.changed(queue, now);
                    }
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
