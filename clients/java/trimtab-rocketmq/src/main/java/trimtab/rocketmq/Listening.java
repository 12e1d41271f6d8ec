package trimtab.rocketmq;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.rocketmq.client.consumer.MessageQueueListener;
import org.apache.rocketmq.common.message.MessageQueue;
import trimtab.protocol.Queue;

/**
 * Stands before the listener that an application which pulls by itself is told its queues by.
 *
 * <p>A queue is at work from when the listener hears of it until it has come back from a call that does not name it.
 * A new one that is not the consumer's at that moment is not named.
 */
final class Listening implements MessageQueueListener {
    private final Client client;
    private final Gate gate;
    /** By topic: what the listener was told last. */
    private final Map<String, Set<Queue>> told = new HashMap<>();
    /** Held during a call: the application is told one thing after another. */
    private final ReentrantLock calls = new ReentrantLock();
    private volatile MessageQueueListener listener;
    private boolean givenUp;

    Listening(Client client, Gate gate) {
        this.client = client;
        this.gate = gate;
    }

    /** The application's own may be another one from now on. */
    void tell(MessageQueueListener itsListener) {
        listener = itsListener;
    }

    /** Whether the listener is at work on what it was told before. */
    boolean isBusy() {
        return calls.isLocked();
    }

    @Override
    public void messageQueueChanged(String topic, Set<MessageQueue> all, Set<MessageQueue> divided) {
        calls.lock();
        try {
            change(topic, all, divided);
        } finally {
            calls.unlock();
        }
    }

    private void change(String topic, Set<MessageQueue> all, Set<MessageQueue> divided) {
        Set<MessageQueue> named = new HashSet<>();
        Set<Queue> gone = begin(topic, divided, named);
        try {
            gate.during(() -> listener.messageQueueChanged(topic, all, named));
        } finally {
            gone.forEach(client::done);
            end(gone);
        }
    }

    /** Nobody tells the listener anything any more, and nobody waits for it. */
    synchronized void giveUp() {
        givenUp = true;
        told.values().forEach(it -> it.forEach(gate::leave));
        told.clear();
    }

    /** One that is not named is dropped, so that the client takes it anew when it is the consumer's. */
    private synchronized Set<Queue> begin(String topic, Set<MessageQueue> divided, Set<MessageQueue> named) {
        Set<Queue> before = told.getOrDefault(topic, Set.of());
        Set<Queue> now = new HashSet<>();
        for (MessageQueue it : divided) {
            Queue queue = Client.named(it);
            if (!givenUp && (before.contains(queue) || gate.enter(queue))) {
                now.add(queue);
                named.add(it);
            } else {
                client.drop(queue);
            }
        }
        Set<Queue> gone = new HashSet<>(before);
        gone.removeAll(now);
        if (!givenUp) {
            told.put(topic, now);
        }
        return gone;
    }

    /** After the end all were given back. */
    private synchronized void end(Set<Queue> gone) {
        if (!givenUp) {
            gone.forEach(gate::leave);
        }
    }
}
